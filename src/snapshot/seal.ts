// Proves that a snapshot was written on this machine: a MAC over its project, name and bytes, with a key in the user's data folder.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { type Home, snapshotKeyFile } from "../home/index.ts";
import { createFileAtomic, lightSha256, makeFolder, systemErrorCode, writeFileAtomic } from "../lib/index.ts";

const KEY_BYTES = 32;
const SEAL_LINE = "<!-- THROUGHLINE_SNAPSHOT_END";
/** Our own are far smaller; a larger file is not read to be proven. */
const MOST_SEALED_BYTES = 64 * 1024 * 1024;

/** Undefined where this machine has written none yet; then no snapshot is ours. */
export function readSnapshotKey(home: Home): Uint8Array | undefined {
  const file = snapshotKeyFile(home);
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() && found.size === KEY_BYTES ? readFileSync(file) : undefined;
}

/** The key that snapshots are sealed with; made on first use, also by several processes at once. */
export function snapshotKey(home: Home): Uint8Array {
  const known = readSnapshotKey(home);
  if (known) return known;
  const file = snapshotKeyFile(home);
  const key = randomBytes(KEY_BYTES);
  if (createFileAtomic(file, key)) return key;
  const others = readSnapshotKey(home);
  if (others) return others;
  // What is there is no key. Snapshots that were sealed with another are foreign from now on.
  writeFileAtomic(file, key);
  return key;
}

interface Sealed {
  readonly key: Uint8Array;
  readonly project: string;
  readonly name: string;
}

function realProject(folder: string) {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return folder;
  }
}

/** A snapshot that is moved to another project, or renamed, proves nothing there. */
function macOf(body: string | Uint8Array, { key, project, name }: Sealed) {
  const place = JSON.stringify(["throughline-snapshot", 1, realProject(project), name]);
  return createHmac("sha256", key).update(`${place}\n`).update(body).digest();
}

/** The whole file: its text and the line that says that it is whole, and ours. */
export function sealed(body: string, place: Sealed) {
  return `${body}${SEAL_LINE} mac=${macOf(body, place).toString("hex")} -->\n`;
}

/** Whether a file ends as ours do; this alone proves nothing. */
export const hasEnding = (tail: string) =>
  /<!-- THROUGHLINE_SNAPSHOT_END(?: mac=[0-9a-f]{64})? -->\s*$/.test(tail);

/** The text of a file that is, to the byte, one that this machine wrote for that project under that name. */
export function readSealed(file: string, place: Sealed) {
  if (statSync(file).size > MOST_SEALED_BYTES) return undefined;
  const bytes = readFileSync(file);
  const at = bytes.lastIndexOf(SEAL_LINE);
  const mac =
    at < 0 ? null : /^ mac=([0-9a-f]{64}) -->\n$/.exec(bytes.toString("utf8", at + SEAL_LINE.length));
  if (mac?.[1] === undefined) return undefined;
  const body = bytes.subarray(0, at);
  return timingSafeEqual(Buffer.from(mac[1], "hex"), macOf(body, place)) ? body.toString("utf8") : undefined;
}

/** True the first time that a foreign snapshot is met: it is spoken of once. */
export function isFirstEncounter(home: Home, file: string) {
  const folder = path.join(home.state, "foreign-snapshots");
  try {
    makeFolder(folder);
    return createFileAtomic(path.join(folder, lightSha256(file).slice(0, 32)), "");
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return true;
  }
}
