// What a model is shown of a turn: its rows under short ids, each draft with excerpts of its calls, never more than so many tokens a call.
import { type Action, oneLine, type ToolCall } from "../activity/index.ts";
import type { JsonObject } from "../lib/index.ts";
import { estimateText } from "../tokens/index.ts";
import type { ObservedTurn } from "./model.ts";
import type { Turn } from "./turn.ts";

/** Of the newer tokenizers, which count more. */
const tokensOf = (text: string) => estimateText(text, "new");

/** Beginning and end of a text, as much as fits; what is between is left out with a sign. */
export function excerpt(text: string, tokens: number): string {
  const whole = tokensOf(text);
  if (whole <= tokens) return text;
  for (let share = tokens / whole; share > 0.001; share *= 0.8) {
    const length = Math.floor(text.length * share);
    const cut = `${text.slice(0, Math.ceil(length * 0.6))}\n…\n${text.slice(text.length - Math.floor(length * 0.4))}`;
    if (tokensOf(cut) <= tokens) return cut;
  }
  return "";
}

const CALL_TOKENS = 240;
const ALL_TOKENS = 14_000;
const REQUEST_TOKENS = 120;
const WORDS_TOKENS = 240;

/** A row of the turn that can be cited. */
export interface CitableRow {
  /** The event that holds it. */
  readonly source: string;
  /** All it says, not the excerpt. */
  readonly text: string;
  /** Absent for what was said. */
  readonly call?: ToolCall;
  readonly action?: Action;
}

/** By short ids: `q` is the request, `a` the closing answer, `r1` and so on the calls of the drafts. */
export function citableRows(turn: Turn, observed: ObservedTurn): ReadonlyMap<string, CitableRow> {
  const { request, words, before, rows } = turn;
  const shown = new Set(observed.observations.flatMap(({ sources }) => sources));
  const calls = turn.calls.filter(({ id }) => shown.has(id));
  const said: [string, CitableRow][] = [];
  if (request !== "" && rows.request !== undefined)
    said.push(["q", { source: rows.request, text: `${request}\n${before}` }]);
  if (words !== "" && rows.words !== undefined) said.push(["a", { source: rows.words, text: words }]);
  const called = calls.map((call, at): [string, CitableRow] => {
    const action = turn.actions.find(({ id }) => id === call.id);
    const text = [call.name, JSON.stringify(call.input), ...stringsIn(call.input), call.output].join("\n");
    return [`r${at + 1}`, { source: call.id, text, call, ...(action && { action }) }];
  });
  return new Map([...said, ...called]);
}

const stringsIn = (input: JsonObject) => Object.values(input).filter((value) => typeof value === "string");

/** The parts of an input that are worth reading, longest last. */
function inputText(input: JsonObject) {
  return Object.entries(input)
    .filter(([name]) => !/^(?:file_path|description|replace_all|timeout)$/.test(name))
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .sort((a, b) => a.length - b.length)
    .join("\n");
}

function callText(call: ToolCall, tokens: number) {
  const input = excerpt(inputText(call.input), tokens / 2);
  const left = tokens - tokensOf(input);
  return `${input}\n=> ${excerpt(call.output, left - 4)}`.trim();
}

/** Our marks within a text are not ours: they must not pass for what stands around them. */
const inert = (text: string) => text.replace(/<(?=\/?(?:request|draft|call|answer)\b)/gi, "‹");

export function questionOf(
  { words }: Turn,
  observed: ObservedTurn,
  rows: ReadonlyMap<string, CitableRow>,
): string {
  const calls = [...rows].filter(([, { call }]) => call !== undefined);
  const each = Math.min(CALL_TOKENS, Math.floor(ALL_TOKENS / Math.max(1, calls.length)));
  const request = observed.summary?.request ?? "";
  const drafts = observed.observations.map(({ type, title, sources }, index) => {
    const lines = calls.flatMap(([id, { source, call }]) => {
      if (!call || !sources.includes(source)) return [];
      const path = call.input.file_path;
      const where = typeof path === "string" ? ` ${oneLine(inert(path), 120)}` : "";
      return [`<call row="${id}" tool="${call.name}"${where}>\n${inert(callText(call, each))}\n</call>`];
    });
    return `<draft number="${index + 1}" type="${type}">\n${inert(title)}\n${lines.join("\n")}\n</draft>`;
  });
  return [
    `<request row="q">${inert(excerpt(request, REQUEST_TOKENS))}</request>`,
    ...drafts,
    words === "" ? "" : `<answer row="a">${inert(excerpt(words, WORDS_TOKENS))}</answer>`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}
