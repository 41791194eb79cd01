// Reads what the agent hands over on stdin, in one go: a stream would take longer to set up than to read.
import { readSync } from "node:fs";
import { isObject, type JsonObject, parseJson, systemErrorCode } from "../lib/index.ts";
import { Trouble } from "./trouble.ts";

const FIRST_BUFFER = 64 * 1024;
const MOST_BYTES = 64 * 1024 * 1024;
const PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 1_000;

/** Bytes read; 0 at the end. A pipe that does not block says EAGAIN while it is empty: that is waited out. */
function readSome(fd: number, buffer: Uint8Array, offset: number): number {
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      return readSync(fd, buffer, offset, buffer.length - offset, null);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      if (waited >= LONGEST_PAUSE_MS) throw new Trouble("nothing came on stdin");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

function readAll(fd: number): string {
  let bytes = new Uint8Array(FIRST_BUFFER);
  let length = 0;
  for (;;) {
    const count = readSome(fd, bytes, length);
    if (count === 0) return Buffer.from(bytes.buffer, 0, length).toString();
    length += count;
    if (length > MOST_BYTES) throw new Trouble(`the payload is larger than ${MOST_BYTES} bytes`);
    if (length < bytes.length) continue;
    const larger = new Uint8Array(bytes.length * 2);
    larger.set(bytes);
    bytes = larger;
  }
}

/** The payload on stdin. Throws a trouble that names no part of what it read: that may be secret. */
export function readPayload(fd = 0): JsonObject {
  const text = readAll(fd);
  const payload = parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  if (isObject(payload)) return payload;
  throw new Trouble(`stdin holds no JSON object (${text.length} characters)`);
}

/** Lets the agent say what it has to: a pipe that is closed while it writes would be reported as an error of the hook. */
export function discardInput(fd = 0): undefined {
  try {
    readAll(fd);
  } catch {
    // Whatever is wrong with it does not matter to somebody who does not want it.
    return;
  }
}
