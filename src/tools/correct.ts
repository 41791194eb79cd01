// Lets a user edit or delete one observation or summary, and undo that.
import { z } from "zod";
import { answersFolder, type Home } from "../home/index.ts";
import { check, notFoundError, observationTypes, removeTree, usageError } from "../lib/index.ts";
import { type Hit, hitFrom, readRef, refOf, rowsOf } from "../search/index.ts";
import type { Correction, IndexedRow, KnowledgeStore } from "../store/index.ts";

const line = z.string().trim().max(20_000);

/** What an edit may change; the empty text removes what was there. */
const observationEdit = z
  .object({
    type: z.enum(observationTypes),
    ...{ title: line.min(1), subtitle: line, narrative: line, text: line },
  })
  .partial();
const summaryEdit = z
  .object({
    ...{ request: line, investigated: line, learned: line, completed: line, nextSteps: line, notes: line },
  })
  .partial();

const correctionRequest = z
  .object({ ref: z.string(), action: z.enum(["show", "edit", "delete", "undo"]) })
  .extend({ text: z.record(z.string(), z.unknown()).default({}) });

interface CorrectionParts {
  readonly home: Home;
  readonly store: Pick<KnowledgeStore, "correct" | "undoCorrection"> & Parameters<typeof rowsOf>[0];
  readonly redact: <T extends object>(value: T) => T;
}

export interface Corrected {
  readonly ref: string;
  readonly outcome: "found" | "edited" | "deleted" | "undone";
  /** As it is now; a deleted one as it was. */
  readonly item: Hit;
}

type CorrectedRow = Extract<IndexedRow, { readonly kind: Correction["kind"] }>;

function placeFrom(text: string) {
  const found = readRef(text);
  if (found?.kind === "observation" || found?.kind === "summary") return { kind: found.kind, id: found.ref };
  throw usageError(
    `${text} is not the id of an observation or a summary`,
    "ids as search and timeline print them: '#12', S3; prompts and messages are deleted with their session: `throughline forget --session ID`",
  );
}

async function rowAt({ store }: CorrectionParts, { kind, id }: ReturnType<typeof placeFrom>) {
  const name = refOf(kind, id);
  return (await rowsOf(store, [{ kind, ref: id }])).get(name) as CorrectedRow | undefined;
}

/** The row's text with what was given in its place. */
function editedText({ kind, row }: CorrectedRow, given: object, redact: CorrectionParts["redact"]) {
  const schema = kind === "observation" ? observationEdit : summaryEdit;
  const odd = Object.keys(given).find((name) => !(name in schema.shape));
  if (odd !== undefined)
    throw usageError(
      `${kind} ${refOf(kind, row.id)} has no ${odd}`,
      `it has ${Object.keys(schema.shape).join(", ")}`,
    );
  const changes: object = kind === "observation" ? check(observationEdit, given) : check(summaryEdit, given);
  if (Object.keys(changes).length === 0)
    throw usageError(
      `an edit of ${refOf(kind, row.id)} needs new text`,
      "one of its fields, such as a title",
    );
  const merged = Object.entries({ ...row, ...redact(changes) }).filter(([, value]) => value !== "");
  return Object.fromEntries(merged);
}

/** Takes what came over a wire. Throws `usage` for a request that cannot be carried out, `not-found` where there is no such row. */
export async function correct(parts: CorrectionParts, request: unknown): Promise<Corrected> {
  const corrected = await carriedOut(parts, request);
  // A prepared answer may contain the text. They are made again when sessions end.
  if (corrected.outcome !== "found") removeTree(answersFolder(parts.home));
  return corrected;
}

async function carriedOut(parts: CorrectionParts, request: unknown): Promise<Corrected> {
  const { ref: given, action, text } = check(correctionRequest, request);
  const place = placeFrom(given);
  const ref = refOf(place.kind, place.id);
  const hitOf = (found: CorrectedRow) => hitFrom(found, { layer: "context" });
  if (action === "undo") {
    const isUndone = await parts.store.undoCorrection(place);
    const restored = await rowAt(parts, place);
    if (isUndone && restored) return { ref, outcome: "undone", item: hitOf(restored) };
    throw notFoundError(`${ref} was neither edited nor deleted, or its session was forgotten since`);
  }
  const found = await rowAt(parts, place);
  if (!found)
    throw notFoundError(`there is nothing with the id ${ref}`, "a deleted one comes back with --undo");
  if (action === "show") return { ref, outcome: "found", item: hitOf(found) };
  if (action === "delete") {
    await parts.store.correct({ ...place, text: null });
    return { ref, outcome: "deleted", item: hitOf(found) };
  }
  const edited = editedText(found, text, parts.redact);
  await parts.store.correct({ ...place, text: edited } as unknown as Correction);
  return { ref, outcome: "edited", item: hitOf((await rowAt(parts, place)) ?? found) };
}
