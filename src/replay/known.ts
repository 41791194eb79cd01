// What was replayed before: results by the content of a session, the settings, and the program that made them.
import { createHash } from "node:crypto";
import { createReadStream, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { isObject, parseJson, readIfPossible, removeFile, sha256, writeFileAtomic } from "../lib/index.ts";
import type { ReplayJob } from "./job.ts";
import type { Replayed } from "./run.ts";

const MOST_KNOWN_RESULTS = 2_000;

/**
 * Finished sessions on disk, one small file each: numbers alone, no names and no content. A file that cannot be read is
 * as good as none.
 */
export class KnownResults {
  readonly #folder: string;
  readonly #program: string;
  readonly #most: number;

  /**
   * `program` says which code the numbers come from: numbers of another are not found. The files that were written first
   * go when there are more than `most`.
   */
  constructor(folder: string, program: string, most = MOST_KNOWN_RESULTS) {
    this.#folder = folder;
    this.#program = program;
    this.#most = most;
  }

  /** What is known of this session by policy, under the name that the job gives it. */
  find({ name, settings }: ReplayJob, content: string): ReadonlyMap<string, Replayed> {
    const file = this.#file(content, settings);
    const found = new Map<string, Replayed>();
    for (const one of readKnown(file))
      found.set(one.result.policy, { ...one, result: { ...one.result, session: name } });
    return found;
  }

  keep({ settings }: ReplayJob, content: string, replayed: readonly Replayed[]) {
    const nameless = replayed.map((one) => ({ ...one, result: { ...one.result, session: "" } }));
    writeFileAtomic(this.#file(content, settings), JSON.stringify(nameless));
    this.#letOldestGo();
  }

  #letOldestGo() {
    const names = readdirSync(this.#folder);
    if (names.length <= this.#most) return;
    const files = names.map((name) => path.join(this.#folder, name));
    const byAge = files.map((file) => ({ file, at: statSync(file).mtimeMs })).sort((a, b) => a.at - b.at);
    for (const { file } of byAge.slice(0, names.length - this.#most)) removeFile(file);
  }

  #file(content: string, settings: ReplayJob["settings"]) {
    const key = sha256(JSON.stringify([this.#program, content, withSortedKeys(settings)]));
    return path.join(this.#folder, `${key.slice(0, 32)}.json`);
  }
}

/** The same settings give the same text, in whatever order they were put together. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, withSortedKeys(value[key])]),
  );
}

function readKnown(file: string): readonly Replayed[] {
  const text = readIfPossible(file);
  const value = text === undefined ? undefined : parseJson(text);
  return Array.isArray(value) && value.every(isReplayed) ? value : [];
}

function isReplayed(value: unknown): value is Replayed {
  return (
    isObject(value) &&
    isObject(value.result) &&
    typeof value.result.policy === "string" &&
    typeof value.result.dollars === "number" &&
    isObject(value.course) &&
    Array.isArray(value.course.prompts)
  );
}

/** The digest of a file's content; undefined for one that cannot be read, which its reader will complain about. */
export async function contentDigest(file: string) {
  const hash = createHash("sha256");
  try {
    // Opening a named pipe would wait for its writer.
    if (!statSync(file).isFile()) return undefined;
    for await (const chunk of createReadStream(file)) hash.update(chunk);
  } catch {
    return undefined;
  }
  return hash.digest("hex");
}
