// What lies ready for hooks that cannot reach a worker, and for the next worker: one small file for each folder of work.
import { rmSync } from "node:fs";
import { answerFile, type Home } from "../home/index.ts";
import { isObject, type JsonObject, parseJson, readIfThere, writeFileAtomic } from "../lib/index.ts";
import type { StaleMemories } from "./memoryText.ts";

interface ReadyAnswer {
  /** What a hook prints, by the source of a session's start, else by the kind of its event. */
  readonly stdout: Readonly<Record<string, string>>;
  readonly work: KnownWork;
}

/** What was known of the work in a folder when somebody had the time to look. */
export interface KnownWork {
  readonly branch?: string;
  readonly files?: readonly string[];
  /** Older observations that are about it, by ids. */
  readonly older: readonly number[];
  /** What no longer holds of the project's memories. */
  readonly stale?: StaleMemories;
}

export function writeReadyAnswer(home: Home, folder: string, ready: ReadyAnswer): void {
  writeFileAtomic(answerFile(home, folder), `${JSON.stringify({ folder, ...ready })}\n`);
}

export function removeReadyAnswer(home: Home, folder: string): void {
  rmSync(answerFile(home, folder), { force: true });
}

function readStale(value: JsonObject): StaleMemories {
  const texts = Object.entries(value).map(([hash, evidence]) => [
    hash,
    Array.isArray(evidence) ? evidence.filter((text) => typeof text === "string") : [],
  ]);
  return Object.fromEntries(texts);
}

export function readKnownWork(home: Home, folder: string): KnownWork {
  const ready = parseJson(readIfThere(answerFile(home, folder)) ?? "");
  const { branch, files, older, stale } = isObject(ready) && isObject(ready.work) ? ready.work : {};
  return {
    older: Array.isArray(older) ? older.filter((id) => typeof id === "number") : [],
    ...(typeof branch === "string" ? { branch } : {}),
    ...(isObject(stale) ? { stale: readStale(stale) } : {}),
    ...(Array.isArray(files) ? { files: files.filter((file) => typeof file === "string") } : {}),
  };
}
