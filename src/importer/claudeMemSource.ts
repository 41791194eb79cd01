// A database of claude-mem, opened to be read: its sessions, and the rows of each, whatever its version calls them.
import path from "node:path";
import { errorText, sha256, ThroughlineError } from "../lib/index.ts";
import { type ForeignDatabase, type ForeignRow, openForeign } from "../store/index.ts";
import { type ForeignSession, foreignSession, memoryColumns, sessionColumns } from "./claudeMem.ts";

export interface ForeignRows {
  readonly prompts: readonly ForeignRow[];
  readonly observations: readonly ForeignRow[];
  readonly summaries: readonly ForeignRow[];
}

/** What a file of claude-mem is called, in its folder. */
export const CLAUDE_MEM_FILE = "claude-mem.db";

/** How it is called among the sources that are done. */
export const claudeMemKey = (file: string) => sha256(path.resolve(file));

/** To be raised when more is read out of the same rows. */
const CLAUDE_MEM_READER = 1;
/** The project of the sessions in which claude-mem observes its user. */
const OBSERVERS = "observer-sessions";

function columnOf(database: ForeignDatabase, table: string, names: readonly string[]) {
  return names.find((name) => database.tables.get(table)?.has(name));
}

/** Every session that has rows; one that has none of its own is called by the name that its rows give it. */
function sessionsOf(database: ForeignDatabase) {
  const known = database
    .values("sdk_sessions", "id")
    .flatMap((id) => database.rows("sdk_sessions", "id", id))
    .flatMap((row) => foreignSession(row) ?? []);
  const memories = new Set(known.map(({ memory }) => memory));
  const column = columnOf(database, "observations", memoryColumns);
  const named = column === undefined ? [] : database.values("observations", column);
  const loose = named.filter((memory) => typeof memory === "string" && !memories.has(memory)).map(String);
  return [
    ...known,
    ...loose.map((memory) => ({ session: `claude-mem-${memory}`, memory, project: "unknown" })),
  ].filter(({ project }) => path.basename(project) !== OBSERVERS);
}

/** Throws `database-unusable` for what is none of claude-mem's, and as opening a database does. */
export async function openClaudeMem(file: string) {
  const database = await openForeign(file).catch((error: unknown) => {
    // What is told of our own database, a backup to put back say, is no help with another's.
    const code = error instanceof ThroughlineError ? error.code : "database-unusable";
    const fix = "check that it is whole and that you may read it; claude-mem need not be stopped";
    throw new ThroughlineError(code, errorText(error), { fix, cause: error });
  });
  const isTheirs =
    columnOf(database, "sdk_sessions", sessionColumns) !== undefined && database.tables.has("observations");
  // Ours looks much like it.
  const isOurs = database.tables.has("forgotten");
  if (!isTheirs || isOurs) {
    database.close();
    throw new ThroughlineError(
      "database-unusable",
      `${file} is no database of claude-mem`,
      isOurs
        ? "what Throughline keeps is moved by `throughline data export` and `throughline data import`"
        : `it is called ${CLAUDE_MEM_FILE}, and lies in ~/.claude-mem unless you moved it`,
    );
  }
  const rows = (table: string, names: readonly string[], value: string | undefined) => {
    const column = columnOf(database, table, names);
    return column === undefined || value === undefined ? [] : database.rows(table, column, value);
  };
  const extentOf = (table: string) =>
    database.tables.has(table) ? database.extent(table) : { rows: 0, newest: 0 };
  const prompts = extentOf("user_prompts");
  const observations = extentOf("observations");
  const summaries = extentOf("session_summaries");
  const extents = [extentOf("sdk_sessions"), prompts, observations, summaries];
  return {
    /** Changes when rows were added or went. */
    state: [`v${CLAUDE_MEM_READER}`, ...extents.map(({ rows, newest }) => `${rows}/${newest}`)].join(" "),
    counts: { prompts: prompts.rows, observations: observations.rows, summaries: summaries.rows },
    sessions: sessionsOf(database),
    rowsOf: ({ session, memory }: ForeignSession) => ({
      prompts: rows("user_prompts", sessionColumns, session),
      observations: rows("observations", memoryColumns, memory),
      summaries: rows("session_summaries", memoryColumns, memory),
    }),
    close: () => database.close(),
  };
}
