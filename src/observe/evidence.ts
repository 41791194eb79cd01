// What a model is shown of a turn: each draft with excerpts of its calls, never more than so many tokens a call.
import { oneLine, type ToolCall } from "../activity/index.ts";
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

/** The parts of an input that are worth reading, longest last. */
function inputText(input: JsonObject): string {
  return Object.entries(input)
    .filter(([name]) => !/^(?:file_path|description|replace_all|timeout)$/.test(name))
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .sort((a, b) => a.length - b.length)
    .join("\n");
}

function callText(call: ToolCall, tokens: number): string {
  const input = excerpt(inputText(call.input), tokens / 2);
  const left = tokens - tokensOf(input);
  return `${input}\n=> ${excerpt(call.output, left - 4)}`.trim();
}

/** Texts between marks, so that they cannot pass for what stands around them. */
export function evidenceOf(turn: Turn, observed: ObservedTurn, words: string): string {
  const byId = new Map(turn.calls.map((call) => [call.id, call] as const));
  const calls = observed.observations.reduce((sum, { sources }) => sum + sources.length, 0);
  const each = Math.min(CALL_TOKENS, Math.floor(ALL_TOKENS / Math.max(1, calls)));
  const request = observed.summary?.request ?? "";
  const drafts = observed.observations.map(({ type, title, sources }, index) => {
    const lines = sources.flatMap((id) => {
      const call = byId.get(id);
      const path = call?.input.file_path;
      const where = typeof path === "string" ? ` ${oneLine(path, 120)}` : "";
      return call === undefined
        ? []
        : [`<call tool="${call.name}"${where}>\n${callText(call, each)}\n</call>`];
    });
    return `<draft number="${index + 1}" type="${type}">\n${title}\n${lines.join("\n")}\n</draft>`;
  });
  return [
    `<request>${excerpt(request, REQUEST_TOKENS)}</request>`,
    ...drafts,
    words === "" ? "" : `<answer>${excerpt(words, WORDS_TOKENS)}</answer>`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}
