// A forked conversation: found by the rows that it shares with another session, whose edits it goes on with.
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { type Home, liveFolder, type SessionPlace, sessionPlace } from "../home/index.ts";
import { readIfThere, statIfThere, tolerating } from "../lib/index.ts";
import { type EditsInForce, type LiveEdit, readRecord } from "./edits.ts";
import { recordName } from "./protocol.ts";

interface ForkedFrom {
  readonly place: SessionPlace;
  readonly edits: EditsInForce["edits"];
}

/** Records that are looked at, the newest first: a fork is made of a session that is in use. */
const MOST_RECORDS = 40;
/** A subagent's record has two dots. */
const SESSION_RECORD = /^([A-Za-z0-9_-]+)\.jsonl$/;

/** The session of the project with whose edits most of these rows were sent; undefined where none shares an edited row. */
export function findParent(home: Home, own: SessionPlace, chains: readonly string[]): ForkedFrom | undefined {
  const isShared = ({ guard }: LiveEdit) => guard !== undefined && chains[guard.row] === guard.chain;
  const found = newestRecords(liveFolder(home))
    .filter((name) => name !== recordName(own.session))
    .map((name) => {
      const { edits } = readRecord(readIfThere(path.join(liveFolder(home), name)) ?? "");
      return { name, edits, shared: edits.filter(isShared).length };
    })
    .filter(({ shared }) => shared > 0)
    .sort((one, other) => other.shared - one.shared);
  const parents = found.map(({ name, edits }) => {
    const place = sessionPlace(home, own.project, SESSION_RECORD.exec(name)?.[1] ?? "");
    return { place, edits };
  });
  return parents.find(({ place }) => statIfThere(path.join(place.folder, "ledger.jsonl")) !== undefined);
}

function newestRecords(folder: string): string[] {
  const names = tolerating(() => readdirSync(folder), "ENOENT") ?? [];
  return names
    .filter((name) => SESSION_RECORD.test(name))
    .map((name) => ({ name, at: statIfThere(path.join(folder, name))?.mtimeMs ?? 0 }))
    .sort((one, other) => other.at - one.at)
    .slice(0, MOST_RECORDS)
    .map(({ name }) => name);
}

/** What a session knows of its window: the edits of the ledger, the state of the window, what was read of the history. */
const WINDOW_FILES = ["ledger.jsonl", "window.json", "extract.json", "reading.bin"];

/** The edits name messages by their content, so that they hold in the fork as they are. */
export function copyWindow(from: SessionPlace, to: SessionPlace): void {
  mkdirSync(to.folder, { recursive: true });
  for (const name of WINDOW_FILES)
    tolerating(() => copyFileSync(path.join(from.folder, name), path.join(to.folder, name)), "ENOENT");
}
