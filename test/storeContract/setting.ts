// What the tests of the contract share: a store to try, a clock to turn, and rows to put in.
import type { RedactedEvent } from "../../src/store/events.ts";
import type { NewJob } from "../../src/store/jobQueue.ts";
import type { NewObservation } from "../../src/store/model.ts";
import type { Store } from "../../src/store/store.ts";

export interface Setting {
  readonly store: Store;
  /** Turned by the test. */
  readonly clock: { time: number };
  /** A private folder for files of the test. */
  readonly folder: string;
  /** Closes the store and opens the same data again. */
  readonly reopen: () => Promise<Store>;
  /** Another store, empty. */
  readonly another: () => Promise<Store>;
}

/** Opens an empty store, hands it over, and takes everything away afterwards. */
export type StoreFactory = (use: (setting: Setting) => Promise<void>) => () => Promise<void>;

export const START = Date.parse("2026-11-16T09:00:00.000Z");

export const isoAfter = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

/** An event `seconds` after the start; everything else can be said otherwise. */
export function event(id: string, seconds: number, more: Partial<RedactedEvent> = {}): RedactedEvent {
  return {
    v: 1,
    id: `ev_${id}`,
    kind: "tool",
    at: isoAfter(seconds),
    session: "s1",
    lane: "hooks",
    writer: "0.1.0",
    payload: { tool_name: "Bash", tool_use_id: id },
    project: "app-00000001",
    ...more,
  };
}

export function prompt(
  id: string,
  seconds: number,
  text: string,
  more: Partial<RedactedEvent> = {},
): RedactedEvent {
  return event(id, seconds, { kind: "prompt", payload: { prompt: text }, ...more });
}

export function observation(
  uid: string,
  seconds: number,
  more: Partial<NewObservation> = {},
): NewObservation {
  return {
    uid,
    session: "s1",
    project: "app-00000001",
    promptNumber: 1,
    at: isoAfter(seconds),
    type: "discovery",
    title: `found ${uid}`,
    ...more,
  };
}

/** Everything of a list, page by page. */
export async function everyPage<T>(
  size: number,
  page: (request: { limit: number; cursor?: string }) => Promise<{ items: readonly T[]; next?: string }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await page(cursor === undefined ? { limit: size } : { limit: size, cursor });
    all.push(...items);
    cursor = next;
  } while (cursor !== undefined);
  return all;
}

/** Adds jobs as completed work does. */
export async function addJobs(store: Store, jobs: readonly NewJob[]): Promise<void> {
  await store.completeJobs({ ids: [], worker: "test", jobs });
}

/** Adds a session on which a model worked, as an export has it. */
export async function importSession(store: Store, session: string, sdkSessionId: string): Promise<void> {
  const at = isoAfter(15);
  const about = { session, project: "app-00000001", at, lastActivityAt: at, promptCounter: 0 };
  async function* lines(): AsyncGenerator<string> {
    yield JSON.stringify({ throughline: "export", version: 1 });
    yield JSON.stringify({ type: "session", ...about, status: "active", sdkSessionId });
  }
  await store.importLines(lines());
}
