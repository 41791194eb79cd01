// From captured events to kept ones: each gets its project and its whole output, loses its secrets, and is stored once.
import { hostname } from "node:os";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type IsExcluded, projectOf } from "../home/index.ts";
import { BoundedMap, defined, errorText, givenText, type JsonObject, writeFileAtomic } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { OVERDUE_MARK, RedactionOverdue } from "../redact/index.ts";
import type { CapturedEvent } from "../spool/index.ts";
import {
  type EventStore,
  isStoreTrouble,
  type KnowledgeStore,
  type NewMessage,
  type RedactedEvent,
} from "../store/index.ts";
import { withWholeOutput } from "./outputs.ts";
import type { SaidMessage } from "./transcripts/transcriptMessages.ts";

/** Throws RedactionOverdue for a payload that takes too long. */
export type RedactPayload = (payload: JsonObject) => Promise<JsonObject> | JsonObject;

export interface IngestParts {
  readonly store: Pick<EventStore, "recordEvents">;
  readonly redact: RedactPayload;
  /** Whether nothing may be kept of work in a folder, by the settings of this moment. */
  readonly isExcluded: IsExcluded;
  /** Where events go that cannot be kept; they stay there to be looked at. */
  readonly badFolder: string;
  readonly log: Logger;
  /** The project of a folder of work; found on the disk unless given. */
  readonly projectFor?: (cwd: string | undefined) => string;
  /** Called with what was kept, and how many of it were new. */
  readonly onKept?: (events: readonly CapturedEvent[], added: number) => void;
}

interface Ingested {
  readonly added: number;
  readonly known: number;
  /** Events that were set aside. */
  readonly bad: number;
}

/** What watches events on their way into the store, without those that may not be kept. */
export interface IngestWatcher {
  /** Before they are kept: a crash in between must not leave a transcript unread. */
  noted(events: readonly CapturedEvent[]): void;
  kept(events: readonly CapturedEvent[]): void;
}

export interface Ingest {
  /** Rejects, and has lost nothing, when the store cannot keep anything now. */
  keep(events: readonly CapturedEvent[], watcher?: IngestWatcher): Promise<Ingested>;
}

const UNKNOWN_PROJECT = "unknown";
/** Fields of a payload that identify the event and hold nothing that a person or a tool wrote. */
const identifying = new Set([
  ...["hook_event_name", "session_id", "tool_name", "tool_use_id", "agent_id", "agent_type"],
  ...["cwd", "transcript_path", "source", "trigger", "reason", "permission_mode"],
]);

/** The shape of a payload without its content. */
function withheld(payload: JsonObject) {
  const entries = Object.entries(payload).map(([name, value]) => {
    const isKept = identifying.has(name) || typeof value === "number" || typeof value === "boolean";
    return [name, isKept ? value : OVERDUE_MARK];
  });
  return Object.fromEntries(entries);
}
const REMEMBERED_FOLDERS = 1_000;

/** Finding a project walks the disk; sessions stay in the same few folders for a long time. */
export function projectFinder(): (cwd: string | undefined) => string {
  const known = new BoundedMap<string, string>(REMEMBERED_FOLDERS);
  return (cwd) => (cwd === undefined ? UNKNOWN_PROJECT : known.remember(cwd, () => projectOf(cwd).id));
}

/** Writes an event that cannot be kept, with the reason, to where it can be looked at. */
function asideWriter({ badFolder, log }: IngestParts): (event: CapturedEvent, error: unknown) => void {
  return (event, error) => {
    const problem = errorText(error);
    // By its id: the same event is set aside once, however often it comes.
    writeFileAtomic(
      path.join(badFolder, `${event.id}.json`),
      JSON.stringify({ ...event, setAside: problem }),
    );
    log.error({ event: event.id, kind: event.kind, problem }, "event.set-aside");
  };
}

/** Events that say where a session was: they are small, and every session has one. */
const opensSession = ({ kind, lane }: CapturedEvent) =>
  lane !== "import" && (kind === "session-start" || kind === "prompt");

/** The payload with the name of this machine, where the event happened on it. */
const withMachine = (event: CapturedEvent, payload: JsonObject) =>
  opensSession(event) ? { ...payload, agent_machine: hostname() } : payload;

