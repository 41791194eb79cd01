// The interface of embedders, and the check of their answers.
import { defined, ThroughlineError } from "../lib/index.ts";

/** Some models want other words before a question than before a passage. */
export type EmbeddedAs = "question" | "passage";

export interface Embedder {
  /** No other model has it: vectors of two models cannot be compared. */
  readonly id: string;
  readonly dimensions: number;
  /** What it was made for. Vectors of other languages mean nothing. */
  readonly languages: "en" | "any";
  /** The batch size in the background: small where a question has to wait for a batch. */
  readonly batch: number;
  /** One vector for each text, in their order; of passages unless told otherwise. Rejects with a `ThroughlineError` when it cannot. */
  embed(texts: readonly string[], as?: EmbeddedAs): Promise<Float32Array[]>;
  /** Releases what it holds; the next `embed` acquires it again. */
  close(): Promise<void>;
}

export function cannotEmbed(why: string, fix: string, cause?: unknown): ThroughlineError {
  return new ThroughlineError("embedder-failed", why, { fix, ...defined({ cause }) });
}

/** As many as were asked for, each as long as all: anything else would put vectors to the wrong texts. */
export function checkVectors(answer: unknown, count: number): Float32Array[] {
  const vectors: readonly unknown[] = Array.isArray(answer) ? answer : [];
  const lists = vectors.filter(
    (one): one is readonly number[] => Array.isArray(one) || one instanceof Float32Array,
  );
  const length = lists[0]?.length ?? 0;
  const isWhole = lists.every((one) => one.length === length && one.every(Number.isFinite));
  if (vectors.length !== count || lists.length !== count || (count > 0 && length === 0) || !isWhole)
    throw cannotEmbed(
      "the embedder did not answer with one vector for each text",
      "choose another with search.embedder, or none",
    );
  return lists.map((one) => Float32Array.from(one));
}
