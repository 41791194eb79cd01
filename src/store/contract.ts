// What every engine must do: one suite, given a way to open an empty store of that engine.
import { describe } from "vitest";
import { accountsContract } from "./contract/accounts.ts";
import { eventsContract } from "./contract/events.ts";
import { feedContract } from "./contract/feed.ts";
import { forgetContract } from "./contract/forget.ts";
import { importsContract } from "./contract/imports.ts";
import { knowledgeContract } from "./contract/knowledge.ts";
import { overviewContract } from "./contract/overview.ts";
import { pagesContract } from "./contract/pages.ts";
import { queueContract } from "./contract/queue.ts";
import { indexContract } from "./contract/searching.ts";
import type { StoreFactory } from "./contract/setting.ts";
import { transferContract } from "./contract/transfer.ts";
import { upkeepContract } from "./contract/upkeep.ts";
import { vectorsContract } from "./contract/vectors.ts";

export function storeContract(engine: string, factory: StoreFactory): void {
  describe(`the ${engine} store`, () => {
    eventsContract(factory);
    pagesContract(factory);
    overviewContract(factory);
    accountsContract(factory);
    knowledgeContract(factory);
    indexContract(factory);
    vectorsContract(factory);
    queueContract(factory);
    feedContract(factory);
    forgetContract(factory);
    transferContract(factory);
    importsContract(factory);
    upkeepContract(factory);
  });
}
