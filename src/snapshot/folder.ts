// The snapshots that lie in a project's .claude folder: which they are, what they say of themselves, and whether they are whole.

import { closeSync, fstatSync, lstatSync, openSync, readSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { namesIn } from "../lib/index.ts";
import type { KnownSnapshot } from "./decision.ts";
import { hasEnding, readSealed } from "./seal.ts";

const twoDigits = (value: number) => String(value).padStart(2, "0");

/** `yyyy-MM-dd HH:mm:ss`. */
export function localStamp(at: number) {
  const time = new Date(at);
  const day = [
    String(time.getFullYear()).padStart(4, "0"),
    twoDigits(time.getMonth() + 1),
    twoDigits(time.getDate()),
  ];
  return `${day.join("-")} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(":")}`;
}

/** The first such time in a text; undefined when there is none, or none that a calendar knows. */
export function readLocalStamp(text: string) {
  const parts = /(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)/.exec(text);
  return parts ? timeOfParts(parts.slice(1)) : undefined;
}

export function snapshotName(at: number) {
  return `compact-snapshot-${localStamp(at).replace(/\D/g, "")}.md`;
}

/** The time in a snapshot's name; undefined for names that are none. */
function timeInName(name: string) {
  const digits = /^compact-snapshot-(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\.md$/.exec(name);
  return digits ? timeOfParts(digits.slice(1)) : undefined;
}

function timeOfParts(parts: readonly string[]) {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
  const at = new Date(year, month - 1, day, hour, minute, second).getTime();
  // `Date` rolls the 45th of a month over into the next one.
  const isReal = localStamp(at).slice(0, 10) === parts.slice(0, 3).join("-");
  return isReal && hour < 24 && minute < 60 && second < 60 ? at : undefined;
}

/** The first and the last line of a snapshot that was made here. */
interface SnapshotLabel {
  readonly session: string;
  readonly at: number;
  /** Handles of what was compacted. */
  readonly handles: readonly string[];
}

export interface SnapshotFile extends Omit<KnownSnapshot, "tracked"> {
  readonly file: string;
  readonly handles: readonly string[];
  /** It only leads to a file elsewhere; it is never read. */
  readonly isLink: boolean;
  readonly bytes: number;
}

const LABEL = "<!-- THROUGHLINE_SNAPSHOT";
const ENDS = 4_096;
const ABANDONED_AFTER_MS = 60_000;

export const snapshotFolder = (project: string) => path.join(project, ".claude");

export function labelLine({ session, at, handles }: SnapshotLabel) {
  // What a session is called must not be able to end the comment.
  const id = encodeURIComponent(session).replaceAll("--", "-%2D");
  return `${LABEL} v=1 session=${id} at=${new Date(at).toISOString()} handles=${handles.join(",") || "none"} -->`;
}

function readLabel(head: string): SnapshotLabel | undefined {
  const line = /^<!-- THROUGHLINE_SNAPSHOT v=1 session=(\S+) at=(\S+) handles=(\S+) -->/.exec(head);
  const at = Date.parse(line?.[2] ?? "");
  if (!line || Number.isNaN(at)) return undefined;
  const handles = (line[3] ?? "").split(",").filter((handle) => /^tl:[0-9a-f]{6,64}$/.test(handle));
  try {
    return { session: decodeURIComponent(line[1] ?? ""), at, handles };
  } catch {
    return undefined;
  }
}

/** What a snapshot says of itself; undefined for one that was not made here. */
export function readSnapshotLabel(bytes: Uint8Array): SnapshotLabel | undefined {
  return readLabel(Buffer.from(bytes.subarray(0, ENDS)).toString("utf8"));
}

function readEnds(file: string, size: number): { readonly head: string; readonly tail: string } {
  const fd = openSync(file, "r");
  try {
    if (!fstatSync(fd).isFile()) return { head: "", tail: "" };
    const part = (from: number) => {
      const bytes = Buffer.alloc(ENDS);
      return bytes.toString("utf8", 0, readSync(fd, bytes, 0, ENDS, from));
    };
    return { head: part(0), tail: part(Math.max(0, size - ENDS)) };
  } finally {
    closeSync(fd);
  }
}

function describeSnapshot(
  project: string,
  name: string,
  key: Uint8Array | undefined,
): SnapshotFile | undefined {
  const file = path.join(snapshotFolder(project), name);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() && !found?.isSymbolicLink()) return undefined;
  const isLink = found.isSymbolicLink();
  const plain = {
    isLink,
    name,
    file,
    handles: [],
    session: undefined,
    ours: false,
    bytes: found.size,
    at: timeInName(name),
  };
  // A link could lead anywhere, and what it leads to would be shown to the model.
  if (isLink) return { ...plain, whole: false };
  const { head, tail } = readEnds(file, found.size);
  if (!head.startsWith(LABEL)) return { ...plain, whole: found.size > 0 };
  const label = readLabel(head);
  if (!label || !hasEnding(tail)) return { ...plain, whole: false };
  const ours = key !== undefined && readSealed(file, { key, project, name }) !== undefined;
  // What a foreign one says of itself counts for its age alone.
  return ours ? { ...plain, ...label, ours, whole: true } : { ...plain, at: label.at, whole: true };
}

/** Newest first, by name where they do not say. Without the machine's key none of them is ours. */
export function listSnapshots(project: string, key: Uint8Array | undefined): SnapshotFile[] {
  return namesIn(snapshotFolder(project))
    .filter((name) => /^compact-snapshot-\d{14}\.md$/.test(name))
    .flatMap((name) => describeSnapshot(project, name, key) ?? [])
    .sort((a, b) => (b.at ?? 0) - (a.at ?? 0) || (a.name < b.name ? 1 : -1));
}

/** Removes what killed writers left of snapshots that they did not finish. */
export function tidyFolder(project: string, now: number) {
  const folder = snapshotFolder(project);
  for (const name of namesIn(folder)) {
    if (!/^\.compact-snapshot-\d{14}\.md\.[0-9a-f]+\.tmp$/.test(name)) continue;
    const file = path.join(folder, name);
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: now };
    if (now - mtimeMs > ABANDONED_AFTER_MS) rmSync(file, { force: true });
  }
}
