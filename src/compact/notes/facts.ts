// What notes say of each turn: what was done in it, and the answer it ended with.

import path from "node:path";
import {
  type Activity,
  callsIn,
  type FileActivity,
  fileOfCall,
  type ToolCall,
} from "../../activity/index.ts";
import { firstCharacters, isObject } from "../../lib/index.ts";
import { blocksOf, type History, isText, isToolUse, userTurns, userWords } from "../../messages/index.ts";
import type { Fact } from "./budget.ts";

interface TurnSpan {
  /** What was asked, in a few words; the same words a second time are numbered. */
  readonly request: string;
  readonly start: number;
  /** Index behind the last message. */
  readonly end: number;
}

const EARLIER = "(asked earlier)";

/** Turns, and in front of them what is left of one whose beginning is not at hand. */
function spansOf(history: History): TurnSpan[] {
  const turns = userTurns(history);
  const first = turns[0]?.start ?? history.length;
  const spans = first > 0 ? [{ request: EARLIER, start: 0, end: first }] : [];
  const seen = new Map<string, number>();
  for (const { start, end } of turns) {
    const item = history[start];
    const words = clipText(item ? userWords(item) : "", 90) || "(an image)";
    const times = (seen.get(words) ?? 0) + 1;
    seen.set(words, times);
    spans.push({ request: times > 1 ? `${words} (${times})` : words, start, end });
  }
  return spans;
}

const FILES = 6;

export function workFacts(history: History, activity: Activity): Fact[] {
  return spansOf(history).flatMap((span) => {
    const { request, start, end } = span;
    const isHere = ({ at }: { readonly at: number }) => at >= start && at < end;
    const done = [
      changedFiles(activity, span),
      commandCounts(activity.commands.filter(isHere)),
      ...activity.delegations.filter(isHere).map(({ task }) => `delegated ${clipText(task, 80)}`),
    ].filter((part) => part !== "");
    if (done.length === 0 && request === EARLIER) return [];
    const key = `- ${request}: `;
    return [{ at: end - 1, key, text: clipText(`${key}${done.join("; ") || "talked"}`, 500) }];
  });
}

function changedFiles({ files }: Activity, { start, end }: TurnSpan) {
  const changed = files.filter(
    ({ lastAt, lastAction }) => lastAction !== "read" && lastAt >= start && lastAt < end,
  );
  if (changed.length === 0) return "";
  const names = changed.slice(-FILES).map(({ path }) => clipText(path.replace(/^.*[\\/]/, ""), 60));
  return `changed ${names.join(", ")}${changed.length > FILES ? ` and ${changed.length - FILES} more` : ""}`;
}

function commandCounts(commands: Activity["commands"]) {
  if (commands.length === 0) return "";
  const failed = commands.filter(({ outcome }) => outcome === "failed").length;
  return `ran ${commands.length} command${commands.length === 1 ? "" : "s"}${failed > 0 ? `, ${failed} failed` : ""}`;
}

const ANSWER = 1_500;

/** The words with which each finished turn was closed. */
export function resultFacts(history: History): Fact[] {
  return spansOf(history).flatMap(({ request, start, end }) => {
    const last = history.slice(start, end).findLast(({ message }) => message.role === "assistant");
    if (!last || blocksOf(last.message).some(isToolUse)) return [];
    const words = blocksOf(last.message)
      .filter(isText)
      .map(({ text }) => text);
    const lines = firstLines(words.join("\n"), ANSWER);
    if (lines.join("").trim() === "") return [];
    const key = `- On “${request}”:`;
    return [{ at: end - 1, key, text: [key, ...lines.map((line) => `  ${line}`)].join("\n") }];
  });
}

/** A line that gives something a name: a function, a class, a type, a rule of a makefile's kind is none. */
const definitionLine =
  /^(?:\s*\d+(?:→|\t|:))?\s*(?:(?:export|default|public|private|protected|static|async|abstract|pub(?:\([a-z]+\))?|final|override|const)\s+)*(?:function\*?|class|interface|type|enum|struct|trait|impl|def|fn|func|module|const|let|var)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]{2,})/gm;

const NAMES = 12;
const LONGEST_SEARCHED = 200_000;

