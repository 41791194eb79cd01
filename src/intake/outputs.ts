// The whole text of a tool's output that Claude Code cut short for the hook and put into a file of its own.
import { fstatSync, readSync, realpathSync } from "node:fs";
import path from "node:path";
import { isObject, withFile } from "../lib/index.ts";
import { type CapturedEvent, persistedOutput } from "../spool/index.ts";

/** What is kept of it; more than this says nothing to a reader. */
const MAX_BYTES = 1024 * 1024;
/** Of an output that is to come back byte for byte; a larger one stays where Claude Code has put it. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;

/**
 * The real path of an output that lies where Claude Code puts them: in `tool-results` beside the transcript.
 * The path comes from a tool's answer, and a tool may answer anything, the name of a private key for example.
 */
function trustedPath(file: string, transcript: string) {
  try {
    const home = realpathSync(path.dirname(transcript));
    const real = realpathSync(file);
    const inside = path.relative(home, real).split(path.sep);
    return inside[0] !== ".." && !path.isAbsolute(inside[0] ?? "") && inside.at(-2) === "tool-results"
      ? real
      : undefined;
  } catch {
    // It is gone, or the transcript is: what the hook was given is what there is.
    return undefined;
  }
}

function readStart(file: string, most: number) {
  return withFile(file, "r", (fd) => {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(stat.size, most));
    const read = readSync(fd, bytes, 0, bytes.length, 0);
    return { text: bytes.toString("utf8", 0, read), whole: stat.size <= most };
  });
}

/** The whole text of an output that Claude Code says to have put there; undefined where it did not, or it is gone. */
export function wholeOutput(named: string, transcript: string) {
  const file = trustedPath(named, transcript);
  const output = file === undefined ? undefined : readStart(file, MAX_WHOLE_BYTES);
  return output?.whole ? output.text : undefined;
}

/** The event with the whole output where that can be had, otherwise as it is. */
export function withWholeOutput(event: CapturedEvent) {
  const named = persistedOutput(event);
  if (named === undefined || event.transcript === undefined) return event;
  const file = trustedPath(named, event.transcript);
  const output = file === undefined ? undefined : readStart(file, MAX_BYTES);
  const response = event.payload.tool_response;
  if (!output || !isObject(response)) return event;
  const { text, whole } = output;
  const completed = { ...response, stdout: text, persistedOutputKept: whole ? "whole" : "beginning" };
  return { ...event, payload: { ...event.payload, tool_response: completed } };
}
