// A word that is still being typed stands for many: what the index gives is named as the question names it.
import type { EntryNeighbours } from "../store/index.ts";
import { standsFor } from "../terms/index.ts";
import type { Gathering } from "./gather.ts";
import type { FoundEntry, FoundText } from "./model.ts";
import { type Question, unfinishedTerm } from "./question.ts";

/** The same, seen with one term for all that the unfinished one stands for. */
export function withTypedTerm(gathering: Gathering, { terms }: Question): Gathering {
  const unfinished = unfinishedTerm(terms);
  if (unfinished === undefined) return gathering;
  const isMeant = standsFor(unfinished);
  const own = new Set(terms.map(({ term }) => term));
  const renamed = (words: readonly string[]) =>
    words.map((word) => (!own.has(word) && isMeant(word) ? unfinished : word));
  const entry = <T extends FoundEntry>(one: T): T => ({ ...one, title: renamed(one.title) });
  const text = <T extends FoundText>(one: T): T => ({
    ...one,
    entry: entry(one.entry),
    sequence: renamed(one.sequence),
    extra: renamed(one.extra),
  });
  const sides = ({ before, after }: EntryNeighbours): EntryNeighbours => ({
    before: before.map(entry),
    after: after.map(entry),
  });
  const { store, others, near } = gathering;
  return {
    ...gathering,
    others: others.map(text),
    ...(near === undefined ? {} : { near: near.map(text) }),
    store: {
      termStatistics: (wanted, filter) => store.termStatistics(wanted, filter),
      vocabulary: (beginning, limit) => store.vocabulary(beginning, limit),
      passages: async (request) => (await store.passages(request)).map(text),
      entries: async (filter, limit) => (await store.entries(filter, limit)).map(entry),
      surroundings: async (entries, reach) =>
        new Map([...(await store.surroundings(entries, reach))].map(([id, around]) => [id, sides(around)])),
    },
  };
}
