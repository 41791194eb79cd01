// A whole copy of a database that others may be writing to.
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { ensureFolder, ThroughlineError } from "../../../lib/index.ts";
import type { Connection } from "../connection.ts";
import { explained } from "../failures.ts";
import { syncFile } from "../sync.ts";

/** The copy is private from its creation, and has its name only once it is whole and on disk. */
export function copyDatabase(db: Connection, target: string): { bytes: number } {
  if (existsSync(target)) {
    throw new ThroughlineError("usage", `${target} exists already`, {
      fix: "name a file that does not exist",
    });
  }
  ensureFolder(path.dirname(path.resolve(target)));
  const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    closeSync(openSync(temporary, "wx", 0o600));
    explained(db.file, () => db.prepare("VACUUM INTO ?").run(temporary));
    syncFile(temporary);
    renameSync(temporary, target);
    syncFile(target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return { bytes: statSync(target).size };
}
