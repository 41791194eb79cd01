// What the flags of `throughline replay` select: policies, prices, numbers and the file of the page.

import { readFileSync, readSync } from "node:fs";
import path from "node:path";
import { readModelOverrides } from "../../../config/index.ts";
import {
  errorText,
  notFoundError,
  statIfThere,
  ThroughlineError,
  tolerating,
  usageError,
  withFile,
  writeFileAtomic,
} from "../../../lib/index.ts";
import { baselineName, type Policy, pageBeginning, policies } from "../../../replay/index.ts";
import { lookupModel, type ModelOverrides, modelTable } from "../../../tokens/index.ts";

export function choosePolicies(list: string | undefined): readonly Policy[] {
  if (!list) return policies;
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !policies.some((policy) => policy.name === name));
  if (unknown !== undefined) {
    throw usageError(
      `there is no policy ${unknown}`,
      `choose from ${policies.map(({ name }) => name).join(", ")}`,
    );
  }
  return policies.filter(({ name }) => name === baselineName || names.includes(name));
}

/** Model overrides with prices from a file, and a cache-read price as a share of the input price. */
export function priceOverrides(
  base: ModelOverrides,
  file: string | undefined,
  share: string | undefined,
): ModelOverrides {
  const fromFile = file ? readPrices(file) : {};
  const overrides = { ...base, ...fromFile };
  if (!share) return overrides;
  const factor = numberFlag("--cache-read", share, 0, 1, 0.1);
  const priced = modelTable.map(({ id }) => {
    const { prices } = lookupModel(id, overrides);
    return [
      id,
      { ...overrides[id], prices: prices.map((step) => ({ ...step, cacheRead: step.input * factor })) },
    ];
  });
  return { ...overrides, ...Object.fromEntries(priced) };
}

function readPrices(file: string): ModelOverrides {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw notFoundError(`cannot read the prices: ${errorText(error)}`, {
      fix: "give a JSON file of model overrides; docs/config.md shows one under `models`",
      cause: error,
    });
  }
  return readModelOverrides(text, file);
}

export function numberFlag(flag: string, text: string, from: number, to: number, example: number) {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= from && value <= to) return value;
  throw usageError(
    `${flag} must be a number from ${from} to ${to}, not ${text}`,
    `for example ${flag} ${example}`,
  );
}

function beginningOf(file: string) {
  const bytes = Buffer.alloc(pageBeginning.length);
  const read = tolerating(() => withFile(file, "r", (fd) => readSync(fd, bytes)), "ENOENT");
  return read === undefined ? undefined : bytes.toString("utf8", 0, read);
}

/** Throws, before anything is replayed, when the page cannot be written. It overwrites only an earlier page. */
export function checkPageFile(file: string) {
  const folder = path.dirname(path.resolve(file));
  if (!statIfThere(folder)?.isDirectory()) {
    throw notFoundError(
      `the folder ${folder} for the page does not exist`,
      "create it, or name a file in an existing folder",
    );
  }
  if (statIfThere(file)?.isDirectory()) {
    throw new ThroughlineError(
      "not-a-file",
      `${file} is a folder`,
      `name a file: --html ${path.join(file, "replay.html")}`,
    );
  }
  const found = orIoError(file, () => beginningOf(file));
  if (found !== undefined && found !== "" && found !== pageBeginning) {
    throw usageError(
      `${file} exists and is not a replay page; it was not changed`,
      "name a new file with --html, or remove that one first",
    );
  }
}

export function writePage(file: string, page: string) {
  orIoError(file, () => writeFileAtomic(path.resolve(file), page));
}

function orIoError<T>(file: string, work: () => T) {
  try {
    return work();
  } catch (error) {
    throw new ThroughlineError("io-failed", `the page cannot be written to ${file}: ${errorText(error)}`, {
      fix: "name a file in a writable folder with --html",
      cause: error,
    });
  }
}
