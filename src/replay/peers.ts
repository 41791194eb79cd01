// Rules of other agents, emulated as they are written down, each with its source and date, and tool results that are shown as something else from some moment on: cleared, cut or masked.
// Where a rule leaves something open, it is taken as the peer would have it: a summary call reads the whole window from
// the cache, and the summary is the recorded one.

import { sumOf } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isToolResult,
  isUserInput,
  type Message,
  textOf,
  toolPairs,
  userTurns,
} from "../messages/index.ts";
import { CLEARED } from "../pipeline/index.ts";
import { readableText } from "./need.ts";
import type { CutResult, Policy } from "./policies.ts";

/** Remembers what stands for which result, and shows the same bytes for the same replacement. */
export class Replacing {
  readonly #texts = new Map<string, string>();
  readonly #shown = new Map<string, { from: Message; texts: readonly string[]; to: Message }>();

  set(id: string, text: string): void {
    this.#texts.set(id, text);
  }

  textOf(id: string) {
    return this.#texts.get(id);
  }

  show(history: History): History {
    return this.#texts.size === 0 ? history : history.map((item) => this.#showItem(item));
  }

  #showItem(item: HistoryItem): HistoryItem {
    const { message } = item;
    if (message.role !== "user" || typeof message.content === "string") return item;
    const texts = message.content.flatMap((block) => this.#texts.get(String(block.tool_use_id)) ?? []);
    if (texts.length === 0) return item;
    const seen = this.#shown.get(item.id);
    if (seen?.from === message && sameTexts(seen.texts, texts)) return { ...item, message: seen.to };
    const content = blocksOf(message).map((block) => {
      const text = isToolResult(block) ? this.#texts.get(block.tool_use_id) : undefined;
      return text === undefined ? block : { ...block, content: text };
    });
    const to = { ...message, content };
    this.#shown.set(item.id, { from: message, texts, to });
    return { ...item, message: to };
  }
}

