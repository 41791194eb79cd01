// `throughline server import` and `export`: a whole store to the server and back.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { notFoundError } from "../../../lib/index.ts";
import { exportStore, importStore, type Moved, type TeamDatabase } from "../../../server/index.ts";
import { openStore } from "../../../store/index.ts";
import { commandContext, withDatabase } from "../../context.ts";
import { counted, formatNumber } from "../../output.ts";
import { progressLine } from "../../progress.ts";

const PAUSE_MS = 200;

interface Person {
  readonly team: string;
  readonly person: string;
}

async function requirePerson({ access }: TeamDatabase, { team, person }: Person) {
  if ((await access.people(team)).some((one) => one.person === person)) return;
  throw notFoundError(
    `${person} is not in the team ${team}`,
    `throughline server user add ${person} --team ${team}`,
  );
}

async function withProgress<T>(what: string, work: (onProgress: (rows: number) => void) => Promise<T>) {
  const line = progressLine((rows: number) => `${what} ${formatNumber(rows)} rows …`, PAUSE_MS);
  try {
    return await work(line.show);
  } finally {
    line.clear();
  }
}

const compared = ({ rows, hash, searches }: Moved) =>
  `${counted(rows, "row")} with the hash ${hash.slice(0, 12)}, and ${counted(searches, "search", "searches")}: the same in both`;

/** Gives the store of this machine to a person; a copy of it, so that a worker may go on writing. */
export async function importOwn(database: TeamDatabase, person: Person) {
  await requirePerson(database, person);
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-import-"));
  const file = path.join(folder, "copy.db");
  try {
    await withDatabase((store) => store.backup(file), "read");
    const source = await openStore({ file });
    try {
      const moved = await withProgress("importing", (show) => importStore(database, person, source, show));
      return { data: moved, text: [compared(moved), "kept on the server"] };
    } finally {
      await source.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function exportTo(database: TeamDatabase, person: Person, named: string) {
  await requirePerson(database, person);
  const file = path.resolve(commandContext().cwd, named);
  const moved = await withProgress("exporting", (show) => exportStore(database.store(person), file, show));
  return {
    data: { ...moved, file },
    text: [compared(moved), `${file}: \`throughline data import\` takes it`],
  };
}
