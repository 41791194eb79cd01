// Moves the store of a machine to a person on the server and back: all of it or nothing, and compared before it counts.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { isObject, parseJson, ThroughlineError, usageError } from "../lib/index.ts";
import { redactValue } from "../redact/index.ts";
import { search } from "../search/index.ts";
import { openStore, type Store } from "../store/index.ts";
import type { TeamDatabase } from "../store/team.ts";

const SEARCHES = 200;
const WORDS_OF_A_SEARCH = 3;
const COMPARED_HITS = 5;

export interface Moved {
  readonly rows: number;
  /** Of all rows, whatever their order. */
  readonly hash: string;
  /** Searches that found the same in both. */
  readonly searches: number;
}

type OnProgress = (rows: number) => void;

/** Rows are added up, so that their order does not matter. */
function makeTally() {
  let sum = 0n;
  let rows = 0;
  const queries: string[] = [];
  return {
    add(line: string) {
      const digest = createHash("sha256").update(line).digest("hex");
      sum = BigInt.asUintN(256, sum + BigInt(`0x${digest}`));
      rows += 1;
      const words = line.match(/\p{L}{4,}/gu) ?? [];
      // Which rows and which words is as good as chance, and the same each time.
      const chance = Number.parseInt(digest.slice(0, 8), 16);
      if (words.length < WORDS_OF_A_SEARCH) return;
      const query = Array.from(
        { length: WORDS_OF_A_SEARCH },
        (_, at) => words[(chance * (at + 1)) % words.length],
      ).join(" ");
      if (queries.length < SEARCHES) queries.push(query);
      else if (chance % rows < SEARCHES) queries[chance % SEARCHES] = query;
    },
    result: () => ({ rows, hash: sum.toString(16).padStart(64, "0"), queries }),
  };
}

type Tally = ReturnType<typeof makeTally>;

/** Rows of an export without the work that waits: it is done where its events came about. */
async function* rowsOf(lines: AsyncIterable<string>, tally: Tally, onProgress: OnProgress = () => undefined) {
  for await (const line of lines) {
    const value = parseJson(line);
    if (!isObject(value) || value.type === "job") continue;
    const isRow = value.throughline === undefined && value.type !== "end";
    const safe = isRow ? JSON.stringify(redactValue(value).value) : line;
    if (isRow) {
      tally.add(safe);
      onProgress(tally.result().rows);
    }
    yield safe;
  }
}

const differing = (what: string) =>
  new ThroughlineError(
    "backup-damaged",
    `the copy is not the same: ${what}`,
    "nothing was kept of it; try again while nothing else writes, and report it if it comes again",
  );

async function requireEqual(source: Store, target: Store, tally: Tally): Promise<Moved> {
  const { rows, hash, queries } = tally.result();
  const copy = makeTally();
  for await (const _ of rowsOf(target.exportLines(), copy));
  const there = copy.result();
  if (there.rows !== rows) throw differing(`${rows} rows became ${there.rows}`);
  if (there.hash !== hash) throw differing("its rows have another hash");
  for (const query of queries) {
    const [here, found] = [await bestHits(source, query), await bestHits(target, query)];
    if (here !== found) throw differing(`a search for ${JSON.stringify(query)} finds something else`);
  }
  return { rows, hash, searches: queries.length };
}

async function bestHits(store: Store, query: string) {
  const { hits } = await search({ store }, { query, limit: COMPARED_HITS });
  return hits.map(({ kind, at, title }) => `${kind} ${at} ${title}`).join("\n");
}

interface Person {
  readonly team: string;
  readonly person: string;
}

/** Gives the rows of a store to a person who has none yet. Where anything differs afterwards, nothing is kept. */
export async function importStore(
  database: TeamDatabase,
  space: Person,
  source: Store,
  onProgress: OnProgress,
): Promise<Moved> {
  return database.together(space, async (target) => {
    const { counts } = await target.stats();
    if (Object.values(counts).some((count) => count > 0))
      throw usageError(
        `${space.person} has rows on the server already`,
        "a machine that is connected adds its own: throughline remote connect URL",
      );
    const tally = makeTally();
    const report = await target.importLines(rowsOf(source.exportLines(), tally, onProgress));
    const [rejected] = report.rejected;
    if (rejected) throw differing(`row ${rejected.line} is refused: ${rejected.reason}`);
    return requireEqual(source, target, tally);
  });
}

/** Writes the rows of a person into a file for `data import`; the file appears when a store made of it is the same. */
export async function exportStore(source: Store, file: string, onProgress: OnProgress): Promise<Moved> {
  if ((await stat(file).catch(() => undefined)) !== undefined)
    throw usageError(`${file} exists already`, "name a file that does not exist");
  const unfinished = `${file}.${process.pid}.tmp`;
  const folder = await mkdtemp(path.join(tmpdir(), "throughline-export-"));
  try {
    const tally = makeTally();
    const written = async function* () {
      for await (const line of rowsOf(source.exportLines(), tally, onProgress)) yield `${line}\n`;
    };
    await pipeline(written, createWriteStream(unfinished, { flags: "wx", mode: 0o600, flush: true }));
    const copy = await openStore({ file: path.join(folder, "copy.db") });
    try {
      await copy.importLines(createInterface({ input: createReadStream(unfinished, "utf8") }));
      const moved = await requireEqual(source, copy, tally);
      await rename(unfinished, file);
      return moved;
    } finally {
      await copy.close();
    }
  } finally {
    await rm(unfinished, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}
