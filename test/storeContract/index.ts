// What every engine must do: one suite, given a way to open an empty store of that engine.
import { describe } from "vitest";
import { accountsContract } from "./accounts.ts";
import { correctionsContract } from "./corrections.ts";
import { eventsContract } from "./events.ts";
import { feedContract } from "./feed.ts";
import { forgetContract } from "./forget.ts";
import { importsContract } from "./imports.ts";
import { queueContract } from "./jobQueue.ts";
import { knowledgeContract } from "./knowledge.ts";
import { overviewContract } from "./overview.ts";
import { pagesContract } from "./pages.ts";
import { indexContract } from "./searching.ts";
import type { StoreFactory } from "./setting.ts";
import { syncContract } from "./sync.ts";
import { transferContract } from "./transfer.ts";
import { upkeepContract } from "./upkeep.ts";
import { vectorsContract } from "./vectors.ts";

export function storeContract(engine: string, factory: StoreFactory): void {
  describe(`the ${engine} store`, () => {
    eventsContract(factory);
    pagesContract(factory);
    overviewContract(factory);
    accountsContract(factory);
    knowledgeContract(factory);
    correctionsContract(factory);
    indexContract(factory);
    vectorsContract(factory);
    queueContract(factory);
    feedContract(factory);
    forgetContract(factory);
    transferContract(factory);
    importsContract(factory);
    upkeepContract(factory);
    syncContract(factory);
  });
}
