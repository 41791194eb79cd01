// Selects memories: those that a session is shown without having asked, and those that match a query.
import { sha256, sumOf } from "../../lib/index.ts";
import { findInjected, findOrders } from "../../redact/index.ts";
import { queryTerms, termsOf } from "../../terms/index.ts";
import { isActive, isGuidance, memoryTypes, type StoredMemory } from "../folder/model.ts";
import type { Folder } from "../folder/store.ts";

const memoryTime = ({ created, modifiedAt }: StoredMemory) => {
  const at = Date.parse(created ?? "");
  return Number.isNaN(at) ? modifiedAt : at;
};

const typeRank = ({ type }: StoredMemory) => memoryTypes.indexOf(type ?? "reference");

const givesNoOrders = ({ type, text }: StoredMemory) =>
  findInjected(text).length === 0 && (isGuidance(type) || findOrders(text).length === 0);

/**
 * Memories that a session is shown without having asked: active, in the index, and without orders to a model. Sorted by
 * type, newest first. `confirmed` has the hashes of bodies that a person has let through.
 */
export function selectInjectable(
  { memories, index }: Pick<Folder, "memories" | "index">,
  { now, confirmed }: { readonly now: number; readonly confirmed: ReadonlySet<string> },
): StoredMemory[] {
  const listed = new Set(index.map(({ file }) => file));
  return memories
    .filter((memory) => listed.has(memory.file) && memory.problems.length === 0 && isActive(memory, now))
    .filter((memory) => confirmed.has(sha256(memory.body.trim())) || givesNoOrders(memory))
    .sort((a, b) => typeRank(a) - typeRank(b) || memoryTime(b) - memoryTime(a));
}

/** A memory that a query found. */
interface MemoryMatch {
  readonly memory: StoredMemory;
  readonly score: number;
  /** Numbered from 1. */
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}

const WEIGHTS = { name: 4, description: 3, body: 1 } as const;
const PHRASE_SCORE = 5;
const MOST_MATCHED_LINES = 3;

/** Memories that hold the words, best first: rare words and words of the title count more. */
export function rankMemories(memories: readonly StoredMemory[], query: string): MemoryMatch[] {
  const wanted = queryTerms(query).map(({ term }) => term);
  const phrase = query.trim().toLowerCase();
  const weighed = memories.map((memory) => {
    const weights = new Map<string, number>();
    for (const part of ["name", "description", "body"] as const)
      for (const term of termSet(memory[part])) weights.set(term, (weights.get(term) ?? 0) + WEIGHTS[part]);
    return { memory, weights };
  });
  const rarities = wanted.map((term) => {
    const holders = weighed.filter(({ weights }) => weights.has(term)).length;
    return { term, rarity: Math.log(1 + memories.length / (1 + holders)) };
  });
  return weighed
    .map(({ memory, weights }) => {
      const hasPhrase = phrase !== "" && memory.text.toLowerCase().includes(phrase);
      const score = sumOf(rarities, ({ term, rarity }) => (weights.get(term) ?? 0) * rarity);
      return {
        memory,
        score: score + (hasPhrase ? PHRASE_SCORE : 0),
        lines: memoryLinesWith(memory, wanted, phrase),
      };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.memory.file.localeCompare(b.memory.file));
}

function termSet(text: string) {
  const { sequence, extra } = termsOf(text);
  return new Set([...sequence, ...extra]);
}

function memoryLinesWith({ text }: StoredMemory, wanted: readonly string[], phrase: string) {
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

/** Memories first. `elsewhere` is slow and large, and asked only when no memory matches. */
export async function searchMemories<T>(
  memories: readonly StoredMemory[],
  query: string,
  elsewhere: (query: string) => readonly T[] | Promise<readonly T[]>,
): Promise<
  | { readonly from: "memories"; readonly matches: readonly MemoryMatch[] }
  | { readonly from: "elsewhere"; readonly matches: readonly T[] }
> {
  const matches = rankMemories(memories, query);
  if (matches.length > 0) return { from: "memories", matches };
  return { from: "elsewhere", matches: await elsewhere(query) };
}
