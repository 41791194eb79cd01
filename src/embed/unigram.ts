// Text into the numbers that models of SentencePiece's kind read: the most probable way to cut it into pieces.
import { isObject } from "../lib/index.ts";
import type { Tokenizer } from "./wordPiece.ts";

/** Stands for a space, also before the first word. */
const SPACE = "\u2581";
/** What is in no piece costs this much more than the least probable piece. */
const UNKNOWN_COST = 10;

interface Pieces {
  readonly scores: ReadonlyMap<string, readonly [id: number, score: number]>;
  readonly unknown: number;
  readonly longest: number;
  readonly least: number;
}

/** Viterbi: the best way to reach each place in the word, then back from its end. */
function cutWord(word: string, { scores, unknown, longest, least }: Pieces) {
  const letters = [...word];
  const best: { readonly score: number; readonly from: number; readonly id: number }[] = [
    { score: 0, from: 0, id: unknown },
  ];
  for (let to = 1; to <= letters.length; to += 1) {
    const last = best[to - 1]?.score ?? 0;
    let found = { score: last + least - UNKNOWN_COST, from: to - 1, id: unknown };
    let written = "";
    for (let from = to - 1; from >= 0 && to - from <= longest; from -= 1) {
      written = letters[from] + written;
      const piece = scores.get(written);
      if (piece === undefined) continue;
      const score = (best[from]?.score ?? 0) + piece[1];
      if (score > found.score) found = { score, from, id: piece[0] };
    }
    best.push(found);
  }
  const ids: number[] = [];
  for (let to = letters.length; to > 0; to = best[to]?.from ?? 0) ids.push(best[to]?.id ?? unknown);
  return ids.reverse();
}

/** `tokenizer.json` of the kind Unigram. Throws where it has no pieces. */
export function unigramFromJson(value: unknown): Tokenizer {
  const model = isObject(value) && isObject(value.model) ? value.model : {};
  const vocabulary = Array.isArray(model.vocab) ? model.vocab : [];
  const scores = new Map<string, readonly [number, number]>();
  let [longest, least] = [1, 0];
  for (const [id, entry] of vocabulary.entries()) {
    if (!Array.isArray(entry) || typeof entry[0] !== "string") continue;
    const score = Number(entry[1]);
    scores.set(entry[0], [id, score]);
    longest = Math.max(longest, [...entry[0]].length);
    least = Math.min(least, score);
  }
  if (scores.size === 0) throw new Error("its vocabulary has no pieces");
  const unknown = Number(model.unk_id ?? 0);
  const pieces = { scores, unknown, longest, least };
  const mark = (name: string) => scores.get(name)?.[0];
  const [begin, end] = [mark("<s>") ?? mark("[CLS]"), mark("</s>") ?? mark("[SEP]")];
  return {
    unknown,
    ...(begin !== undefined && end !== undefined && { marks: [begin, end] as const }),
    pieces(text, most) {
      const words = text.normalize("NFKC").split(/\s+/).filter(Boolean);
      const found: number[] = [];
      for (const word of words) {
        if (found.length >= most) break;
        found.push(...cutWord(SPACE + word, pieces));
      }
      return found.slice(0, most);
    },
  };
}
