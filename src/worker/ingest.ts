// From captured events to kept ones: each gets its project and its whole output, loses its secrets, and is stored once.
import { randomBytes } from "node:crypto";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorText, type JsonObject, projectOf, writeFileAtomic } from "../lib/index.ts";
import type { CapturedEvent } from "../spool/index.ts";
import { isStoreTrouble, type NewMessage, type RedactedEvent, type Store } from "../store/index.ts";
import { fairTurns } from "./fairTurns.ts";
import type { Logger } from "./log.ts";
import { withWholeOutput } from "./outputs.ts";
import type { SaidMessage } from "./transcripts/transcriptMessages.ts";

export type RedactPayload = (payload: JsonObject) => Promise<JsonObject> | JsonObject;

interface IngestParts {
  readonly store: Pick<Store, "recordEvents">;
  readonly redact: RedactPayload;
  /** Where events go that cannot be kept; they stay there to be looked at. */
  readonly badFolder: string;
  readonly log: Logger;
  /** The project of a folder of work; found on the disk unless given. */
  readonly projectFor?: (cwd: string | undefined) => string;
}

interface Ingested {
  readonly added: number;
  readonly known: number;
  /** Events that were set aside. */
  readonly bad: number;
}

export interface Ingest {
  /** Rejects, and has lost nothing, when the store cannot keep anything now. */
  keep(events: readonly CapturedEvent[]): Promise<Ingested>;
}

const UNKNOWN_PROJECT = "unknown";
const REMEMBERED_FOLDERS = 1_000;

/** Finding a project walks the disk; sessions stay in the same few folders for a long time. */
export function projectFinder(): (cwd: string | undefined) => string {
  const known = new Map<string, string>();
  return (cwd) => {
    if (cwd === undefined) return UNKNOWN_PROJECT;
    const project = known.get(cwd) ?? projectOf(cwd).id;
    if (known.size >= REMEMBERED_FOLDERS) known.clear();
    known.set(cwd, project);
    return project;
  };
}

export function makeIngest(parts: IngestParts): Ingest {
  const { store, redact, badFolder, log, projectFor = projectFinder() } = parts;
  const redacted = async (event: CapturedEvent): Promise<RedactedEvent> => ({
    ...event,
    payload: await redact(withWholeOutput(event).payload),
    project: projectFor(event.cwd),
  });
  const setAside = (event: CapturedEvent, error: unknown): void => {
    const name = `${event.id}-${randomBytes(3).toString("hex")}.json`;
    writeFileAtomic(path.join(badFolder, name), JSON.stringify(event));
    log.error({ event: event.id, kind: event.kind, problem: errorText(error) }, "event set aside");
  };
  /** One by one, so that what is wrong with one event is not the loss of the others. */
  const keepSingly = async (events: readonly CapturedEvent[], cause: unknown): Promise<Ingested> => {
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
  return {
    async keep(events) {
      try {
        const safe: RedactedEvent[] = [];
        const turn = fairTurns();
        for (const event of events) {
          safe.push(await redacted(event));
          await turn();
        }
        const { added, known } = await store.recordEvents(safe);
        return { added: added.length, known: known.length, bad: 0 };
      } catch (error) {
        return await keepSingly(events, error);
      } finally {
        // The engine may never leave the loop to others by itself, and hooks wait for answers.
        await nextTurn();
      }
    },
  };
}

/** Past messages go the same way as events: each gets its project and loses its secrets, and is stored once. */
export async function keepMessages(
  { store, redact }: { readonly store: Pick<Store, "addMessages">; readonly redact: RedactPayload },
  session: string,
  messages: readonly SaidMessage[],
  projectFor = projectFinder(),
): Promise<number> {
  const safe: NewMessage[] = [];
  const turn = fairTurns();
  for (const { uuid, role, at, cwd, agent, text } of messages) {
    const redacted = await redact({ text });
    const about = { session, uuid, role, at: new Date(at).toISOString(), project: projectFor(cwd) };
    safe.push({ ...about, text: String(redacted.text), ...(agent === undefined ? {} : { agent }) });
    await turn();
  }
  return (await store.addMessages(safe)).added.length;
}
