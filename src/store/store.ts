// The store: all roles in one asynchronous contract that does not depend on SQLite.
import { defined } from "../lib/index.ts";
import type { AccountStore } from "./accounts.ts";
import type { EventStore } from "./events.ts";
import type { JobQueue } from "./jobQueue.ts";
import type { KnowledgeStore, Page, PageRequest } from "./model.ts";
import type { OverviewStore } from "./overview.ts";
import type { SearchIndex } from "./searchIndex.ts";
import type { SyncStore } from "./sync.ts";
import type { UpkeepStore } from "./upkeep.ts";

/**
 * Every method either does all it says or throws and changes nothing. What has resolved survives a crash. Callers take the
 * role that they need.
 */
export interface Store
  extends EventStore,
    KnowledgeStore,
    JobQueue,
    SearchIndex,
    OverviewStore,
    AccountStore,
    SyncStore,
    UpkeepStore {
  close(): Promise<void>;
}

const ROWS_AT_ONCE = 500;

/** Every row of a list, read page by page. */
export async function* everyRow<T, R extends PageRequest>(
  list: (request: R) => Promise<Page<T>>,
  request: R,
): AsyncGenerator<T> {
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await list({ ...request, limit: ROWS_AT_ONCE, ...defined({ cursor }) });
    yield* items;
    cursor = next;
    if (cursor === undefined) return;
  }
}