function sameTexts(one: readonly string[], other: readonly string[]) {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

/** Tokens as most agents count them. */
function quarterTokens(text: string) {
  return Math.ceil(text.length / 4);
}

function canBegin({ message }: HistoryItem) {
  return message.role === "assistant" || !blocksOf(message).some(isToolResult);
}

/** Where the newest group begins: a prompt, or a call with its results. */
export function lastGroup(history: History) {
  return Math.max(0, history.findLastIndex(canBegin));
}

/** As much of the end as weighs at most `budget`, and the newest group whatever it weighs. */
function tailWithin(
  history: History,
  budget: number,
  weigh = ({ message }: HistoryItem) => quarterTokens(readableText(message)),
): History {
  let start = lastGroup(history);
  let weight = sumOf(history.slice(start), weigh);
  for (let at = start - 1; at >= 0; at--) {
    const item = history[at];
    if (!item) break;
    weight += weigh(item);
    if (weight > budget) break;
    if (canBegin(item)) start = at;
  }
  return history.slice(start);
}

/** The call by which replay has the model look at what was cut: its result comes whole. */
export const RECALL = "recall";

/** Results that are too long are short from the first time they are sent. */
function cutOnArrival(history: History, replacing: Replacing, cut: (text: string) => string): CutResult[] {
  return toolPairs(history).flatMap((pair) => {
    if (!pair.result || pair.name === RECALL || replacing.textOf(pair.id) !== undefined) return [];
    const text = textOf(pair.result.content);
    const shorter = cut(text);
    if (shorter.length >= text.length) return [];
    replacing.set(pair.id, shorter);
    return [{ toolUseId: pair.id, text }];
  });
}

/**
 * Results behind the newest `kept` tokens of them, newest first, with what they weigh together. `isDone` says whether a
 * result that is shown so was replaced before: then it is skipped, or ends the search.
 */
function beyondNewest(
  history: History,
  replacing: Replacing,
  kept: number,
  isDone: (text: string) => "skip" | "end" | undefined,
) {
  const old: { readonly id: string; readonly text: string }[] = [];
  let [seen, weight] = [0, 0];
  for (const pair of toolPairs(history).reverse()) {
    if (!pair.result) continue;
    const text = replacing.textOf(pair.result?.tool_use_id ?? "") ?? textOf(pair.result?.content);
    const done = isDone(text);
    if (done === "end") break;
    if (done === "skip") continue;
    const tokens = quarterTokens(text);
    seen += tokens;
    if (seen <= kept) continue;
    weight += tokens;
    old.push({ id: pair.id, text });
  }
  return { old, weight };
}

const PRUNE_PROTECTED = 40_000;
const PRUNE_LEAST = 20_000;
/** The two turns that had ended when it ran, and the one that has just begun. */
const PROTECTED_TURNS = 3;

/** Clears results behind the newest 40,000 tokens of them, if that frees more than 20,000. */
function pruneOld(history: History, replacing: Replacing) {
  const turns = history.flatMap((item, at) => (isUserInput(item) ? [at] : []));
  const before = history.slice(0, turns.at(-PROTECTED_TURNS) ?? 0);
  const isDone = (text: string) => (text === CLEARED ? "end" : undefined);
  const { old, weight } = beyondNewest(before, replacing, PRUNE_PROTECTED, isDone);
  if (weight > PRUNE_LEAST) for (const { id } of old) replacing.set(id, CLEARED);
}

const MASK_PROTECTED = 50_000;
const MASK_LEAST = 30_000;
const PREVIEW = 250;
const MASK = "<tool_output_masked>";

/** Shows only the ends of results behind the newest 50,000 tokens of them, once those are 30,000. */
function maskOld(history: History, replacing: Replacing) {
  const isDone = (text: string) => (text.startsWith(MASK) ? "skip" : undefined);
  // The newest message is left alone.
  const { old, weight } = beyondNewest(history.slice(0, -1), replacing, MASK_PROTECTED, isDone);
  if (weight < MASK_LEAST) return;
  for (const { id, text } of old) {
    const masked = `${MASK}\n${text.slice(0, PREVIEW)}\n...\n${text.slice(-PREVIEW)}\nFull output: tool-outputs/${id}.txt`;
    if (masked.length < text.length) replacing.set(id, masked);
  }
}

const PEER_OUTPUT_RESERVE = 20_000;

/** First the newest messages of the user, as far as they fit. */
function userMessages(history: History, budget: number) {
  const kept: HistoryItem[] = [];
  let room = budget;
  for (const item of history.filter(isUserInput).reverse()) {
    const text = readableText(item.message);
    const tokens = quarterTokens(text);
    if (tokens > room) {
      const cut = text.slice(0, room * 4);
      if (cut !== "") kept.push({ ...item, message: { role: "user", content: cut } });
      break;
    }
    kept.push(item);
    room -= tokens;
  }
  return kept.reverse();
}

/** The files that were read and changed, as lines under a summary. */
function withFileNames(summary: HistoryItem, history: History): HistoryItem {
  const files = new Set<string>();
  for (const { message } of history)
    for (const { input } of blocksOf(message).filter((block) => block.type === "tool_use"))
      if (typeof input === "object" && input !== null && "file_path" in input)
        files.add(String(input.file_path));
  const earlier = history.find(({ compactSummary }) => compactSummary);
  const listed = earlier ? textOf(earlier.message.content).match(/^file: .*$/gm) : null;
  const lines = new Set([...(listed ?? []), ...[...files].map((file) => `file: ${file}`)]);
  const content = [textOf(summary.message.content), ...lines].join("\n");
  return { ...summary, message: { role: "user", content } };
}

const opencode = (name: string, describe: string, prunes: boolean): Policy => ({
  name,
  describe,
  kind: "peer",
  origin: {
    who: prunes ? "opencode, compaction.prune on" : "opencode",
    source: "sst/opencode, session/compaction.ts and tool/truncation.ts",
    asOf: "2026-08-19",
    leftOut: "results cut for the summariser; its own summary template",
  },
  start({ window, model }) {
    const replacing = new Replacing();
    const usable = window - Math.min(PEER_OUTPUT_RESERVE, model.maxOutput);
    const tail = Math.min(15_000, Math.max(2_000, usable / 4));
    let cuts: CutResult[] = [];
    return {
      cuts: () => cuts,
      view({ history }) {
        cuts = cutOnArrival(history, replacing, cutToFirstLines);
        const newest = history.at(-1);
        if (prunes && newest && isUserInput(newest)) pruneOld(history, replacing);
        return replacing.show(history);
      },
      compaction: {
        isDue: (_view, tokens) => tokens >= usable,
        after: (history, summary) => [summary, ...tailWithin(history, tail)],
      },
    };
  },
});

function cutToFirstLines(text: string) {
  const lines = text.split("\n").slice(0, 2_000).join("\n");
  return lines.slice(0, 50 * 1_024);
}

const GEMINI_CUT = 40_000;

function headAndTail(text: string) {
  if (text.length <= GEMINI_CUT) return text;
  return `${text.slice(0, GEMINI_CUT / 5)}\n...\n${text.slice(-(GEMINI_CUT / 5) * 4)}`;
}

const geminiCli: Policy = {
  name: "gemini-cli",
  describe:
    "masks tool results beyond the newest 50,000 tokens; compresses at half of the window, keeps the last 30 %",
  kind: "peer",
  origin: {
    who: "Gemini CLI",
    source: "google-gemini/gemini-cli, toolOutputMaskingService.ts and chatCompressionService.ts",
    asOf: "2026-08-21",
    leftOut: "the graph pipeline that is off by default",
  },
  start({ window }) {
    const replacing = new Replacing();
    let cuts: CutResult[] = [];
    return {
      cuts: () => cuts,
      view({ history }) {
        cuts = cutOnArrival(history, replacing, headAndTail);
        maskOld(history, replacing);
        return replacing.show(history);
      },
      compaction: {
        // A second call checks what the first one wrote.
        calls: 2,
        isDue: (_view, tokens) => tokens > window / 2,
        after: (history, summary) => [summary, ...history.slice(lastThird(history))],
      },
    };
  },
};

/** The first turn of the user behind 70 % of the characters; without one, the newest group. */
function lastThird(history: History) {
  const lengths = history.map(({ message }) => readableText(message).length);
  const all = sumOf(lengths, (length) => length);
  const starts = new Set(userTurns(history).map(({ start }) => start));
  let before = 0;
  for (const [at, length] of lengths.entries()) {
    if (before >= all * 0.7 && starts.has(at)) return at;
    before += length;
  }
  return lastGroup(history);
}

const codex: Policy = {
  name: "codex",
  describe: "compacts at 90 % of the window to a summary and up to 20,000 tokens of the user's messages",
  kind: "peer",
  origin: {
    who: "OpenAI Codex, local compaction",
    source: "openai/codex, codex-rs/core/src/compact.rs",
    asOf: "2026-08-22",
    leftOut: "compaction on OpenAI's servers, which only its own models have",
  },
  start: ({ window }) => ({
    view: ({ history }) => history,
    compaction: {
      isDue: (_view, tokens) => tokens > window * 0.9,
      after: (history, summary) => [...userMessages(history, 20_000), summary],
    },
  }),
};

const pi: Policy = {
  name: "pi",
  describe: "compacts 16,384 tokens before the window's end and keeps the newest 20,000 tokens",
  kind: "peer",
  origin: {
    who: "pi",
    source: "badlogic/pi-mono, coding-agent/src/core/compaction",
    asOf: "2026-03-15",
    leftOut: "the second summary of a turn that is cut in two",
  },
  start: ({ window }) => ({
    view: ({ history }) => history,
    compaction: {
      isDue: (_view, tokens) => tokens > window - 16_384,
      after: (history, summary) => [withFileNames(summary, history), ...tailWithin(history, 20_000)],
    },
  }),
};

const MOST_EVENTS = 240;
const KEPT_FIRST = 2;

/** Calls, results and messages, each one event. */
function eventsIn({ message }: HistoryItem) {
  const blocks = blocksOf(message);
  const parts = blocks.filter(({ type }) => type === "tool_use" || type === "tool_result").length;
  return Math.max(1, parts);
}

const openhands: Policy = {
  name: "openhands",
  describe: "condenses above 240 events to the first message, a summary and the newest 117",
  kind: "peer",
  origin: {
    who: "OpenHands SDK",
    source: "OpenHands/software-agent-sdk, LLMSummarizingCondenser",
    asOf: "2026-08-22",
    leftOut: "its hard reset",
  },
  start: ({ window }) => ({
    view: ({ history }) => history,
    compaction: {
      isDue: (view, tokens) => sumOf(view, eventsIn) > MOST_EVENTS || tokens > window - PEER_OUTPUT_RESERVE,
      after(history, summary) {
        const [first, ...rest] = history;
        const tail = tailWithin(rest, MOST_EVENTS / 2 - KEPT_FIRST - 1, eventsIn);
        return first && canLead(first) ? [first, summary, ...tail] : [summary, ...tail];
      },
    },
  }),
};

function canLead({ message, compactSummary }: HistoryItem) {
  return message.role === "user" && !compactSummary;
}

export const peerPolicies: readonly Policy[] = [
  opencode(
    "opencode",
    "cuts results at 2,000 lines or 50 KB; compacts 20,000 tokens before the window's end, keeps the last 15,000",
    false,
  ),
  opencode(
    "opencode-prune",
    "the same, and clears results beyond the newest 40,000 tokens once that frees 20,000",
    true,
  ),
  geminiCli,
  codex,
  pi,
  openhands,
];
