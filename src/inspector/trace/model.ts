// The trace of a session as the viewer gets it: its turns with their figures, and the steps of each in order.
import type { ToolCall } from "../../activity/index.ts";
import type { WindowEvent } from "../model.ts";

/** One turn: from an input of the user to just before the next one. */
export interface TurnFigures {
  /** Counted from 1; 0 is what stands before the first input. */
  readonly turn: number;
  /** `P12`, where the prompt is stored. */
  readonly ref?: string;
  readonly promptNumber?: number;
  readonly prompt: string;
  readonly at: string;
  /** Until its last row. */
  readonly ms: number;
  /** Absent while the assistant works on it. */
  readonly ended?: "answered" | "stopped";
  readonly requests: number;
  readonly calls: number;
  readonly failed: number;
  /** Edits and compactions of the window. */
  readonly edits: number;
  /** Tokens of all its requests, as the provider reported them. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By the model table; absent when a model has no price. */
  readonly dollars?: number;
}

interface Step {
  readonly turn: number;
  /** When it began. */
  readonly at: string;
  /** Absent while it is not over. */
  readonly ms?: number;
}

/** A request to the model and its answer. */
export interface RequestStep extends Step {
  readonly kind: "request";
  readonly id: string;
  /** Its place among the answered requests: the number of its point in the window's chart, from 0. */
  readonly point: number;
  readonly model?: string;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly dollars?: number;
  /** How long it thought before the first word or call, where the transcript says so. */
  readonly thinkingMs?: number;
  /** The beginning of what it said. */
  readonly says?: string;
}

/** A call of a tool. */
export interface CallStep extends Step {
  readonly kind: "call";
  readonly id: string;
  readonly tool: string;
  /** In one line. */
  readonly line: string;
  readonly outcome: ToolCall["outcome"];
  /** 0 for calls of the main thread, 1 for those of a subagent, and so on. */
  readonly depth: number;
}

/** An edit of the window that this request was the first to see. */
export interface EditStep extends Step {
  readonly kind: "edit";
  readonly id: string;
  readonly event: WindowEvent;
}

export type TraceStep = RequestStep | CallStep | EditStep;

/** `GET /api/trace?session=ID`; with `turn=N` the steps of that turn alone. */
export interface SessionTrace {
  readonly session: string;
  readonly turns: readonly TurnFigures[];
  readonly steps: readonly TraceStep[];
  /** False when the transcript is gone: then there are neither turns nor steps. */
  readonly hasTranscript: boolean;
}

interface FoldedText {
  readonly text: string;
  /** Characters that were cut off. */
  readonly cut: number;
}

/** `GET /api/trace/call?session=ID&call=ID`. */
export interface CallDetail {
  readonly id: string;
  readonly tool: string;
  readonly input: FoldedText;
  readonly output: FoldedText;
}
