// The record of a window's edits on disk: appended before an answer leaves the worker, read by carriers without it.
import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { type Home, liveFolder } from "../home/index.ts";
import {
  appendLines,
  DAY,
  isObject,
  parseJson,
  readIfThere,
  statIfThere,
  tolerating,
  writeFileAtomic,
} from "../lib/index.ts";
import { changed, type EditsChange, type EditsInForce, readRecord } from "./edits.ts";
import { recordName } from "./protocol.ts";

export interface EditsRecord {
  readonly inForce: EditsInForce;
  /** Ids of the ledger entries that came with the versions behind this one. */
  entriesSince(version: number): readonly string[];
  append(change: EditsChange, entries: readonly string[]): void;
}

interface RecordedVersion {
  readonly version: number;
  readonly entries: readonly string[];
}

/** From this size on the record is written anew, with the edits in force alone. */
const LARGEST = 4_000_000;
/** A carrier is at most one version behind: the one that was on its way when the worker or the request ended. */
const REMEMBERED_VERSIONS = 2;

export function openRecord(home: Home, session: string, agent?: string): EditsRecord {
  const file = path.join(liveFolder(home), recordName(session, agent));
  const text = readIfThere(file) ?? "";
  let inForce = readRecord(text);
  const versions = text.split("\n").flatMap(versionIn).slice(-REMEMBERED_VERSIONS);
  const rewrite = () => {
    const last = versions.at(-1);
    const entries = last?.version === inForce.version ? last.entries : [];
    writeFileAtomic(file, `${JSON.stringify({ ...inForce, from: 0, entries })}\n`);
  };
  // A line that a crash left torn would end the record for good.
  if (text !== "") rewrite();
  return {
    get inForce() {
      return inForce;
    },
    entriesSince: (since) => versions.flatMap(({ version, entries }) => (version > since ? entries : [])),
    append(change, entries) {
      inForce = changed(inForce, change);
      versions.push({ version: change.version, entries });
      if (versions.length > REMEMBERED_VERSIONS) versions.shift();
      // What the disk loses with the power is made of the ledger again: no sync is waited for.
      appendLines(file, [JSON.stringify({ ...change, entries })], { sync: false });
      if (statSync(file).size > LARGEST) rewrite();
    },
  };
}

/** A session that is taken up later than this has its edits made of its ledger again. */
const KEPT_DAYS = 90;
const MOST_BYTES = 500_000_000;

/** Deletes records that were not written to for long, and the oldest where there are too many. Gives how many. */
export function sweepRecords(home: Home, now: number): number {
  const folder = liveFolder(home);
  const names = tolerating(() => readdirSync(folder), "ENOENT") ?? [];
  const files = names
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => ({ file: path.join(folder, name), stats: statIfThere(path.join(folder, name)) }))
    .sort((one, other) => (other.stats?.mtimeMs ?? 0) - (one.stats?.mtimeMs ?? 0));
  let bytes = 0;
  const old = files.filter(({ stats }) => {
    bytes += stats?.size ?? 0;
    return bytes > MOST_BYTES || (stats?.mtimeMs ?? now) < now - KEPT_DAYS * DAY;
  });
  for (const { file } of old) rmSync(file, { force: true });
  return old.length;
}

function versionIn(line: string): RecordedVersion[] {
  const value = line === "" ? undefined : parseJson(line);
  if (!isObject(value) || typeof value.version !== "number" || !Array.isArray(value.entries)) return [];
  return [{ version: value.version, entries: value.entries.map(String) }];
}
