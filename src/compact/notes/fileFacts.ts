// What notes say of files: what was done with each, which names it holds, and which folders belong together.
import path from "node:path";
import { type Activity, type FileActivity, fileOfCall, outcomeOf } from "../../activity/index.ts";
import { isObject } from "../../lib/index.ts";
import { type History, type ToolPair, textOf, toolPairs } from "../../messages/index.ts";
import type { Fact } from "./entries.ts";
import { clip } from "./words.ts";

/** A line that gives something a name: a function, a class, a type, a rule of a makefile's kind is none. */
const definition =
  /^(?:\s*\d+(?:→|\t|:))?\s*(?:(?:export|default|public|private|protected|static|async|abstract|pub(?:\([a-z]+\))?|final|override|const)\s+)*(?:function\*?|class|interface|type|enum|struct|trait|impl|def|fn|func|module|const|let|var)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]{2,})/gm;

const NAMES = 12;
const LONGEST_SEARCHED = 200_000;

/** The text a call wrote into its file, or read from it. */
function contentOf(pair: ToolPair) {
  const input = isObject(pair.use.input) ? pair.use.input : {};
  const edits = Array.isArray(input.edits) ? input.edits.filter(isObject) : [];
  const written = [input.content, input.new_string, ...edits.map(({ new_string: text }) => text)];
  const texts = written.filter((text) => typeof text === "string");
  return texts.length > 0 ? texts.join("\n") : textOf(pair.result?.content);
}

/** Names by file, the latest first. What was written counts before what was only read. */
function namesByFile(history: History) {
  const found = new Map<string, { readonly written: string[]; readonly read: string[] }>();
  for (const pair of toolPairs(history).reverse()) {
    const call = fileOfCall(pair);
    if (!call || outcomeOf(pair) !== "ok") continue;
    const names = found.get(call.path) ?? { written: [], read: [] };
    found.set(call.path, names);
    const list = call.action === "read" ? names.read : names.written;
    if (list.length >= NAMES) continue;
    for (const [, name = ""] of contentOf(pair).slice(0, LONGEST_SEARCHED).matchAll(definition))
      list.push(name);
  }
  return new Map(
    [...found].map(([file, { written, read }]) => [
      file,
      [...new Set([...written, ...read])].slice(0, NAMES),
    ]),
  );
}

function deedsOf({ writes, edits, reads }: FileActivity) {
  return [writes > 0 ? "written" : "", edits > 0 ? "edited" : "", reads > 0 ? "read" : ""].filter(Boolean);
}

const entry = /^- `.*?` \(([^)]*)\)(?:: (.*))?$/;

export function fileFacts(history: History, { files }: Activity): Fact[] {
  const names = namesByFile(history);
  return files.map((file) => {
    const key = `- \`${clip(file.path, 240)}\``;
    const write = (deeds: readonly string[], holds: readonly string[]) =>
      `${key} (${deeds.join(", ")})${holds.length === 0 ? "" : `: ${holds.join(", ")}`}`;
    const [deeds, holds] = [deedsOf(file), names.get(file.path) ?? []];
    const join = (before: string) => {
      const known = entry.exec(before);
      // An entry that somebody has put into words says more than ours.
      if (!known) return before;
      const union = (one: readonly string[], other = "") => [
        ...new Set([...one, ...other.split(", ").filter(Boolean)]),
      ];
      return write(union(deeds, known[1]), union(holds, known[2]).slice(0, NAMES));
    };
    return { at: file.lastAt, key, text: write(deeds, holds), join };
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
    const key = `- \`${clip(folder, 240)}/\`: `;
    const names = seen.map((file) => path.posix.basename(file.path.replaceAll("\\", "/"))).reverse();
    const more = names.length > FILES_OF_FOLDER ? ` and ${names.length - FILES_OF_FOLDER} more` : "";
    const at = Math.max(...seen.map(({ lastAt }) => lastAt));
    return [{ at, key, text: `${key}${clip(names.slice(0, FILES_OF_FOLDER).join(", "), 500)}${more}` }];
  });
  return facts.sort((a, b) => a.at - b.at);
}
