// A session's window as the inspector describes it: points, parts, events, texts and cost.

import type { Account } from "../store/index.ts";

/** What the requests of a session cost, without what was saved. */
export type SessionCost = Omit<Account, "savedTokens" | "savedDollars" | "compactions" | "results">;

/** What the live window cost, from the usage of its responses, and what the same work would have cost without edits. */
export interface LiveCost {
  readonly requests: number;
  /** Dollars with edits and without, output and subagents included. */
  readonly measured: number;
  readonly without: number;
  /** Misses of a warm cache, those that edits caused, and the tokens that these wrote anew. */
  readonly misses: number;
  readonly ownMisses: number;
  readonly ownMissedTokens: number;
  /** How often the API named each reason of a miss. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** What a window is made of, in the order in which a chart stacks it. */
export const windowParts = [
  "system",
  "tools",
  "summary",
  "user",
  "assistant",
  "results",
  "spilled",
  "cleared",
] as const;

export type WindowPart = (typeof windowParts)[number];

/** One request to the model. `spilled` and `cleared` are what stands in the window for what was taken out. */
export interface WindowPoint {
  /** Its number among all requests, from 0; absent where every request has its point. */
  readonly request?: number;
  /** When its answer came. */
  readonly at: string;
  readonly model: string;
  readonly tokens: Readonly<Record<WindowPart, number>>;
  /** Tokens that were out of sight at this request. */
  readonly outOfSight: number;
  /** As the provider reported them. */
  readonly usage?: {
    readonly input: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly output: number;
  };
}

/** A compaction or an edit of the window. */
export interface WindowEvent {
  /** What `/api/window/event` and undo take. */
  readonly id: string;
  readonly at: string;
  /** The request that first saw it: an index into `points`; their number when none has yet. */
  readonly point: number;
  readonly kind: "compaction" | "edit" | "undo";
  /** The kind of edit as the ledger names it, or of the agent's own boundary. */
  readonly what: string;
  /** Which level decided, or `agent` for what the agent did by itself. */
  readonly level: string;
  readonly by: "here" | "host" | "server" | "agent";
  /** In words. */
  readonly why: string;
  readonly before: number;
  readonly after: number;
  readonly handles: readonly string[];
  readonly undone: boolean;
  /** Whether it can be taken back; `reason` says why not. */
  readonly undo: { readonly legal: boolean; readonly reason?: string };
}

/** `GET /api/window?session=ID`. */
export interface WindowView {
  readonly session: string;
  /** The model's window; absent when the model is not known. */
  readonly limit?: number;
  readonly points: readonly WindowPoint[];
  readonly events: readonly WindowEvent[];
  /** Absent without a transcript. */
  readonly cost?: SessionCost;
  /** Absent where no request was edited. */
  readonly live?: LiveCost;
  /** What the reader should know: `no-transcript`, `tools-in-system` (they cannot be told apart), `thinned-out`. */
  readonly notes: readonly string[];
}

/** `GET /api/window/event?session=ID&event=ID`: texts of what was there and of what stands there now, cut to a size. */
export interface WindowEventDetail {
  readonly event: WindowEvent;
  readonly before: readonly WindowText[];
  readonly after: readonly WindowText[];
  /** Texts between the first ones and the last ones that are not shown. */
  readonly leftOut: { readonly before: number; readonly after: number };
}

export interface WindowText {
  /** `user`, `assistant`, a tool's name, `summary`. */
  readonly speaker: string;
  readonly text: string;
  /** Characters that were cut off. */
  readonly cut: number;
  readonly handle?: string;
}

/** Texts as far as they are shown: `leftOut` between the first ones and the last ones are not. */
interface ShownTexts {
  readonly texts: readonly WindowText[];
  readonly leftOut: number;
}

/** A request of a comparison: its number from 0, when its answer came, and the size of its prompt. */
export interface ComparedRequest {
  readonly request: number;
  readonly at: string;
  readonly tokens: number;
}

/** `GET /api/window/compare?session=ID&from=4&to=20`: what differs between the windows of two requests. */
export interface WindowComparison {
  readonly from: ComparedRequest;
  readonly to: ComparedRequest;
  /** Texts that both have. */
  readonly same: number;
  /** In the first one alone, and in the second one alone. */
  readonly left: ShownTexts;
  readonly came: ShownTexts;
  /** In both with other words: the same places, before and after. */
  readonly changed: { readonly before: ShownTexts; readonly after: ShownTexts };
}

/** `GET /api/window/preview?session=ID`: what a compaction would leave if it were made now, without a model. */
export interface CompactionPreview {
  /** Tokens of the request without it and with it. */
  readonly before: number;
  readonly after: number;
  /** Messages that stay word for word, and all that are sent. */
  readonly kept: number;
  readonly messages: number;
  /** Where the words come from. */
  readonly from: string;
  readonly summary: readonly string[];
}

/** `GET /api/recall?handle=tl:…&offset=0`: exact text out of the vault, page by page. */
export interface RecallPage {
  readonly handle: string;
  readonly text: string;
  /** Absent at the end. */
  readonly next?: number;
  readonly bytes: number;
}

/** `POST /api/undo { session, entry }`. */
export interface Undoing {
  readonly undone: readonly string[];
  /** Why it is not carried out at once, where the model's rules make it wait. */
  readonly waiting?: string;
}

export interface Savings {
  /** Tokens kept out of windows, and what they would have cost to read once more with each request. */
  readonly tokens: number;
  readonly dollars: number;
  readonly compactions: number;
  readonly results: number;
  /** Of the input of known sessions, what came from the provider's cache; 0 to 1. */
  readonly cacheShare?: number;
  /** Whether sessions are still being counted: the numbers will grow. */
  readonly isCounting: boolean;
}
