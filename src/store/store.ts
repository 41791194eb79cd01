// The store: all roles in one asynchronous contract that does not depend on SQLite.
import type { AccountStore } from "./accounts.ts";
import type { EventStore } from "./events.ts";
import type { JobQueue } from "./jobQueue.ts";
import type { KnowledgeStore } from "./model.ts";
import type { OverviewStore } from "./overview.ts";
import type { SearchIndex } from "./searchIndex.ts";
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
    UpkeepStore {
  close(): Promise<void>;
}
