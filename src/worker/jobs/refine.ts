// Observations in a model's words: what rules made stays until there is something better, and keeps its name then.

import type { Language } from "../../home/index.ts";
import {
  type Clock,
  defined,
  HOUR,
  isObject,
  type JsonObject,
  MINUTE,
  optionalString,
  SECOND,
} from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import type { LanguageModel, ModelError } from "../../models/index.ts";
import {
  isMarkedUndone,
  markUndone,
  type ObservationDraft,
  observeTurn,
  phrasesOf,
  type Refined,
  refineTurn,
  turnOfEvents,
} from "../../observe/index.ts";
import {
  type EventStore,
  everyRow,
  type Job,
  type KnowledgeStore,
  type RedactedEvent,
} from "../../store/index.ts";
import type { JobHandler, JobResult } from "../jobQueue.ts";
import { Postponed } from "../jobRetry.ts";
import { rowText } from "./observe.ts";

export interface RefiningParts {
  readonly store: Pick<EventStore, "eventsById" | "session"> & Pick<KnowledgeStore, "observations">;
  readonly model: () => LanguageModel | undefined;
  readonly redact: (text: string) => string;
  readonly language: () => Language;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn">;
}

export function refiningHandlers(parts: RefiningParts): ReadonlyMap<string, JobHandler> {
  const gate = makeGate(parts.clock);
  const refine: JobHandler = async (job, { signal }) => {
    const model = parts.model();
    const events = await parts.store.eventsById(strings(job.payload.events));
    const turn = turnFrom(events, job.payload, parts.language());
    // No model is set any more, or the events are gone.
    if (!model || !turn) return {};
    gate.pass();
    const session = await modelSessionOf(parts.store, job);
    const observed = observeTurn(turn);
    const refined = await refineTurn({ turn, observed, model, redact: parts.redact, signal, ...session });
    if (refined.ok) {
      gate.open();
      if (refined.rejected > 0)
        parts.log.info({ session: job.session, rejected: refined.rejected }, "refine.items-rejected");
      return resultOf(refined, job, { events, marked: await markingUndone(parts, events) });
    }
    if (refined.why === "model") throw gate.close(refined.error);
    parts.log.warn({ session: job.session }, "refine.answer-unusable");
    return {};
  };
  return new Map([["refine", refine]]);
}

/** One model session words all turns of a session. */
async function modelSessionOf(store: RefiningParts["store"], { session: key }: Job) {
  if (key === undefined) return {};
  const resume = (await store.session(key))?.sdkSessionId;
  return { session: { key, ...(resume !== undefined && { resume }) } };
}

const strings = (value: unknown) =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** The turn as it was when its rows were made; undefined where its events are gone. */
function turnFrom(events: readonly RedactedEvent[], payload: JsonObject, language: Language) {
  const { folder, reported } = payload;
  const there = new Set(events.map(({ id }) => id));
  const fresh = strings(payload.fresh).filter((id) => there.has(id));
  if (fresh.length === 0) return undefined;
  return turnOfEvents(events, {
    fresh,
    folder: optionalString(folder),
    reported: reported === true,
    language,
  });
}

/** Marks the drafts whose rows a later turn has marked as undone: the drafts are made of their own turn alone. */
async function markingUndone({ store, language }: RefiningParts, events: readonly RedactedEvent[]) {
  const times = events.map(({ at }) => Date.parse(at));
  const [from, to] = [Math.min(...times), Math.max(...times) + 1].map((time) => new Date(time).toISOString());
  const session = events[0]?.session;
  const undone = new Set<string>();
  for await (const row of everyRow(store.observations, defined({ session, from, to })))
    if (isMarkedUndone(row)) undone.add(row.uid);
  return (draft: ObservationDraft) =>
    undone.has(rowText(draft).uid) ? markUndone(draft, phrasesOf(language())) : draft;
}

interface ResultContext {
  readonly events: readonly RedactedEvent[];
  readonly marked: (draft: ObservationDraft) => ObservationDraft;
}

function resultOf(refined: Refined & { ok: true }, job: Job, { events, marked }: ResultContext): JobResult {
  const { observed, added, dropped, session: modelSession } = refined;
  const { session } = job;
  const { summary: summaryUid } = job.payload;
  const { summary } = observed;
  return {
    observations: added.flatMap((draft) => {
      const last = events.findLast(({ id }) => draft.sources.includes(id));
      if (!last) return [];
      const { session, project, promptNumber = 0, at } = last;
      return [{ ...rowText(draft), session, project, promptNumber, at }];
    }),
    revisions: {
      observations: observed.observations.map(marked).map(rowText),
      summaries: typeof summaryUid === "string" && isObject(summary) ? [{ ...summary, uid: summaryUid }] : [],
      dropped: dropped.map(({ draft, reason }) => ({ uid: rowText(draft).uid, reason })),
      ...(session !== undefined && modelSession !== undefined && { by: { session, modelSession } }),
    },
  };
}

const SHORTEST_WAIT_MS = 5 * SECOND;
const LONGEST_MODEL_PAUSE_MS = 5 * MINUTE;

/** Keeps jobs from asking a model that does not answer. */
function makeGate(clock: Clock) {
  let [until, failures] = [0, 0];
  return {
    /** Throws while the model is not to be asked. */
    pass: () => {
      const wait = until - clock.now();
      if (wait > 0) throw new Postponed("the model is not there", wait);
    },
    open: () => {
      [until, failures] = [0, 0];
    },
    /** What the job that met the failure throws; jobs behind it wait too, instead of meeting the failure one by one. */
    close: (error: ModelError) => {
      // Interrupted from outside: no failure of the model.
      if (error.kind === "cancelled") return new Postponed("it was interrupted", 0);
      const asked = "retryAfter" in error ? error.retryAfter : undefined;
      const usual = Math.min(LONGEST_MODEL_PAUSE_MS, SHORTEST_WAIT_MS * 2 ** failures);
      const wait = error.kind === "over-budget" ? untilTomorrow(clock.now()) : (asked ?? usual);
      failures += 1;
      until = clock.now() + wait;
      return new Postponed(`${error.kind}: ${error.message}`, wait);
    },
  };
}

/** The budget is one of UTC days. */
function untilTomorrow(now: number) {
  const day = 24 * HOUR;
  return day - (now % day) + SECOND;
}
