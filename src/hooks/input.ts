// Reads what the agent hands over on stdin, in one go: a stream would take longer to set up than to read.
import { fstatSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { isObject, parseJson, systemErrorCode } from "../lib/index.ts";
import { Trouble } from "./trouble.ts";

const FIRST_BUFFER = 64 * 1024;
const MOST_PAYLOAD_BYTES = 64 * 1024 * 1024;
const STDIN_PAUSE_MS = 2;
/** From the start of the process: less than the shortest time that the agent gives a hook. */
const STDIN_WAIT_MS = 3_000;
/** After so long without a byte it is looked whether the payload is whole: an agent may never close its end. */
const STDIN_QUIET_MS = 20;

/** What was read so far. */
interface StdinInput {
  bytes: Uint8Array;
  length: number;
}

const inputText = ({ bytes, length }: StdinInput) => Buffer.from(bytes.buffer, 0, length).toString();

/** Bytes read; 0 at the end, undefined where there are none yet. */
function readSome(fd: number, { bytes, length }: StdinInput) {
  try {
    return readSync(fd, bytes, length, bytes.length - length, null);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EOF") return 0;
    if (code === "EAGAIN") return undefined;
    throw error;
  }
}

function growBuffer(input: StdinInput) {
  if (input.length > MOST_PAYLOAD_BYTES)
    throw new Trouble(`the payload is larger than ${MOST_PAYLOAD_BYTES} bytes`);
  if (input.length < input.bytes.length) return;
  const larger = new Uint8Array(input.bytes.length * 2);
  larger.set(input.bytes);
  input.bytes = larger;
}

const pauseReading = (): unknown =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STDIN_PAUSE_MS);

/** Whether nothing more is needed: a JSON object is whole when it parses. */
const isWhole = (input: StdinInput) => isObject(parseJson(inputText(input)));

function readAll(fd: number) {
  const stats = fstatSync(fd);
  if (stats.isFIFO() || stats.isSocket()) stopBlocking(fd);
  const input: StdinInput = { bytes: new Uint8Array(FIRST_BUFFER), length: 0 };
  let quiet = 0;
  for (;;) {
    const count = readSome(fd, input);
    if (count === 0) return inputText(input);
    if (count !== undefined) {
      input.length += count;
      growBuffer(input);
      quiet = 0;
      continue;
    }
    // Looked at once in each silence: a payload that comes in small pieces is not parsed again for every one.
    if (quiet === STDIN_QUIET_MS && isWhole(input)) return inputText(input);
    if (process.uptime() * 1_000 > STDIN_WAIT_MS)
      throw new Trouble(`stdin was not closed within ${STDIN_WAIT_MS} ms`);
    pauseReading();
    quiet += STDIN_PAUSE_MS;
  }
}

/** The payload on stdin. Throws a trouble that names no part of what it read: that may be secret. */
export function readPayload(fd = 0) {
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
    // The input is not used: what is wrong with it does not matter.
    return;
  }
}

/** The part of Node under `node:net` that opens a pipe. Loading all of that module costs a hook 2 ms, this 0.1 ms. */
interface PipeBinding {
  readonly Pipe: new (type: number) => { open(fd: number): number };
  readonly constants: { readonly SOCKET: number };
}

type WithBinding = NodeJS.Process & { binding?(name: "pipe_wrap"): PipeBinding };

function openPipe(fd: number) {
  try {
    // A version that warns of this call must not make the hook print anything.
    process.noDeprecation = true;
    const found = (process as WithBinding).binding?.("pipe_wrap");
    if (!found) return false;
    return new found.Pipe(found.constants.SOCKET).open(fd) === 0;
  } catch {
    // A version without it, or a process that may not use it.
    return false;
  }
}

/**
 * Opening a pipe as a handle of the event loop sets O_NONBLOCK on it; nothing is read by the handle. On Windows that
 * would begin to read, and hooks go on to wait there.
 */
function stopBlocking(fd: number) {
  if (process.platform === "win32" || openPipe(fd)) return;
  new Socket({ fd, readable: true, writable: false, manualStart: true } as { fd: number });
}
