// Damage to a small store: every row that SQLite still returns comes back, without a worker around it.
import { describeRecovery } from "./damageRecovery.ts";

describeRecovery("first");
