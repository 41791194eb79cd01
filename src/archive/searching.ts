// Finds archived conversations by words: in any script, by what stands in them, without an index.
import { isObject, singleLine } from "../lib/index.ts";
import { type ArchivedSession, readArchive } from "./archiveIndex.ts";
import { readMarkdown } from "./formats.ts";

interface Snippet {
  /** Who speaks, or what was done. */
  readonly label: string;
  readonly text: string;
}

interface ArchiveHit extends ArchivedSession {
  /** Turns that hold one of the words. */
  readonly matches: number;
  /** The best of them, cut around the first word that is found. */
  readonly snippets: readonly Snippet[];
}

const MOST_SNIPPETS = 3;
const SNIPPET_CHARACTERS = 200;
const BEFORE_WORD = 60;

const caseFolded = (text: string) => text.normalize("NFC").toLowerCase();

function turnsOf(archive: ArchivedSession): Snippet[] {
  const text = readArchive(archive);
  if (archive.format === "md") return [...readMarkdown(text).parts];
  const content: unknown = JSON.parse(text);
  const parts: readonly unknown[] = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
  return parts.flatMap((part) =>
    isObject(part) && typeof part.text === "string"
      ? [{ label: String(part.role ?? part.kind), text: part.text }]
      : [],
  );
}

function snippetOf({ label, text }: Snippet, words: readonly string[]): Snippet {
  const line = singleLine(text);
  const places = words.map((word) => caseFolded(line).indexOf(word)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...places) - BEFORE_WORD);
  const until = from + SNIPPET_CHARACTERS;
  const [before, after] = [from > 0 ? "…" : "", until < line.length ? "…" : ""];
  return { label, text: `${before}${line.slice(from, until)}${after}` };
}

interface RankedArchive {
  readonly hit: ArchiveHit;
  /** Words that stand in one turn together, or in the title. */
  readonly together: number;
}

function rank(archive: ArchivedSession, words: readonly string[]): RankedArchive[] {
  const found = (text: string) => {
    const whole = caseFolded(text);
    return words.filter((word) => whole.includes(word));
  };
  const inTitle = found(archive.title);
  const turns = turnsOf(archive)
    .map((turn) => ({ turn, found: found(turn.text) }))
    .filter((one) => one.found.length > 0)
    .toSorted((a, b) => b.found.length - a.found.length);
  const all = new Set([...inTitle, ...turns.flatMap((one) => one.found)]);
  if (all.size < words.length) return [];
  const snippets = turns.slice(0, MOST_SNIPPETS).map(({ turn }) => snippetOf(turn, words));
  const together = Math.max(inTitle.length, turns[0]?.found.length ?? 0);
  return [{ hit: { ...archive, matches: turns.length, snippets }, together }];
}

interface ArchiveSearch {
  readonly hits: readonly ArchiveHit[];
  /** Files that could not be read. */
  readonly unreadable: readonly string[];
}

/** Archives that hold every word, those first in which most of them stand together; then the newest conversations. */
export function searchArchives(archives: readonly ArchivedSession[], query: string): ArchiveSearch {
  const words = [...new Set(caseFolded(query).split(/\s+/).filter(Boolean))];
  const unreadable: string[] = [];
  const ranked = archives.flatMap((archive) => {
    try {
      return words.length === 0 ? [] : rank(archive, words);
    } catch {
      unreadable.push(archive.file);
      return [];
    }
  });
  ranked.sort((a, b) => b.together - a.together || b.hit.beganAt - a.hit.beganAt);
  return { hits: ranked.map(({ hit }) => hit), unreadable };
}
