// Makes the labelled set: every kind in every sort of place, and texts that only look like it.
import { type Context, heldOut, tuned } from "./contexts.ts";
import { type Kind, namedKinds, shapedKinds } from "./kinds.ts";
import { heldOutLookAlikes, type LookAlike, tunedLookAlikes } from "./lookalikes.ts";
import { Random } from "./random.ts";
import { heldOutStructures, type Structured, tunedStructures } from "./structured.ts";

export interface Label {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** One line of a labelled set. */
export interface Labelled {
  readonly text: string;
  readonly secrets: readonly Label[];
}

export type Half = "tuned" | "held-out";

const halves = {
  tuned: { contexts: tuned, structures: tunedStructures, lookAlikes: tunedLookAlikes },
  "held-out": { contexts: heldOut, structures: heldOutStructures, lookAlikes: heldOutLookAlikes },
} as const satisfies Record<
  Half,
  { contexts: readonly Context[]; structures: readonly Structured[]; lookAlikes: readonly LookAlike[] }
>;

function inContext(random: Random, kind: Kind, context: Context): Labelled {
  const value = kind.make(random);
  const text = context(random.pick(kind.names), value);
  const start = text.indexOf(value);
  if (start < 0) throw new Error(`the context lost the value of ${kind.kind}: ${text}`);
  return { text, secrets: [{ kind: kind.kind, start, end: start + value.length }] };
}

function ofStructure(random: Random, structured: Structured): Labelled {
  const parts = structured(random);
  const secrets: Label[] = [];
  let text = parts[0];
  for (let at = 1; at + 1 < parts.length; at += 3) {
    const [kind = "", value = "", after = ""] = parts.slice(at, at + 3);
    secrets.push({ kind, start: text.length, end: text.length + value.length });
    text += value + after;
  }
  return { text, secrets };
}

/** The same set for the same seed. */
export function generate(half: Half, seed = "1"): Labelled[] {
  const random = new Random(`${half}/${seed}`);
  const { contexts, structures, lookAlikes } = halves[half];
  const kinds = [...shapedKinds, ...shapedKinds, ...namedKinds, ...namedKinds, ...namedKinds, ...namedKinds];
  const positives = kinds.map((kind) => inContext(random, kind, random.pick(contexts)));
  const structured = [1, 2, 3].flatMap(() => structures.map((each) => ofStructure(random, each)));
  const negatives = Array.from({ length: 6 }, () => lookAlikes)
    .flat()
    .map((make) => ({ text: make(random), secrets: [] }));
  return [...positives, ...structured, ...negatives];
}
