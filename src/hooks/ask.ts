// Asks the worker one thing over its socket, and gives up when the time is over.
import { connect } from "node:net";
import { isObject, systemErrorCode } from "../lib/index.ts";
import type { CapturedEvent } from "../spool/index.ts";
import { encodeFrame, lineReader, PROTOCOL, readResponse } from "../worker/frames.ts";

const MOST_ANSWER_BYTES = 1024 * 1024;

interface Said {
  readonly stdout: string;
  /** For the hook log. */
  readonly log: readonly string[];
}

/**
 * `absent`: nobody listens. `silent`: somebody does and says nothing in time. `foreign`: it is no worker.
 * `refused`: it is one and does not want to. `late`: there was no time left to ask.
 */
export type Answer = Said | "absent" | "silent" | "foreign" | "refused" | "late";

function answerOf(line: string): Answer {
  const response = readResponse(line);
  if (response === undefined) return "foreign";
  if (!response.ok) return "refused";
  const { data } = response;
  const { stdout, log } = isObject(data) ? data : {};
  return { stdout: typeof stdout === "string" ? stdout : "", log: Array.isArray(log) ? log.map(String) : [] };
}

/** Never rejects. */
export function askWorker(
  socket: string,
  args: { readonly event: CapturedEvent; readonly project: string },
  withinMs: number,
): Promise<Answer> {
  return new Promise((resolve) => {
    const reader = lineReader(MOST_ANSWER_BYTES);
    const connection = connect(socket);
    const settle = (answer: Answer): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => settle("silent"), withinMs);
    connection.setEncoding("utf8");
    connection.on("connect", () => {
      connection.write(encodeFrame({ v: PROTOCOL, id: args.event.id, op: "answer", args }));
    });
    connection.on("data", (chunk: string) => {
      const lines = reader.push(chunk);
      const [line] = lines ?? [];
      if (lines === undefined) settle("foreign");
      else if (line !== undefined) settle(answerOf(line));
    });
    connection.on("error", (error) => {
      settle(["ENOENT", "ECONNREFUSED"].includes(systemErrorCode(error) ?? "") ? "absent" : "foreign");
    });
    connection.on("close", () => settle("foreign"));
  });
}
