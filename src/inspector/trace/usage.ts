// What was spent and kept out of windows, by quarter hours, so that days of any time zone can be added up from it.
import { isoTime, MINUTE, sumOf } from "../../lib/index.ts";
import type { SessionTrace, TraceStep } from "./model.ts";

/** As the provider reported it; nothing is estimated. */
export interface UsageSums {
  readonly requests: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Of the requests whose model has a price. */
  readonly dollars: number;
  /** Requests to models without a price. */
  readonly unpriced: number;
  /** Tokens that edits took out of windows, counted once for each edit. */
  readonly keptOutTokens: number;
}

/** A quarter of an hour in which something was spent. */
export interface UsageBucket extends UsageSums {
  readonly at: string;
}

const QUARTER = 15 * MINUTE;

const bucketOf = ({ at, ms = 0 }: TraceStep) => Math.floor((Date.parse(at) + ms) / QUARTER) * QUARTER;

function keptOut(step: TraceStep) {
  if (step.kind !== "edit") return 0;
  const { kind, by, undone, before, after } = step.event;
  return kind === "undo" || by === "agent" || undone ? 0 : Math.max(0, before - after);
}

function sumsOf(steps: readonly TraceStep[]): UsageSums {
  const requests = steps.filter((step) => step.kind === "request");
  return {
    requests: requests.length,
    inputTokens: sumOf(requests, ({ inputTokens }) => inputTokens),
    cachedTokens: sumOf(requests, ({ cachedTokens }) => cachedTokens),
    outputTokens: sumOf(requests, ({ outputTokens }) => outputTokens),
    dollars: sumOf(requests, ({ dollars = 0 }) => dollars),
    unpriced: requests.filter(({ dollars }) => dollars === undefined).length,
    keptOutTokens: sumOf(steps, keptOut),
  };
}

export function usageBuckets({ steps }: Pick<SessionTrace, "steps">): UsageBucket[] {
  const byTime = new Map<number, TraceStep[]>();
  for (const step of steps) {
    if (step.kind === "call") continue;
    const own = byTime.get(bucketOf(step));
    if (own) own.push(step);
    else byTime.set(bucketOf(step), [step]);
  }
  return [...byTime].map(([at, own]) => ({ at: isoTime(at), ...sumsOf(own) }));
}

export function addUsage(all: readonly UsageSums[]): UsageSums {
  const sum = (name: keyof UsageSums) => sumOf(all, (one) => one[name]);
  return {
    requests: sum("requests"),
    inputTokens: sum("inputTokens"),
    cachedTokens: sum("cachedTokens"),
    outputTokens: sum("outputTokens"),
    dollars: sum("dollars"),
    unpriced: sum("unpriced"),
    keptOutTokens: sum("keptOutTokens"),
  };
}
