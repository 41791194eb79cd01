// Finds memories by words, like grep but ranked; transcripts and archives are asked only when no memory answers.
import { queryTerms, termsOf } from "../../terms/index.ts";
import type { StoredMemory } from "../folder/model.ts";

interface MatchedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

interface MemoryMatch {
  readonly memory: StoredMemory;
  readonly score: number;
  readonly lines: readonly MatchedLine[];
}

const WEIGHTS = { name: 4, description: 3, body: 1 } as const;
const MOST_MATCHED_LINES = 3;

/** Memories that hold the words, best first: rare words and words of the title count more. */
export function rankMemories(memories: readonly StoredMemory[], query: string): MemoryMatch[] {
  const wanted = queryTerms(query).map(({ term }) => term);
  const phrase = query.trim().toLowerCase();
  const sets = memories.map((memory) => ({
    memory,
    name: termSet(memory.name),
    description: termSet(memory.description),
    body: termSet(memory.body),
  }));
  const holds = (at: (typeof sets)[number], term: string): boolean =>
    at.name.has(term) || at.description.has(term) || at.body.has(term);
  const rarity = new Map(
    wanted.map((term) => [
      term,
      Math.log(1 + memories.length / (1 + sets.filter((each) => holds(each, term)).length)),
    ]),
  );
  return sets
    .map((each) => {
      const score = wanted.reduce((sum, term) => {
        const weight = (["name", "description", "body"] as const).reduce(
          (most, part) => (each[part].has(term) ? most + WEIGHTS[part] : most),
          0,
        );
        return sum + weight * (rarity.get(term) ?? 0);
      }, 0);
      const hasPhrase = phrase !== "" && each.memory.text.toLowerCase().includes(phrase);
      return {
        memory: each.memory,
        score: score + (hasPhrase ? 5 : 0),
        lines: memoryLinesWith(each.memory, wanted, phrase),
      };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.memory.file.localeCompare(b.memory.file));
}

function termSet(text: string): Set<string> {
  const { sequence, extra } = termsOf(text);
  return new Set([...sequence, ...extra]);
}

function memoryLinesWith({ text }: StoredMemory, wanted: readonly string[], phrase: string): MatchedLine[] {
  return text
    .split("\n")
    .map((line, at) => ({ line: at + 1, text: line.trim() }))
    .filter(({ text: line }) => {
      if (line === "" || line === "---") return false;
      const terms = termSet(line);
      return line.toLowerCase().includes(phrase) || wanted.some((term) => terms.has(term));
    })
    .slice(0, MOST_MATCHED_LINES);
}

type SearchOutcome<T> =
  | { readonly from: "memories"; readonly matches: readonly MemoryMatch[] }
  | { readonly from: "elsewhere"; readonly matches: readonly T[] };

/** Memories first. What is slow and large is looked into only when they say nothing. */
export async function searchMemories<T>(
  memories: readonly StoredMemory[],
  query: string,
  elsewhere: (query: string) => readonly T[] | Promise<readonly T[]>,
): Promise<SearchOutcome<T>> {
  const matches = rankMemories(memories, query);
  if (matches.length > 0) return { from: "memories", matches };
  return { from: "elsewhere", matches: await elsewhere(query) };
}
