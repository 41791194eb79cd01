// Kinds of damage, each a way in which a file of ours comes out of an accident.
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { databaseFile, type Home } from "../../src/home/index.ts";
import { heldFile } from "../../src/store/sqlite/backup/held.ts";
import { type Database, loadDriver, releaseClosed } from "../../src/store/sqlite/driver.ts";
import { fractions } from "./damageBase.ts";

/** The pages of the whole database, by what they belong to and what they are. */
export type Pages = (name: string, type: "leaf" | "internal" | "overflow") => readonly number[];

export interface Target {
  readonly home: Home;
  readonly database: string;
  readonly pages: Pages;
  readonly random: () => number;
}

export interface DamageKind {
  readonly name: string;
  /** `killed`: the worker was killed with events in the journal. */
  readonly before?: "killed";
  /** `set-aside`: it must be noticed. `sound`: there is nothing to salvage. `either`: it may be beyond notice. */
  readonly expect: "set-aside" | "sound" | "either";
  /** Whether it is among those that are tried on a small store in every run of the tests. */
  readonly isQuick?: true;
  damage(target: Target): void | Promise<void>;
  /** Where events wait in the spool until a person has put something right, what that is. */
  repair?(home: Home): void;
}

const PAGE = 4096;

function write(file: string, at: number, bytes: Uint8Array): void {
  const fd = openSync(file, "r+");
  writeSync(fd, bytes, 0, bytes.length, at);
  closeSync(fd);
}

function flip(file: string, count: number, random: () => number, from = 0): void {
  const fd = openSync(file, "r+");
  const size = statSync(file).size;
  const byte = Buffer.alloc(1);
  for (let done = 0; done < count; done++) {
    const at = from + Math.floor(random() * (size - from));
    readSync(fd, byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ (1 << Math.floor(random() * 8));
    writeSync(fd, byte, 0, 1, at);
  }
  closeSync(fd);
}

const garbage = (random: () => number, bytes: number): Buffer =>
  Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256)));

const zero = (file: string, pages: readonly number[]): void => {
  for (const page of pages) write(file, (page - 1) * PAGE, Buffer.alloc(PAGE));
};

const scribble = (file: string, pages: readonly number[], random: () => number): void => {
  for (const page of pages) write(file, (page - 1) * PAGE, garbage(random, PAGE));
};

const some = <T>(list: readonly T[], count: number, random: () => number): T[] =>
  Array.from({ length: Math.min(count, list.length) }, () => list[Math.floor(random() * list.length)] as T);

async function otherDatabase(file: string): Promise<void> {
  const open = await loadDriver();
  rmSync(file, { force: true });
  const other = open(file, { readOnly: false });
  other.exec(
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO notes (text) VALUES ('of another program')",
  );
  other.close();
  await releaseClosed();
}

async function inDatabase(file: string, sql: string): Promise<void> {
  const open = await loadDriver();
  const db = open(file, { readOnly: false });
  db.exec(sql);
  db.close();
  await releaseClosed();
}

const readers: Database[] = [];

/** A connection that stays open, as of a command that still runs. */
async function keepReading(file: string): Promise<void> {
  const open = await loadDriver();
  const db = open(file, { readOnly: true });
  db.prepare("SELECT count(*) FROM events").get();
  readers.push(db);
}

const backupOf = ({ home }: Target): string => {
  const folder = path.join(home.data, "backups", "auto");
  return path.join(folder, readdirSync(folder).sort().at(-1) ?? "");
};

const eachFile = (folder: string, change: (file: string) => void): void => {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = path.join(folder, name);
    if (statSync(file).isFile()) change(file);
  }
};

const header: DamageKind[] = [
  {
    name: "magic overwritten",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database }) => write(database, 0, Buffer.alloc(16)),
  },
  {
    name: "page size field wrong",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database }) => write(database, 16, Buffer.from([0x20, 0x00])),
  },
  {
    name: "page size field wrong, measure gone",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database }) => {
      write(database, 16, Buffer.from([0x20, 0x00]));
      rmSync(heldFile(database));
    },
  },
  {
    name: "page size field senseless",
    expect: "set-aside",
    damage: ({ database }) => write(database, 16, Buffer.from([0x12, 0x34])),
  },
  {
    name: "whole header garbage",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database, random }) => write(database, 0, garbage(random, 100)),
  },
  {
    name: "file format version unknown",
    expect: "set-aside",
    damage: ({ database }) => write(database, 18, Buffer.from([9, 9])),
  },
  {
    name: "text encoding unknown",
    expect: "set-aside",
    damage: ({ database }) => write(database, 56, Buffer.from([0, 0, 0, 7])),
  },
  {
    name: "first page zeroed",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database }) => zero(database, [1]),
  },
  {
    name: "pages of the schema zeroed",
    expect: "set-aside",
    damage: ({ database, pages }) => zero(database, pages("sqlite_schema", "leaf")),
  },
  {
    name: "first 64 KB zeroed",
    expect: "set-aside",
    damage: ({ database }) => write(database, 0, Buffer.alloc(65_536)),
  },
];

