// Reads what Claude Code prints at the end of a turn: an answer, or a named failure.
import {
  defined,
  errorText,
  isObject,
  type JsonObject,
  optionalString,
  systemErrorCode,
} from "../../lib/index.ts";
import { readUsage } from "../../messages/index.ts";
import { failureOf, tooLongIn } from "../failures.ts";
import { disconnected, failed, failedAs, type ModelError, type ModelOutcome } from "../model.ts";

const LONGEST_RESULT_MESSAGE = 500;

/** Of the object of type `result`. */
export function outcomeOf(result: JsonObject, askedFor: string): ModelOutcome {
  if (result.is_error === true || typeof result.result !== "string") return failed(resultError(result));
  return {
    ok: true,
    reply: defined({
      text: result.result,
      blocks: result.result === "" ? [] : [{ type: "text", text: result.result }],
      model: (isObject(result.modelUsage) ? Object.keys(result.modelUsage)[0] : undefined) ?? askedFor,
      usage: readUsage(result.usage),
      stopReason: optionalString(result.stop_reason),
    }),
  };
}

/** The program exited, or printed something else. */
export function noResult(command: string, code: number | null, said: string): ModelOutcome {
  const message = said.slice(0, LONGEST_RESULT_MESSAGE);
  return code === 0
    ? failedAs("malformed", `${command} printed no result: ${message}`)
    : failedAs("unavailable", `${command} exited with code ${code}: ${message}`);
}

/** A process that was killed from outside is worth another try. */
export const killed = (command: string): ModelOutcome =>
  failed(disconnected(`${command} was ended before it answered`));

export function notStarted(problem: unknown, command: string): ModelOutcome {
  const message =
    systemErrorCode(problem) === "ENOENT"
      ? `${command} was not found; install Claude Code, or name the program with llm.command`
      : `${command} did not start: ${errorText(problem)}`;
  return failedAs("unavailable", message);
}

function resultError(result: JsonObject): ModelError {
  const said = typeof result.result === "string" ? result.result : String(result.subtype ?? "no result");
  const tooLong = tooLongIn(said);
  if (tooLong) return tooLong;
  if (result.terminal_reason === "prompt_too_long")
    return { kind: "prompt-too-long", message: said.slice(0, LONGEST_RESULT_MESSAGE) };
  if (typeof result.api_error_status === "number") {
    const error = { type: result.api_error_type, message: said };
    return failureOf({ status: result.api_error_status, body: { error } });
  }
  if (/\/login|invalid api key|authentication/i.test(said)) return { kind: "unauthorized", message: said };
  if (/usage limit|rate limit|limit reached/i.test(said)) return { kind: "rate-limited", message: said };
  return { kind: "unavailable", message: said.slice(0, LONGEST_RESULT_MESSAGE) };
}
