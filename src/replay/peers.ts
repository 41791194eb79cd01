// Rules of other agents, emulated as they are written down, each with its source and its date.
// Where a rule leaves something open, it is taken as the peer would have it: a summary call reads the whole window from
// the cache, and the summary is the recorded one.

import { sumOf } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isUserInput,
  textOf,
  userTurns,
} from "../messages/index.ts";
import { readableText } from "./need.ts";
import type { Policy } from "./policies.ts";
import { cutOnArrival, lastGroup, maskOld, pruneOld, quarterTokens, Replacing, tailOf } from "./replacing.ts";

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
    return {
      view({ history }) {
        cutOnArrival(history, replacing, cutToFirstLines);
        const newest = history.at(-1);
        if (prunes && newest && isUserInput(newest)) pruneOld(history, replacing);
        return replacing.show(history);
      },
      compaction: {
        isDue: (_view, tokens) => tokens >= usable,
        after: (history, summary) => [summary, ...tailOf(history, tail)],
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
    return {
      view({ history }) {
        cutOnArrival(history, replacing, headAndTail);
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
      after: (history, summary) => [withFileNames(summary, history), ...tailOf(history, 20_000)],
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
        const tail = tailOf(rest, MOST_EVENTS / 2 - KEPT_FIRST - 1, eventsIn);
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