const inside: DamageKind[] = [
  {
    name: "1 bit flipped",
    expect: "either",
    damage: ({ database, random }) => flip(database, 1, random, PAGE),
  },
  {
    name: "100 bits flipped",
    expect: "either",
    damage: ({ database, random }) => flip(database, 100, random),
  },
  {
    name: "10,000 bits flipped",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database, random }) => flip(database, 10_000, random),
  },
  {
    name: "interior page of events zeroed",
    expect: "set-aside",
    damage: ({ database, pages, random }) => zero(database, some(pages("events", "internal"), 1, random)),
  },
  {
    name: "all interior pages of events zeroed",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database, pages }) => zero(database, pages("events", "internal")),
  },
  {
    name: "20 leaf pages of events zeroed",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database, pages, random }) => zero(database, some(pages("events", "leaf"), 20, random)),
  },
  {
    name: "20 leaf pages of events garbage",
    expect: "set-aside",
    damage: ({ database, pages, random }) =>
      scribble(database, some(pages("events", "leaf"), 20, random), random),
  },
  {
    name: "overflow pages zeroed",
    expect: "either",
    damage: ({ database, pages, random }) => zero(database, some(pages("messages", "overflow"), 20, random)),
  },
  {
    name: "leaf pages of sessions zeroed",
    expect: "set-aside",
    damage: ({ database, pages }) => zero(database, pages("sdk_sessions", "leaf").slice(0, 2)),
  },
  {
    name: "leaf pages of observations zeroed",
    expect: "set-aside",
    damage: ({ database, pages, random }) => zero(database, some(pages("observations", "leaf"), 5, random)),
  },
  {
    name: "index pages zeroed",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database, pages, random }) =>
      zero(database, some(pages("events_by_session", "leaf"), 5, random)),
  },
  {
    name: "index pages garbage",
    expect: "set-aside",
    damage: ({ database, pages, random }) =>
      scribble(database, some(pages("sqlite_autoindex_events_1", "leaf"), 5, random), random),
  },
  {
    name: "full-text index zeroed",
    expect: "set-aside",
    damage: ({ database, pages, random }) =>
      zero(
        database,
        some([...pages("passages_fts_data", "leaf"), ...pages("passages_fts_data", "overflow")], 10, random),
      ),
  },
  {
    name: "full-text index garbage",
    expect: "set-aside",
    damage: ({ database, pages, random }) =>
      scribble(database, some(pages("observations_fts_data", "leaf"), 3, random), random),
  },
  {
    name: "list of free pages garbage",
    expect: "set-aside",
    damage: ({ database, random }) => write(database, 32, garbage(random, 8)),
  },
];

const length: DamageKind[] = [
  {
    name: "cut to nothing",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database }) => truncateSync(database, 0),
  },
  { name: "cut to one page", expect: "set-aside", damage: ({ database }) => truncateSync(database, PAGE) },
  {
    name: "cut to the half",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database }) => truncateSync(database, Math.floor(statSync(database).size / 2 / PAGE) * PAGE),
  },
  {
    // To SQLite the last page is whole, and ends with a zero.
    name: "cut by one byte",
    expect: "either",
    damage: ({ database }) => truncateSync(database, statSync(database).size - 1),
  },
  {
    name: "cut to an odd length",
    expect: "set-aside",
    damage: ({ database }) => truncateSync(database, Math.floor(statSync(database).size * 0.7) | 1),
  },
  {
    name: "garbage appended",
    expect: "either",
    damage: ({ database, random }) => appendFileSync(database, garbage(random, 10_001)),
  },
];

const journal: DamageKind[] = [
  {
    name: "journal deleted",
    before: "killed",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database }) => rmSync(`${database}-wal`),
  },
  {
    name: "journal and its index deleted",
    before: "killed",
    expect: "set-aside",
    damage: ({ database }) => {
      rmSync(`${database}-wal`);
      rmSync(`${database}-shm`);
    },
  },
  {
    name: "journal deleted while another process reads",
    before: "killed",
    expect: "set-aside",
    damage: async ({ database }) => {
      await keepReading(database);
      rmSync(`${database}-wal`);
    },
  },
  {
    name: "journal cut in the middle",
    before: "killed",
    expect: "set-aside",
    damage: ({ database }) =>
      truncateSync(`${database}-wal`, Math.floor(statSync(`${database}-wal`).size / 2)),
  },
  {
    name: "journal cut to nothing",
    before: "killed",
    expect: "set-aside",
    damage: ({ database }) => truncateSync(`${database}-wal`, 0),
  },
  {
    name: "journal garbage",
    before: "killed",
    expect: "set-aside",
    damage: ({ database, random }) => writeFileSync(`${database}-wal`, garbage(random, 20_000)),
  },
  {
    name: "journal with another salt",
    before: "killed",
    expect: "set-aside",
    damage: ({ database }) => write(`${database}-wal`, 16, Buffer.alloc(8, 7)),
  },
  {
    name: "index of the journal garbage",
    before: "killed",
    expect: "sound",
    damage: ({ database, random }) => writeFileSync(`${database}-shm`, garbage(random, 32_768)),
  },
];