/** A payload whose redaction takes too long is stored without its content, and the queue goes on. */
function payloadRedactor(
  { redact }: IngestParts,
  setAside: (event: CapturedEvent, error: unknown) => void,
): (event: CapturedEvent) => Promise<JsonObject> {
  return async (event) => {
    try {
      return await redact(withWholeOutput(event).payload);
    } catch (error) {
      if (!(error instanceof RedactionOverdue)) throw error;
      setAside(event, error);
      return withheld(event.payload);
    }
  };
}

const isWithheld = ({ payload }: RedactedEvent) => Object.values(payload).includes(OVERDUE_MARK);

/** Those that may be kept. Throws, and nothing is lost, while it is not known what is excluded. */
function admitted(events: readonly CapturedEvent[], isExcluded: IsExcluded): readonly CapturedEvent[] {
  return events.filter(({ cwd, payload }) => !isExcluded(cwd, givenText(payload.project_dir)));
}

export function makeIngest(parts: IngestParts): Ingest {
  const { store, isExcluded, projectFor = projectFinder() } = parts;
  const setAside = asideWriter(parts);
  const redactedPayload = payloadRedactor(parts, setAside);
  const redacted = async (event: CapturedEvent) => ({
    ...event,
    payload: withMachine(event, await redactedPayload(event)),
    project: projectFor(event.cwd),
  });
  /** One by one, so that what is wrong with one event is not the loss of the others. */
  const keepSingly = async (events: readonly CapturedEvent[], cause: unknown) => {
    let [added, known] = [0, 0];
    const failed: { event: CapturedEvent; error: unknown }[] = [];
    for (const event of events) {
      try {
        const report = await store.recordEvents([await redacted(event)]);
        added += report.added.length;
        known += report.known.length;
      } catch (error) {
        // The store explains its own troubles: a full disk is no fault of the event that met it first.
        if (isStoreTrouble(error)) throw error;
        failed.push({ event, error });
      }
    }
    // Where nothing at all could be kept it is not the events that are at fault.
    if (added + known === 0) throw cause;
    for (const { event, error } of failed) setAside(event, error);
    return { added, known, bad: failed.length };
  };
  const keepTogether = async (events: readonly CapturedEvent[]) => {
    try {
      const safe: RedactedEvent[] = [];
      const turn = fairTurns();
      for (const event of events) {
        safe.push(await redacted(event));
        await turn();
      }
      const { added, known } = await store.recordEvents(safe);
      return { added: added.length, known: known.length, bad: safe.filter(isWithheld).length };
    } catch (error) {
      return await keepSingly(events, error);
    } finally {
      // The engine may never leave the loop to others by itself, and hooks wait for answers.
      await nextTurn();
    }
  };
  return {
    async keep(captured, watcher) {
      const events = admitted(captured, isExcluded);
      if (events.length === 0) return { added: 0, known: 0, bad: 0 };
      watcher?.noted(events);
      const report = await keepTogether(events);
      parts.onKept?.(events, report.added);
      watcher?.kept(events);
      return report;
    },
  };
}

async function redactedText(redact: RedactPayload, text: string) {
  try {
    return String((await redact({ text })).text);
  } catch (error) {
    if (!(error instanceof RedactionOverdue)) throw error;
    return OVERDUE_MARK;
  }
}

/** Past messages go the same way as events: each gets its project and loses its secrets, and is stored once. */
export async function keepMessages(
  {
    store,
    redact,
    isExcluded,
  }: Pick<IngestParts, "redact" | "isExcluded"> & {
    readonly store: Pick<KnowledgeStore, "addMessages">;
  },
  session: string,
  messages: readonly SaidMessage[],
  projectFor = projectFinder(),
) {
  const safe: NewMessage[] = [];
  const turn = fairTurns();
  for (const { uuid, role, at, cwd, agent, text } of messages) {
    if (isExcluded(cwd)) continue;
    const about = { session, uuid, role, at: new Date(at).toISOString(), project: projectFor(cwd) };
    safe.push({ ...about, text: await redactedText(redact, text), ...defined({ agent }) });
    await turn();
  }
  return (await store.addMessages(safe)).added.length;
}

const LONGEST_TURN_MS = 10;

/** To be awaited between two pieces of work; costs nothing while nothing else was held up. */
export function fairTurns(): () => Promise<void> {
  let heldSince = performance.now();
  return async () => {
    if (performance.now() - heldSince < LONGEST_TURN_MS) return;
    await nextTurn();
    heldSince = performance.now();
  };
}
