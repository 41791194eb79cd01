// What the account of a live window needs to know of its session: our own tools, recalls, and what earlier sessions counted.
import { readdirSync } from "node:fs";
import path from "node:path";
import type { LookCounts } from "../economics/index.ts";
import type { SessionPlace } from "../home/index.ts";
import { isObject, parseJson, readIfThere, statIfThere } from "../lib/index.ts";
import { blocksOf, isToolUse, type Message } from "../messages/index.ts";

const isOwnTool = (name: unknown) => typeof name === "string" && /throughline/i.test(name);

/** The definitions of our own tools in a request, as JSON; empty where it has none. */
export function ownToolsIn(tools: unknown): string {
  const own = Array.isArray(tools) ? tools.filter((tool) => isObject(tool) && isOwnTool(tool.name)) : [];
  return own.length === 0 ? "" : JSON.stringify(own);
}

/** Whether the newest answer did nothing but recall: without edits it would not have been there. */
export function onlyRecalls(messages: readonly Message[]): boolean {
  const answer = messages.findLast(({ role }) => role === "assistant");
  const calls = answer ? blocksOf(answer).filter(isToolUse) : [];
  return calls.length > 0 && calls.every(({ name }) => isOwnTool(name) && /(^|_)recall$/.test(name));
}

/** Sessions of a project whose counts are read: those that were used last. */
const MOST_SESSIONS = 20;

/** What earlier sessions of the project counted, from the state that each keeps of its window. */
export function earlierLooks({ folder }: SessionPlace): LookCounts[] {
  const sessions = path.dirname(folder);
  const files = foldersIn(sessions)
    .map((name) => path.join(sessions, name, "window.json"))
    .filter((file) => path.dirname(file) !== folder)
    .map((file) => ({ file, at: statIfThere(file)?.mtimeMs ?? 0 }))
    .filter(({ at }) => at > 0)
    .sort((one, other) => other.at - one.at);
  return files.slice(0, MOST_SESSIONS).map(({ file }) => looksIn(parseJson(readIfThere(file) ?? "")));
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A project without sessions has nothing to learn from.
    return [];
  }
}

function looksIn(state: unknown): LookCounts {
  const looks = isObject(state) && isObject(state.looks) ? state.looks : {};
  const isCount = (value: unknown): value is number => Number.isFinite(value) && Number(value) >= 0;
  return Object.fromEntries(
    Object.entries(looks).flatMap(([tool, counts]) =>
      isObject(counts) && isCount(counts.cut) && isCount(counts.looked)
        ? [[tool, { cut: counts.cut, looked: counts.looked }]]
        : [],
    ),
  );
}