const replaced: DamageKind[] = [
  {
    name: "database deleted",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database }) => rmSync(database),
  },
  {
    name: "replaced by a text",
    expect: "set-aside",
    damage: ({ database }) => writeFileSync(database, "not a database\n".repeat(1_000)),
  },
  {
    name: "replaced by a folder",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database }) => {
      rmSync(database);
      mkdirSync(database);
    },
  },
  {
    name: "replaced by a link to nothing",
    expect: "set-aside",
    damage: ({ database }) => {
      rmSync(database);
      symlinkSync("/nowhere/at/all.db", database);
    },
  },
  {
    name: "replaced by a link to itself elsewhere",
    expect: "sound",
    damage: ({ database }) => {
      const moved = `${path.dirname(database)}/moved.db`;
      renameSync(database, moved);
      symlinkSync(moved, database);
    },
  },
  {
    name: "replaced by a database of another program",
    expect: "set-aside",
    damage: ({ database }) => otherDatabase(database),
  },
  {
    name: "replaced by an earlier backup",
    expect: "set-aside",
    damage: (target) => copyFileSync(backupOf(target), target.database),
  },
  {
    name: "entry of a migration missing",
    expect: "set-aside",
    isQuick: true,
    damage: ({ database }) => inDatabase(database, "DELETE FROM migrations WHERE name = '2026-11-schema'"),
  },
  { name: "read-only file", expect: "sound", damage: ({ database }) => chmodSync(database, 0o400) },
  { name: "open to everybody", expect: "sound", damage: ({ database }) => chmodSync(database, 0o666) },
];

const elsewhere: DamageKind[] = [
  {
    name: "bytes of the vault damaged",
    expect: "sound",
    damage: ({ home }) =>
      eachFile(path.join(home.data, "vault"), (file) => write(file, 0, Buffer.from("damage"))),
  },
  {
    name: "a line of a ledger damaged",
    expect: "sound",
    damage: ({ home }) =>
      eachFile(path.join(home.data, "projects"), (file) => appendFileSync(file, '{"v":1,"broken\n')),
  },
  {
    name: "settings garbage",
    expect: "sound",
    damage: ({ home, random }) => writeFileSync(path.join(home.config, "config.json"), garbage(random, 200)),
    // What is excluded stands in there: until it can be read, nothing is stored, and nothing is lost.
    repair: (home) => writeFileSync(path.join(home.config, "config.json"), "{}\n"),
  },
  {
    name: "state files garbage",
    expect: "sound",
    isQuick: true,
    damage: ({ home, random }) => {
      for (const name of [
        "runtime.json",
        "worker.json",
        "transcripts.json",
        "token",
        "integrity.json",
        "pauses.json",
      ])
        writeFileSync(path.join(home.state, name), garbage(random, 300));
    },
  },
  {
    name: "the measure of the store garbage",
    expect: "sound",
    damage: ({ database, random }) => writeFileSync(heldFile(database), garbage(random, 300)),
  },
  {
    name: "the measure garbage, database cut to the half",
    expect: "set-aside",
    damage: ({ database, random }) => {
      writeFileSync(heldFile(database), garbage(random, 300));
      truncateSync(database, Math.floor(statSync(database).size / 2 / PAGE) * PAGE);
    },
  },
  {
    name: "first page zeroed, measure and backup gone",
    expect: "set-aside",
    isQuick: true,
    damage: (target) => {
      zero(target.database, [1]);
      rmSync(heldFile(target.database));
      rmSync(backupOf(target));
    },
  },
  {
    name: "cut to nothing, no backup",
    expect: "set-aside",
    isQuick: true,
    damage: (target) => {
      truncateSync(target.database, 0);
      rmSync(backupOf(target));
    },
  },
  {
    name: "10,000 bits flipped, newest backup damaged",
    expect: "set-aside",
    damage: (target) => {
      flip(target.database, 10_000, target.random);
      flip(backupOf(target), 10_000, target.random);
    },
  },
];

export const damageKinds: readonly DamageKind[] = [
  ...header,
  ...inside,
  ...length,
  ...journal,
  ...replaced,
  ...elsewhere,
];

/** Where everything is in a whole database. */
export async function pagesOf(database: string): Promise<Pages> {
  const open = await loadDriver();
  const db = open(database, { readOnly: true });
  const found = new Map<string, number[]>();
  for (const row of db.prepare("SELECT name, pagetype, pageno FROM dbstat").all()) {
    const key = `${row.name} ${row.pagetype}`;
    found.set(key, [...(found.get(key) ?? []), Number(row.pageno)]);
  }
  db.close();
  await releaseClosed();
  return (name, type) => found.get(`${name} ${type}`) ?? [];
}

export async function damageIn(kind: DamageKind, home: Home, pages: Pages): Promise<void> {
  const database = databaseFile(home);
  await kind.damage({ home, database, pages, random: fractions(kind.name.length * 7 + 3) });
  if (!existsSync(home.data)) throw new Error("the data folder is gone");
}
