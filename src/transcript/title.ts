// Chooses the title of a conversation: the person's, else the agent's, else its first words.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { isObject, parseJson } from "../lib/index.ts";
import { type Title, type TitleEntry, textField } from "./model.ts";

const TITLE_CHARACTERS = 200;
const PROMPT_CHARACTERS = 80;
const INDEX_BYTES = 16 * 1024 * 1024;

/** One line of at most `limit` characters, in any script. A copy: it does not keep `text` in memory. */
function shortTitle(text: string, limit: number) {
  const near = text
    .slice(0, limit * 8)
    .replace(/\s+/gu, " ")
    .trim();
  return Array.from(near).slice(0, limit).join("").trim();
}

/** The first line of a prompt that says anything, cut to a title's length. */
export function promptTitle(words: string) {
  return shortTitle(words.trimStart().split(/[\r\n]/u, 1)[0] ?? "", PROMPT_CHARACTERS);
}

/** A title as one line, whatever it was given as. */
export function titleLine(text: string) {
  return shortTitle(text, TITLE_CHARACTERS);
}

/** Collects the titles a transcript gives itself while it is read. */
export class TitleFinder {
  #custom = "";
  #ai = "";
  #lastSummary = "";
  readonly #summaries = new Map<string, string>();

  add(entry: TitleEntry) {
    const text = titleLine(entry.text);
    if (entry.source === "custom") this.#custom = text;
    else if (entry.source === "ai") this.#ai = text;
    else if (text !== "") {
      this.#lastSummary = text;
      if (entry.leaf === undefined) return;
      // Set anew so that the map's order is the file's: the last summary wins.
      this.#summaries.delete(entry.leaf);
      this.#summaries.set(entry.leaf, text);
    }
  }

  /** The best title found in the rows. Files also carry summaries of other sessions: those come last. */
  choose(isOwn: (uuid: string) => boolean): Title | undefined {
    if (this.#custom !== "") return { text: this.#custom, source: "custom" };
    if (this.#ai !== "") return { text: this.#ai, source: "ai" };
    const own = [...this.#summaries].filter(([leaf]) => isOwn(leaf)).at(-1)?.[1];
    const summary = own ?? this.#lastSummary;
    return summary === "" ? undefined : { text: summary, source: "summary" };
  }
}

/** The title in the sessions-index.json that older versions kept beside the transcripts. */
export async function indexTitle(file: string, sessionId: string | undefined): Promise<Title | undefined> {
  const index = await readIndex(path.join(path.dirname(file), "sessions-index.json"));
  const entries = isObject(index) && Array.isArray(index.entries) ? index.entries.filter(isObject) : [];
  const entry = entries.find((candidate) => textField(candidate, "sessionId") === sessionId);
  const text = entry && shortTitle(textField(entry, "summary") ?? "", TITLE_CHARACTERS);
  return text ? { text, source: "index" } : undefined;
}

async function readIndex(file: string) {
  try {
    const facts = await stat(file);
    return facts.isFile() && facts.size <= INDEX_BYTES ? parseJson(await readFile(file, "utf8")) : undefined;
  } catch {
    // Most folders have none; a title is never worth a failure.
    return undefined;
  }
}
