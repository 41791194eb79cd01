// Sends one request to the salvage process and receives its progress.
import { type ChildProcess, fork } from "node:child_process";
import { ThroughlineError } from "../lib/index.ts";
import type { SalvageMessage, SalvageQuestion } from "./salvageProcess.ts";

interface Asked<T> {
  readonly child: ChildProcess;
  /** Rejects when the process could not answer, or died; with a `ThroughlineError` when the store is at fault. */
  readonly answer: Promise<T>;
}

export function askProcess<T>(
  script: string,
  question: SalvageQuestion,
  onPosition: (message: Extract<SalvageMessage, { position: unknown }>) => void = () => undefined,
): Asked<T> {
  const child = fork(script, [], { stdio: "ignore", execArgv: [] });
  const answer = new Promise<T>((resolve, reject) => {
    child.on("message", (message: SalvageMessage) => {
      if ("position" in message) onPosition(message);
      else if ("end" in message) resolve(message.end as T);
      else if (message.code === undefined) reject(new Error(message.problem));
      else reject(new ThroughlineError(message.code, message.problem));
    });
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      reject(new Error(`the salvage process ended with ${signal ?? code}`)),
    );
  });
  // The caller hears of a failure; that it may have stopped listening is no fault.
  answer.catch(() => undefined);
  child.send(question);
  return { child, answer };
}
