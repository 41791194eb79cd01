// Which project files the user trusts: content hashes by real path, in the user's data folder.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import type { Home } from "../home/index.ts";
import { isObject, parseJson, readIfThere, sha256, ThroughlineError, writeFileAtomic } from "../lib/index.ts";

/**
 * `untrusted`: never trusted. `changed`: it was, with another content. `linked`: the file or its folder is a link.
 * `foreign`: it belongs to another user. The last two are never trusted.
 */
export type Trust = "trusted" | "untrusted" | "changed" | "linked" | "foreign";

/** Larger project files are refused. */
const MOST_BYTES = 64 * 1024;

const recordFile = (home: Home) => path.join(home.data, "trusted-projects.json");

/** Digests by real path. An unreadable record trusts nothing. */
function readRecord(home: Home) {
  const found = parseJson(readIfThere(recordFile(home)) ?? "");
  const files = isObject(found) && isObject(found.files) ? found.files : {};
  return new Map(
    Object.entries(files).flatMap(([file, digest]) => (typeof digest === "string" ? [[file, digest]] : [])),
  );
}

const writeRecord = (home: Home, files: ReadonlyMap<string, string>) =>
  writeFileAtomic(
    recordFile(home),
    `${JSON.stringify({ v: 1, files: Object.fromEntries(files) }, null, 2)}\n`,
  );

const isLink = (place: string) => lstatSync(place).isSymbolicLink();

/** Does not wait for a writer: the file may be a pipe. */
function readBounded(file: string): { readonly text: string; readonly uid: number } {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MOST_BYTES) {
      throw new ThroughlineError(
        "not-a-file",
        `${file} is not a settings file of at most ${MOST_BYTES} bytes`,
        `move ${file} away`,
      );
    }
    return { text: readFileSync(fd, "utf8").replace(/^\uFEFF/, ""), uid: stats.uid };
  } finally {
    closeSync(fd);
  }
}

/** The text of a project's file and whether exactly this text is trusted. */
export function readProjectText(
  home: Home,
  file: string,
): { readonly text: string; readonly digest: string; readonly trust: Trust } {
  const folder = path.dirname(file);
  const { text, uid } = readBounded(file);
  const digest = sha256(text);
  if (isLink(file) || isLink(folder)) return { text, digest, trust: "linked" };
  const own = process.getuid?.();
  if (own !== undefined && (uid !== own || lstatSync(folder).uid !== own))
    return { text, digest, trust: "foreign" };
  const known = readRecord(home).get(realpathSync(file));
  if (known === undefined) return { text, digest, trust: "untrusted" };
  return { text, digest, trust: known === digest ? "trusted" : "changed" };
}

/** Throws for a file that can never be trusted. */
export function checkTrustable(file: string, trust: Trust): void {
  if (trust !== "linked" && trust !== "foreign") return;
  const what = trust === "linked" ? "is reached by a link" : "belongs to another user";
  throw new ThroughlineError(
    "config-invalid",
    `${file} ${what}; such a file is never trusted`,
    `put a file of your own there, or set it in your own file: throughline config set KEY VALUE`,
  );
}

/** Trusts the file with this content only. */
export function trustContent(home: Home, file: string, digest: string): void {
  writeRecord(home, readRecord(home).set(realpathSync(file), digest));
}

/** False when it was not trusted. */
export function untrust(home: Home, file: string): boolean {
  const files = readRecord(home);
  const isKnown = files.delete(realpathSync(file));
  if (isKnown) writeRecord(home, files);
  return isKnown;
}
