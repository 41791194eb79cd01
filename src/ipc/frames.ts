// The lines that hooks, commands and the worker exchange over the socket: one JSON object each.
import { isObject, parseJson } from "../lib/index.ts";

export const PROTOCOL = 1;

/** What can be asked. A worker answers any other word with `unknown-op`. */
export type Op =
  | "ping"
  | "prove"
  | "drain"
  | "answer"
  | "status"
  | "invite"
  | "search"
  | "timeline"
  | "show"
  | "errors"
  | "remember"
  | "correct"
  | "sync"
  | "share"
  | "turns"
  | "import"
  | "ingest"
  | "word"
  | "jobs"
  | "shutdown"
  | "handover"
  | "forget";

export interface RequestFrame {
  readonly v: number;
  readonly id: string;
  readonly op: string;
  readonly args?: unknown;
}

export interface FrameError {
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
}

export type ResponseFrame =
  | { readonly v: number; readonly id: string; readonly ok: true; readonly data: unknown }
  | { readonly v: number; readonly id: string; readonly ok: false; readonly error: FrameError };

export function encodeFrame(frame: RequestFrame | ResponseFrame) {
  return `${JSON.stringify(frame)}\n`;
}

/** The request of a line, or what is wrong with it. */
export function readRequest(line: string): RequestFrame | { readonly problem: string } {
  const value = parseJson(line);
  if (!isObject(value)) return { problem: "a request is one JSON object on one line" };
  const { v, id, op, args } = value;
  if (v !== PROTOCOL) return { problem: `protocol ${String(v)} is not spoken here; ${PROTOCOL} is` };
  if (typeof id !== "string" || typeof op !== "string") return { problem: "a request has an id and an op" };
  return args === undefined ? { v, id, op } : { v, id, op, args };
}

/** The response of a line; undefined for one that no worker would write. */
export function readResponse(line: string): ResponseFrame | undefined {
  const value = parseJson(line);
  if (!isObject(value) || typeof value.id !== "string" || typeof value.v !== "number") return undefined;
  const { v, id, ok, data, error } = value;
  if (ok === true) return { v, id, ok, data };
  if (ok !== false || !isObject(error)) return undefined;
  const { code, message, fix } = error;
  return {
    v,
    id,
    ok,
    error: { code: String(code), message: String(message), ...(typeof fix === "string" && { fix }) },
  };
}

/** Cuts what arrives into lines. A line above the limit is not kept: `push` then gives undefined, for good. */
export function lineReader(maxLength: number): { push(chunk: string): readonly string[] | undefined } {
  // In parts, so that a long line is not copied again with every chunk of it.
  let parts: string[] = [];
  let length = 0;
  let broken = false;
  const append = (text: string) => {
    parts.push(text);
    length += text.length;
    if (length > maxLength) broken = true;
  };
  return {
    push(chunk) {
      const lines: string[] = [];
      const [first = "", ...further] = chunk.split("\n");
      append(first);
      for (const text of further) {
        if (broken) break;
        if (length > 0) lines.push(parts.join(""));
        [parts, length] = [[], 0];
        append(text);
      }
      if (!broken) return lines;
      parts = [];
      return undefined;
    },
  };
}
