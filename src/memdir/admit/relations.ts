// What two memories are to each other: the same, nearly the same, or in contradiction.

import { isActive, type StoredMemory } from "../folder/model.ts";
import { findContradiction, type MemoryStatement, statementsOf } from "./contradictions.ts";
import { type Likeness, likeness, likenessOf } from "./similarity.ts";

/** What a body says, made once and compared often. */
interface ComparedBody {
  readonly body: string;
  readonly like: Likeness;
  readonly statements: readonly MemoryStatement[];
}

export const comparedBody = (body: string): ComparedBody => ({
  body,
  like: likenessOf(body),
  statements: statementsOf(body),
});

export interface MemoryRelation {
  readonly kind: "duplicate" | "near-duplicate" | "contradiction";
  /** In words, about a memory of that name. */
  readonly words: (other: string) => string;
}

/** How the second is related to the first. What contradicts it is not called nearly the same. */
export function relationsOf(first: ComparedBody, second: ComparedBody): MemoryRelation[] {
  const alike = first.body === second.body ? "same" : likeness(first.like, second.like);
  const found: MemoryRelation[] = [];
  if (alike === "same") found.push({ kind: "duplicate", words: (other) => `it says the same as ${other}` });
  const against = first.statements.flatMap((one) =>
    second.statements.flatMap((two) => findContradiction(one, two) ?? []),
  )[0];
  if (against !== undefined)
    found.push({ kind: "contradiction", words: (other) => `it contradicts ${other}: ${against}` });
  else if (alike === "near")
    found.push({ kind: "near-duplicate", words: (other) => `it says nearly the same as ${other}` });
  return found;
}

/** What a memory that is being saved is to those that hold; those that it replaces are no concern. */
export function describeRelations(
  body: string,
  memories: readonly StoredMemory[],
  { now, except }: { readonly now: number; readonly except: readonly string[] },
): string[] {
  const said = comparedBody(body);
  return memories
    .filter((memory) => isActive(memory, now) && !except.includes(memory.file))
    .flatMap(({ file, body: other }) =>
      relationsOf(comparedBody(other), said).map(({ words }) => words(file)),
    );
}
