// What there is to import: transcripts of Claude Code and databases of claude-mem, in the order in which they have to be read.
import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { errorText, readBytes, sumOf, withFile } from "../lib/index.ts";
import { findTranscripts, scanRows, sessionFiles } from "../transcript/index.ts";
import { CLAUDE_MEM_FILE } from "./claudeMemSource.ts";
import type { ImportSource } from "./importer.ts";

export interface FoundSource extends ImportSource {
  /** Of a transcript, with the files of its subagents. */
  readonly bytes: number;
}

/** A file that is not imported, and why. */
export interface PassedOver {
  readonly file: string;
  readonly why: "other" | "export" | "observer" | "empty" | "unreadable";
  readonly problem?: string;
}

export interface FoundSources {
  /** Transcripts first: they say in which project a session of claude-mem was. */
  readonly sources: readonly FoundSource[];
  readonly passedOver: readonly PassedOver[];
}

/** Rows that are looked at to tell what a file is. */
const ROWS_LOOKED_AT = 50;

/** Rows of Claude Code that stand in files without a conversation. */
const booksOnly = new Set<unknown>(["summary", "file-history-snapshot", "last-prompt", "mode"]);

interface Looked {
  readonly is: PassedOver["why"] | "transcript";
  /** When its first row was written. */
  readonly beganAt: number;
  /** Different prompts among the first rows: where one was copied, they are fewer in the copy. */
  readonly prompts: number;
  readonly rows: number;
}

/** claude-mem observes its user in thousands of sessions of its own, and ours word observations: no conversations. */
const isObservers = (folder: unknown) =>
  typeof folder === "string" &&
  /[\\/-](?:\.?claude-mem[\\/-]observer-sessions|throughline-wording)$/.test(folder);

async function lookAtFile(file: string) {
  let is: Looked["is"] = isObservers(path.dirname(file)) ? "observer" : "empty";
  let beganAt = Number.POSITIVE_INFINITY;
  const prompts = new Set<unknown>();
  let rows = 0;
  for await (const { row } of scanRows(file)) {
    if (row.throughline === "export") is = "export";
    else if (isObservers(row.cwd)) is = "observer";
    else if (is === "empty" && !booksOnly.has(row.type)) is = "other";
    if (is === "other" && typeof row.sessionId === "string") is = "transcript";
    beganAt = Math.min(beganAt, Date.parse(String(row.timestamp)) || beganAt);
    if (row.promptId !== undefined) prompts.add(row.promptId);
    rows += 1;
    if (rows === ROWS_LOOKED_AT) break;
  }
  return { is, beganAt, prompts: prompts.size, rows };
}

const MAGIC = "SQLite format 3\0";

function isDatabase(file: string) {
  return withFile(file, "r", (fd) => readBytes(fd, 0, MAGIC.length).toString("latin1") === MAGIC);
}

/** The session that was there first comes first: what another copied from it is then known to be a copy. */
function byBeginning(a: Looked & FoundSource, b: Looked & FoundSource) {
  const birth = ({ file }: FoundSource) => statSync(file).birthtimeMs;
  return a.beganAt - b.beganAt || b.prompts - a.prompts || birth(a) - birth(b) || (a.file < b.file ? -1 : 1);
}

/** Looks into the beginning of every file below the places. */
export async function findSources(places: readonly string[]): Promise<FoundSources> {
  const there = places.filter((place) => existsSync(place));
  const found = findTranscripts(there, {
    isWanted: (name) => name.endsWith(".jsonl") || name === CLAUDE_MEM_FILE,
  });
  const files = found.files.map((file) => realpathSync(file));
  const transcripts: (Looked & FoundSource)[] = [];
  const databases: FoundSource[] = [];
  const passedOver: PassedOver[] = found.unsearched.map(({ file, reason }) => ({
    file,
    why: "unreadable",
    problem: reason,
  }));
  for (const file of files) {
    try {
      if (isDatabase(file)) {
        databases.push({ kind: "claude-mem", file, bytes: statSync(file).size });
        continue;
      }
      const looked = await lookAtFile(file);
      const bytes = sumOf(sessionFiles(file), ({ size }) => size);
      if (looked.rows === 0 && bytes > 0)
        passedOver.push({ file, why: "unreadable", problem: "no line of it is a row of JSON" });
      else if (looked.is !== "transcript") passedOver.push({ file, why: looked.is });
      else transcripts.push({ ...looked, kind: "transcript", file, bytes });
    } catch (error) {
      passedOver.push({ file, why: "unreadable", problem: errorText(error) });
    }
  }
  const ordered = transcripts.sort(byBeginning).map(({ kind, file, bytes }) => ({ kind, file, bytes }));
  return { sources: [...ordered, ...databases], passedOver };
}
