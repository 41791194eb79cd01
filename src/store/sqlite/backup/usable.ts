// Whether a database file can take the place of the present one, and whether the present one can be replaced.
import { existsSync } from "node:fs";
import { ThroughlineError } from "../../../lib/index.ts";
import { connect, numberFrom } from "../connection.ts";
import { releaseClosed } from "../driver.ts";
import { explained } from "../failures.ts";
import { checkDatabase } from "../schema/migrate.ts";
import { integrityCheck } from "../upkeep/upkeep.ts";
import { foldJournal, leaveJournal } from "./restore.ts";

/** Gives the number of its events. Throws when the file is not ours, newer, or damaged. Leaves no journal beside it. */
export async function requireUsable(file: string): Promise<number> {
  await checkDatabase(file);
  const db = await connect(file);
  try {
    const { ok, problems } = explained(file, () => integrityCheck(db));
    if (!ok) {
      throw new ThroughlineError("database-damaged", `${file} is damaged: ${problems[0]}`, {
        fix: "use another backup",
      });
    }
    leaveJournal(db);
    return explained(file, () => numberFrom(db.prepare("SELECT count(*) FROM events").get()));
  } finally {
    db.close();
    await releaseClosed();
  }
}

/** Throws `database-busy` when a process has the database open. One that is too damaged to be opened may be replaced. */
export async function requireClosed(file: string): Promise<void> {
  if (!existsSync(file)) return;
  await releaseClosed();
  await foldJournal(file);
  await releaseClosed();
}
