// MEMORY.md: one line for each memory, and how much of it Claude Code loads. An index, never the memory itself.
import { singleLine } from "../../lib/index.ts";

/** What Claude Code loads of the index, and when to warn. */
export const indexBudget = {
  /** The seed's numbers, and measured on Claude Code 2.1.325: the size is in characters, not bytes. */
  lines: 200,
  characters: 25_000,
  /** A choice: 70 % of what is loaded. */
  warnLines: 140,
  warnCharacters: 17_500,
  /** Characters after which a line stops being a pointer. A choice. */
  lineCharacters: 200,
} as const;

/** A line of MEMORY.md. */
export interface IndexLine {
  readonly title: string;
  readonly file: string;
  readonly hook: string;
  /** From 0, in the whole text. */
  readonly at: number;
  readonly text: string;
}

const INDEX_LINE =
  /^\s{0,3}[-*] \[((?:\\.|[^\]\\])+)\]\((?:<([^<>]+)>|([^()<>]+?))\)(?:\s*(?:—|–|-|:)\s*(.*))?\s*$/;

/** A name as it is written in a link, and as it is on the disk. */
function fileOfLink(link: string) {
  const plain = link.replace(/^\.\//, "");
  if (!plain.includes("%")) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    // A percent sign that is only one.
    return plain;
  }
}

export function readIndexLines(text: string): IndexLine[] {
  return text.split("\n").flatMap((line, at) => {
    const [, title, quoted, plain, hook = ""] = INDEX_LINE.exec(line.replace(/\r$/, "")) ?? [];
    const link = quoted ?? plain;
    if (title === undefined || link === undefined || !link.toLowerCase().endsWith(".md")) return [];
    return { title: title.replace(/\\(.)/g, "$1"), file: fileOfLink(link), hook, at, text: line };
  });
}

/** The line in the form that Claude Code writes. */
export function indexLine({ name, file, description }: { name: string; file: string; description: string }) {
  const title = singleLine(name).replace(/[[\]\\]/g, (bracket) => `\\${bracket}`);
  const room = Math.max(20, indexBudget.lineCharacters - title.length - file.length - 9);
  const hook = singleLine(description);
  const cut =
    [...hook].length > room
      ? `${[...hook]
          .slice(0, room - 1)
          .join("")
          .trimEnd()}…`
      : hook;
  return `- [${title}](${/[\s()%]/.test(file) ? `<${file.replaceAll("%", "%25")}>` : file}) — ${cut}`;
}

/** Puts, replaces or (with undefined) takes out the line of a file; every other byte stays. */
export function withIndexLine(text: string, file: string, line: string | undefined) {
  const lines = text.split("\n");
  const own = readIndexLines(text).filter((entry) => entry.file === file);
  const [first] = own;
  if (line !== undefined && first) lines[first.at] = line;
  for (const { at } of own.slice(line === undefined ? 0 : 1).reverse()) lines.splice(at, 1);
  if (line === undefined || first) return lines.join("\n");
  // Behind the last one: what stands below the list stays below it.
  const last = readIndexLines(text).at(-1);
  if (last) lines.splice(last.at + 1, 0, line);
  else lines.splice(lines.at(-1) === "" ? lines.length - 1 : lines.length, 0, line);
  const result = lines.join("\n");
  return result.endsWith("\n") ? result : `${result}\n`;
}

/** The size of MEMORY.md, and how near it is to its limits. */
export interface IndexSize {
  readonly lines: number;
  readonly characters: number;
  /** The lines of memories that are not loaded any more. */
  readonly unseen: readonly IndexLine[];
  readonly state: "fine" | "near" | "over";
}

/** What Claude Code strips before it counts: the frontmatter, and comments that are blocks of their own. */
function loadedPart(text: string) {
  return text
    .replace(/^---[ \t]*\r?\n[\s\S]*?^---[ \t]*(?:\r?\n|$)/m, (head, at: number) => (at === 0 ? "" : head))
    .replace(/^[ \t]{0,3}<!--[\s\S]*?-->[ \t]*(?:\r?\n|$)/gm, "")
    .trim();
}

export function sizeOfIndex(text: string): IndexSize {
  const loaded = loadedPart(text);
  const all = loaded === "" ? [] : loaded.split("\n");
  let seen = 0;
  for (let characters = 0; seen < Math.min(all.length, indexBudget.lines); seen++) {
    characters += (all[seen]?.length ?? 0) + 1;
    if (characters - 1 > indexBudget.characters) break;
  }
  const unseen = readIndexLines(all.slice(seen).join("\n"));
  const isOver = all.length > indexBudget.lines || loaded.length > indexBudget.characters;
  const isNear = all.length >= indexBudget.warnLines || loaded.length >= indexBudget.warnCharacters;
  return {
    lines: all.length,
    characters: loaded.length,
    unseen,
    state: isOver ? "over" : isNear ? "near" : "fine",
  };
}
