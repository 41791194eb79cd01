// Items by their refs, whole: the last layer, for what search and timeline have pointed at.
import { z } from "zod";
import { searchableText } from "../store/index.ts";
import { hitFrom, type RowStore, readRef, refOf, roughTokens, rowsOf } from "./hits.ts";
import { isNamed } from "./memoryPassages.ts";
import { type Hit, hitSchema, type MemorySource } from "./model.ts";

export const shownSchema = z.object({
  /** In the order of the refs, with their whole text. */
  items: z.array(hitSchema).readonly(),
  /** Refs that name nothing. */
  missing: z.array(z.string()).readonly(),
});

export type Shown = Readonly<z.output<typeof shownSchema>>;

export async function show(
  { store, memories }: { readonly store: RowStore; readonly memories?: MemorySource },
  refs: readonly string[],
): Promise<Shown> {
  const wanted = refs.map((ref) => ({ ref, row: readRef(ref) }));
  const rows = await rowsOf(
    store,
    wanted.flatMap(({ row }) => row ?? []),
  );
  const isMemory = wanted.some(({ row }) => row === undefined);
  const documents = memories === undefined || !isMemory ? [] : await memories.memories();
  const items: Hit[] = [];
  const missing: string[] = [];
  for (const { ref, row } of wanted) {
    const indexed = row === undefined ? undefined : rows.get(refOf(row.kind, row.ref));
    const document = documents.find((one) => isNamed(one, ref));
    if (indexed !== undefined)
      items.push({ ...hitFrom(indexed, { layer: "index" }), text: searchableText(indexed) });
    else if (document !== undefined) {
      const { name, title, text, at, project } = document;
      const tokens = roughTokens(text);
      items.push({ ref: name, kind: "memory", title, at, project, session: "", tokens, text });
    } else missing.push(ref);
  }
  return { items, missing };
}
