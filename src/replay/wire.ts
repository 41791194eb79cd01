// Answers on their way between threads, which hand over plain values and lose what makes an error one of ours.
import { type ErrorCode, ThroughlineError } from "../lib/index.ts";
import type { JobAnswer } from "./job.ts";

type Plain =
  | Exclude<JobAnswer, { kind: "failed" }>
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string; readonly fix?: string };

export function answerMessage(answer: JobAnswer): Plain {
  if (answer.kind !== "failed") return answer;
  const { code, message, fix } = answer.error;
  return { kind: "failed", code, message, ...(fix === undefined ? {} : { fix }) };
}

export function readAnswer(plain: Plain): JobAnswer {
  if (plain.kind !== "failed") return plain;
  const { code, message, fix } = plain;
  return { kind: "failed", error: new ThroughlineError(code, message, fix === undefined ? {} : { fix }) };
}
