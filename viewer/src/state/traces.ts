// Figures and steps of turns, read from the worker when they come into view, kept while the page is open, and read again when
// their session goes on.
import { effect, signal } from "@preact/signals";
import type { SessionTrace, TraceStep, TurnFigures } from "../../../src/http/wire.ts";
import { ApiError, getJson, reconnects } from "./api.ts";
import { lastRow } from "./feed.ts";

/** `gone`: the transcript is not there any more, and nothing but the stored rows is known. */
export interface KnownTrace {
  readonly turns: readonly TurnFigures[];
  readonly state: "loading" | "known" | "gone";
  /** The steps of turns that were opened, by turn. */
  readonly steps: ReadonlyMap<number, readonly TraceStep[]>;
}

const RELOAD_AFTER_MS = 1_500;
const REQUESTS_AT_ONCE = 2;
/** More than one screen shows; those that were read last are kept. */
const MOST_TRACES = 60;

export const traces = signal<ReadonlyMap<string, KnownTrace>>(new Map());

const unknownTrace: KnownTrace = { turns: [], state: "loading", steps: new Map() };

function keep(session: string, change: Partial<KnownTrace>) {
  const before = traces.value.get(session) ?? unknownTrace;
  const known = new Map(traces.value);
  known.delete(session);
  known.set(session, { ...before, ...change });
  for (const oldest of [...known.keys()].slice(0, -MOST_TRACES)) {
    known.delete(oldest);
    for (const name of requested) if (name.startsWith(`${oldest} `)) requested.delete(name);
  }
  traces.value = known;
}

/** Steps that were read, as session and turn. */
const requested = new Set<string>();

/** Requests that wait for their turn: the worker reads one transcript after the other anyway. */
const waiting: (() => Promise<void>)[] = [];
let running = 0;

function next() {
  while (running < REQUESTS_AT_ONCE && waiting.length > 0) {
    running += 1;
    void waiting
      .shift()?.()
      .finally(() => {
        running -= 1;
        next();
      });
  }
}

function request(session: string, turn: number | "all" | undefined, done: (trace: SessionTrace) => void) {
  waiting.push(async () => {
    try {
      done(await getJson<SessionTrace>("/api/trace", { session, turn }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A worker that is away is asked again when it is back.
      if (error.problem.code !== "away") keep(session, { state: "gone" });
    }
  });
  next();
}

const keepFigures = ({ session, turns, hasTranscript }: SessionTrace) =>
  keep(session, { turns, state: hasTranscript ? "known" : "gone" });

/** Reads the figures of a session once. */
export function loadFigures(session: string) {
  if (traces.peek().has(session)) return;
  keep(session, {});
  request(session, undefined, keepFigures);
}

/** Reads the steps of a turn once, or those of all turns. */
export function loadSteps(session: string, turn: number | "all") {
  const name = `${session} ${turn}`;
  if (requested.has(name) || requested.has(`${session} all`)) return;
  requested.add(name);
  request(session, turn, (trace) => {
    keepFigures(trace);
    const steps = new Map(traces.value.get(session)?.steps);
    if (turn !== "all") steps.set(turn, trace.steps);
    else {
      for (const { turn: number } of trace.turns) steps.set(number, []);
      for (const step of trace.steps) (steps.get(step.turn) as TraceStep[] | undefined)?.push(step);
    }
    keep(session, { steps });
  });
}

/** Reads a session again, with the steps that are shown. */
function reload(session: string) {
  const known = traces.peek().get(session);
  if (!known || known.state === "loading") return;
  const shown = requested.has(`${session} all`) ? (["all"] as const) : [...known.steps.keys()];
  for (const turn of shown) requested.delete(`${session} ${turn}`);
  if (shown.length === 0) request(session, undefined, keepFigures);
  for (const turn of shown) loadSteps(session, turn);
}

const timers = new Map<string, ReturnType<typeof setTimeout>>();

effect(() => {
  const session = lastRow.value?.session;
  if (session === undefined || !traces.peek().has(session)) return;
  clearTimeout(timers.get(session));
  timers.set(
    session,
    setTimeout(() => reload(session), RELOAD_AFTER_MS),
  );
});

reconnects.subscribe((count) => {
  if (count === 0) return;
  requested.clear();
  traces.value = new Map();
});
