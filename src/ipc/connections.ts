// Serves one connection to the socket: one response per request, isolated from other connections.
import type { Socket } from "node:net";
import { defined, errorText, ThroughlineError } from "../lib/index.ts";
import {
  encodeFrame,
  type FrameError,
  lineReader,
  PROTOCOL,
  type ResponseFrame,
  readRequest,
} from "./frames.ts";

/** Answers with its data. What it throws becomes the answer's error. */
type OpHandler = (args: unknown) => Promise<unknown> | unknown;

type OpTable = ReadonlyMap<string, OpHandler>;

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
const SILENCE_MS = 60_000;

function errorOf(error: unknown): FrameError {
  if (!(error instanceof ThroughlineError)) return { code: "internal", message: errorText(error) };
  return { code: error.code, message: error.message, ...defined({ fix: error.fix }) };
}

async function responseTo(line: string, ops: OpTable): Promise<ResponseFrame> {
  const request = readRequest(line);
  if ("problem" in request)
    return { v: PROTOCOL, id: "", ok: false, error: { code: "bad-request", message: request.problem } };
  const { id, op, args } = request;
  const handler = ops.get(op);
  if (!handler) {
    const message = `this worker knows no ${op}`;
    return { v: PROTOCOL, id, ok: false, error: { code: "unknown-op", message } };
  }
  try {
    return { v: PROTOCOL, id, ok: true, data: (await handler(args)) ?? {} };
  } catch (error) {
    return { v: PROTOCOL, id, ok: false, error: errorOf(error) };
  }
}

const OPENS_A_FRAME = "{".charCodeAt(0);

/**
 * Serves one connection until the other side ends it, falls silent for a minute, or sends an endless line.
 * Its first byte tells who is there: hooks and commands send objects, a mod can only speak HTTP.
 */
export function serveConnection(
  connection: Socket,
  ops: OpTable,
  serveHttp: (connection: Socket) => Promise<void>,
) {
  connection.setTimeout(SILENCE_MS, () => connection.destroy());
  // The other side may go at any time.
  connection.on("error", () => connection.destroy());
  connection.once("data", (first: Buffer) => {
    connection.pause();
    connection.unshift(first);
    if (first[0] === OPENS_A_FRAME) {
      serveFrames(connection, ops);
      connection.resume();
    } else
      void serveHttp(connection).then(
        () => connection.resume(),
        () => connection.destroy(),
      );
  });
}

function serveFrames(connection: Socket, ops: OpTable) {
  const reader = lineReader(MAX_REQUEST_BYTES);
  connection.setEncoding("utf8");
  connection.on("data", (chunk: string) => {
    const lines = reader.push(chunk);
    if (!lines) {
      connection.destroy();
      return;
    }
    for (const line of lines) {
      void responseTo(line, ops).then((response) => {
        if (connection.writable) connection.write(encodeFrame(response));
      });
    }
  });
}
