// The page of a replay as a file: written whole or not at all, and over nothing but an earlier one.
import { closeSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { errorText, systemErrorCode, ThroughlineError, writeFileAtomic } from "../../lib/index.ts";
import { pageBeginning } from "../../replay/index.ts";

function beginningOf(file: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(pageBeginning.length);
    return bytes.toString("utf8", 0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

/** Throws before anything is measured when there is no place for the page. */
export function checkPageFile(file: string): void {
  const folder = path.dirname(path.resolve(file));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ThroughlineError("not-found", `there is no folder ${folder} for the page`, {
      fix: "make it, or name a file in a folder that is there",
    });
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ThroughlineError("not-a-file", `${file} is a folder`, {
      fix: `name a file: --html ${path.join(file, "replay.html")}`,
    });
  }
  const found = refusable(file, () => beginningOf(file));
  if (found !== undefined && found !== "" && found !== pageBeginning) {
    throw new ThroughlineError("usage", `${file} is there and is no page of a replay; it was left as it is`, {
      fix: "name a new file with --html, or remove that one first",
    });
  }
}

export function writePage(file: string, page: string): void {
  refusable(file, () => writeFileAtomic(path.resolve(file), page));
}

function refusable<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ThroughlineError("io-failed", `the page cannot be written to ${file}: ${errorText(error)}`, {
      fix: "name a file in a folder of yours with --html",
      cause: error,
    });
  }
}
