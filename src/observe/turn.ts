// A turn as its observations are written from: the events that were kept of it, read once, with an action for each call.
import {
  type Action,
  actionOf,
  type CapturedEvent,
  callOfEvent,
  type Fix,
  fixesIn,
  parseAgentSummary,
  type SummedUp,
  type ToolCall,
} from "../activity/index.ts";
import type { Language } from "../home/index.ts";
import { type Phrases, phrasesOf } from "./phrases.ts";

/** A turn, or the part of one that is to be observed now. Its texts are redacted before they come here. */
export interface Turn {
  /** The user's words; empty for a subagent, which the user did not ask. */
  readonly request: string;
  readonly calls: readonly ToolCall[];
  /** One for each call, those that were observed before among them. */
  readonly actions: readonly Action[];
  /** The actions to be observed, without the agent's own books: reading the memory is nothing to remember. */
  readonly fresh: readonly Action[];
  /** What the assistant said at the end; empty where the turn goes on. */
  readonly words: string;
  /** What the assistant said before the user spoke: a "yes" says nothing without it. */
  readonly before: string;
  /** The rows that hold the request, the closing words, and what was said before. */
  readonly rows: {
    readonly request?: string | undefined;
    readonly words?: string | undefined;
    readonly before?: string | undefined;
  };
  /** The agent's own summary, where the conversation was compacted during the turn. */
  readonly agentSummary?: SummedUp | undefined;
  /** Subagents are observed by themselves: their reports are not repeated. */
  readonly reported: boolean;
  /** It has not ended here: what follows tells what came of what failed. */
  readonly goesOn: boolean;
  readonly phrases: Phrases;
}

/** What its events do not say of a turn. */
export interface TurnSetting {
  /** The calls to be observed, by their ids; the others explain these. All of them unless given. */
  readonly fresh?: readonly string[];
  /** The working folder: paths below it are written relative to it. */
  readonly folder?: string | undefined;
  readonly reported?: boolean;
  readonly goesOn?: boolean;
  readonly language?: Language;
}

type TurnTexts = Pick<Turn, "request" | "calls" | "words"> &
  Partial<Pick<Turn, "before" | "rows" | "agentSummary">>;

export function makeTurn(
  texts: TurnTexts,
  { fresh, folder, reported = false, goesOn = false, language }: TurnSetting = {},
): Turn {
  const actions = texts.calls.map((call) => actionOf(call, folder));
  return {
    before: "",
    rows: {},
    ...texts,
    actions,
    fresh: actions.filter(({ id, kind }) => kind !== "upkeep" && (fresh === undefined || fresh.includes(id))),
    // Claude Code records this text for the assistant when no answer was requested.
    words: texts.words.trim() === "No response requested." ? "" : texts.words,
    reported,
    goesOn,
    phrases: phrasesOf(language),
  };
}

/** Repairs of the turn that these actions are part of. */
export const fixesOf = (actions: readonly Action[], turn: Turn): readonly Fix[] =>
  fixesIn(turn.actions).filter((fix) => fix.actions.some((action) => actions.includes(action)));

/** A longer answer says at its end what the user replies to. */
const LONGEST_BEFORE = 4_000;

const text = (value: unknown) => (typeof value === "string" ? value : "");

const isStop = ({ kind }: CapturedEvent) => kind === "stop" || kind === "subagent-stop";

/** An end before the first prompt is that of the turn before. A call is named by its event's id. */
export function turnOfEvents(events: readonly CapturedEvent[], setting?: TurnSetting): Turn {
  const prompts = events.filter(({ kind }) => kind === "prompt");
  const start = events.findIndex(({ kind }) => kind === "prompt");
  const before = events.slice(0, Math.max(0, start)).findLast(isStop);
  const stop = events.slice(Math.max(0, start)).findLast(isStop);
  const words = text(stop?.payload.last_assistant_message);
  const at = events.findLastIndex(({ kind }) => kind === "post-compact");
  const parts = parseAgentSummary(text(events[at]?.payload.compact_summary));
  const texts = {
    request: prompts.map(({ payload }) => text(payload.prompt)).join("\n"),
    calls: events.flatMap(callOfEvent),
    words,
    before: text(before?.payload.last_assistant_message).slice(-LONGEST_BEFORE),
    rows: { request: prompts[0]?.id, words: stop?.id, before: before?.id },
    ...(parts && { agentSummary: { at, row: events[at]?.id ?? "", parts, isOvertaken: words !== "" } }),
  };
  return makeTurn(texts, setting);
}
