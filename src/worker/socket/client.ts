// Asks a running worker over its socket.
import { connect } from "node:net";
import { systemErrorCode, ThroughlineError } from "../../lib/index.ts";
import { encodeFrame, lineReader, type Op, PROTOCOL, type ResponseFrame, readResponse } from "../frames.ts";

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

interface CallOptions {
  readonly args?: unknown;
  readonly timeoutMs?: number;
}

/** `absent`: nobody listens. `silent`: somebody does, and does not answer as a worker would. */
export type Reply = ResponseFrame | "absent" | "silent";

/** Never rejects: that there is no worker is an answer like any other. */
export function ask(socket: string, op: Op, options: CallOptions = {}): Promise<Reply> {
  return new Promise((resolve) => {
    const id = "1";
    const reader = lineReader(MAX_ANSWER_BYTES);
    const connection = connect(socket);
    let connected = false;
    const settle = (reply: Reply): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(reply);
    };
    const timer = setTimeout(() => settle(connected ? "silent" : "absent"), options.timeoutMs ?? 5_000);
    connection.setEncoding("utf8");
    connection.on("connect", () => {
      connected = true;
      connection.write(encodeFrame({ v: PROTOCOL, id, op, args: options.args }));
    });
    connection.on("data", (chunk: string) => {
      const lines = reader.push(chunk);
      if (lines === undefined) return settle("silent");
      for (const line of lines) {
        const response = readResponse(line);
        if (response === undefined) return settle("silent");
        if (response.id === id) return settle(response);
      }
    });
    connection.on("error", (error) => settle(isAbsent(error) ? "absent" : "silent"));
    connection.on("close", () => settle("silent"));
  });
}

function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ECONNREFUSED"].includes(systemErrorCode(error) ?? "");
}

/** The data of a positive answer. Throws `worker-absent` or `worker-failed` for everything else. */
export async function call(socket: string, op: Op, options: CallOptions = {}): Promise<unknown> {
  const reply = await ask(socket, op, options);
  if (reply === "absent") {
    throw new ThroughlineError("worker-absent", "no worker is running", { fix: "throughline worker start" });
  }
  if (reply === "silent") {
    throw new ThroughlineError("worker-failed", `what listens at ${socket} does not answer as a worker`, {
      fix: "`throughline worker logs` may say why; `throughline worker stop` ends it",
    });
  }
  if (reply.ok) return reply.data;
  const { code, message, fix } = reply.error;
  throw new ThroughlineError("worker-failed", `the worker refused ${op} (${code}): ${message}`, {
    fix: fix ?? "see `throughline worker logs`",
  });
}
