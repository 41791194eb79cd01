// The process that reads damaged databases and checks sound ones: apart from the worker, which must not wait or fall with it.
import { constants, setPriority } from "node:os";
import { type ErrorCode, errorText, ThroughlineError } from "../lib/index.ts";
import {
  checkFile,
  countUntil,
  type FileReport,
  type HeldCounts,
  namedTranscripts,
  type SalvagePosition,
  type SalvageRequest,
  salvage,
} from "../store/index.ts";

export type SalvageQuestion =
  | ({ readonly ask: "salvage" } & Omit<SalvageRequest, "now" | "onProgress">)
  | { readonly ask: "count"; readonly database: string; readonly until: number }
  | { readonly ask: "check"; readonly database: string };

export interface CountAnswer {
  readonly present: HeldCounts;
  readonly transcripts: readonly { readonly session: string; readonly file: string }[];
}

/** The last message is `end` or `problem`. */
export type SalvageMessage =
  | { readonly position: SalvagePosition }
  | { readonly end: SalvagePosition | CountAnswer | FileReport }
  | { readonly problem: string; readonly code?: ErrorCode };

const send = (message: SalvageMessage): Promise<void> =>
  new Promise((resolve) => {
    if (!process.send) resolve();
    else process.send(message, undefined, {}, () => resolve());
  });

async function answerSalvage(question: SalvageQuestion): Promise<SalvagePosition | CountAnswer | FileReport> {
  if (question.ask === "check") return checkFile(question.database);
  if (question.ask === "salvage")
    return salvage({ ...question, now: Date.now, onProgress: (position) => void send({ position }) });
  return {
    present: await countUntil(question.database, question.until),
    transcripts: await namedTranscripts(question.database),
  };
}

// Ends with the worker that asked; the next one goes on from the last position that was reported.
process.on("disconnect", () => process.exit(0));
process.on("message", (question: SalvageQuestion) => {
  answerSalvage(question)
    .then(
      (end) => send({ end }),
      (error: unknown) =>
        send({
          problem: errorText(error),
          ...(error instanceof ThroughlineError && { code: error.code }),
        }),
    )
    .finally(() => process.disconnect?.());
});
process.umask(0o077);
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