/** The text a call wrote into its file, or read from it. */
function textOfFileCall({ input, output }: ToolCall) {
  const edits = Array.isArray(input.edits) ? input.edits.filter(isObject) : [];
  const written = [input.content, input.new_string, ...edits.map(({ new_string: text }) => text)];
  const texts = written.filter((text) => typeof text === "string");
  return texts.length > 0 ? texts.join("\n") : output;
}

/** Names by file, the latest first. What was written counts before what was only read. */
function namesByFile(history: History) {
  const found = new Map<string, { readonly written: string[]; readonly read: string[] }>();
  for (const call of callsIn(history).reverse()) {
    const file = fileOfCall(call);
    if (!file || call.outcome !== "ok") continue;
    const names = found.get(file.path) ?? { written: [], read: [] };
    found.set(file.path, names);
    const list = file.action === "read" ? names.read : names.written;
    if (list.length >= NAMES) continue;
    for (const [, name = ""] of textOfFileCall(call).slice(0, LONGEST_SEARCHED).matchAll(definitionLine))
      list.push(name);
  }
  return new Map(
    [...found].map(([file, { written, read }]) => [
      file,
      [...new Set([...written, ...read])].slice(0, NAMES),
    ]),
  );
}

function actionsOf({ writes, edits, reads }: FileActivity) {
  return [writes > 0 ? "written" : "", edits > 0 ? "edited" : "", reads > 0 ? "read" : ""].filter(Boolean);
}

const entry = /^- `.*?` \(([^)]*)\)(?:: (.*))?$/;

export function fileFacts(history: History, { files }: Activity): Fact[] {
  const names = namesByFile(history);
  return files.map((file) => {
    const key = `- \`${clipText(file.path, 240)}\``;
    const write = (actions: readonly string[], holds: readonly string[]) =>
      `${key} (${actions.join(", ")})${holds.length === 0 ? "" : `: ${holds.join(", ")}`}`;
    const [actions, holds] = [actionsOf(file), names.get(file.path) ?? []];
    const join = (before: string) => {
      const known = entry.exec(before);
      // An entry in words of a person or model is more specific than a generated one.
      if (!known) return before;
      const union = (one: readonly string[], other = "") => [
        ...new Set([...one, ...other.split(", ").filter(Boolean)]),
      ];
      return write(union(actions, known[1]), union(holds, known[2]).slice(0, NAMES));
    };
    return { at: file.lastAt, key, text: write(actions, holds), join };
  });
}

const FILES_OF_FOLDER = 12;

/** Folders in which something was changed, with the files that were seen there. */
export function codebaseFacts({ files }: Activity): Fact[] {
  const folders = new Map<string, FileActivity[]>();
  for (const file of files) {
    const folder = path.posix.dirname(file.path.replaceAll("\\", "/"));
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const facts = [...folders].flatMap(([folder, seen]) => {
    if (!seen.some(({ edits, writes }) => edits + writes > 0)) return [];
    const key = `- \`${clipText(folder, 240)}/\`: `;
    const names = seen.map((file) => path.posix.basename(file.path.replaceAll("\\", "/"))).reverse();
    const more = names.length > FILES_OF_FOLDER ? ` and ${names.length - FILES_OF_FOLDER} more` : "";
    const at = Math.max(...seen.map(({ lastAt }) => lastAt));
    return [{ at, key, text: `${key}${clipText(names.slice(0, FILES_OF_FOLDER).join(", "), 500)}${more}` }];
  });
  return facts.sort((a, b) => a.at - b.at);
}

/** What colours a terminal says nothing on a page. */
const colour = /\p{Cc}\[[\d;]*m/gu;

/** A text on one line, without control characters. */
export function oneLine(text: string) {
  return text
    .replace(colour, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** The beginning of a text on one line; never half a character. */
export function clipText(text: string, characters: number) {
  // Only as much is folded as can be shown: a text may be megabytes long.
  const line = oneLine(firstCharacters(text, characters * 4));
  if (line.length <= characters) return text.length > characters * 4 ? `${line}…` : line;
  return `${firstCharacters(line, characters - 1)}…`;
}

/** The first lines of a text, as they are, within so many characters. */
function firstLines(text: string, characters: number) {
  const lines = text.trim().split("\n");
  const kept: string[] = [];
  let room = characters;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) return [...kept, kept.length === 0 ? clipText(line, characters) : "…"];
    kept.push(line.trimEnd());
  }
  return kept;
}
