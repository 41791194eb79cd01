// What two memories are to each other: the same, nearly the same, or in contradiction.

import { isActive, type StoredMemory } from "../folder/model.ts";
import { contradiction, type Statement, statementsOf } from "./contradictions.ts";
import { type Likeness, likeness, likenessOf } from "./similarity.ts";

/** What a body says, made once and compared often. */
interface Said {
  readonly body: string;
  readonly like: Likeness;
  readonly statements: readonly Statement[];
}

export const saidIn = (body: string): Said => ({
  body,
  like: likenessOf(body),
  statements: statementsOf(body),
});

export interface Relation {
  readonly kind: "duplicate" | "near-duplicate" | "contradiction";
  /** In words, about a memory of that name. */
  readonly words: (other: string) => string;
}

/** How the second is related to the first. What contradicts it is not called nearly the same. */
export function relationsOf(first: Said, second: Said): Relation[] {
  const alike = first.body === second.body ? "same" : likeness(first.like, second.like);
  const found: Relation[] = [];
  if (alike === "same") found.push({ kind: "duplicate", words: (other) => `it says the same as ${other}` });
  const against = first.statements.flatMap((one) =>
    second.statements.flatMap((two) => contradiction(one, two) ?? []),
  )[0];
  if (against !== undefined)
    found.push({ kind: "contradiction", words: (other) => `it contradicts ${other}: ${against}` });
  else if (alike === "near")
    found.push({ kind: "near-duplicate", words: (other) => `it says nearly the same as ${other}` });
  return found;
}

/** What a memory that is being saved is to those that hold; those that it replaces are no concern. */
export function relatedTo(
  body: string,
  memories: readonly StoredMemory[],
  { now, except }: { readonly now: number; readonly except: readonly string[] },
): string[] {
  const said = saidIn(body);
  return memories
    .filter((memory) => isActive(memory, now) && !except.includes(memory.file))
    .flatMap(({ file, body: other }) => relationsOf(saidIn(other), said).map(({ words }) => words(file)));
}
