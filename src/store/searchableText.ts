// The words of a row that can be found, as one text: offsets of passages are offsets into it.
import type { Observation, StoredMessage, Summary, UserPrompt } from "./model.ts";

/** A row of any kind that can be found. */
export type IndexedRow =
  | { readonly kind: "observation"; readonly row: Observation }
  | { readonly kind: "summary"; readonly row: Summary }
  | { readonly kind: "prompt"; readonly row: UserPrompt }
  | { readonly kind: "message"; readonly row: StoredMessage };

const some = (text: string | undefined) => (text === undefined || text.trim() === "" ? [] : [text.trim()]);

function observationText(row: Observation) {
  const files = new Set([...(row.filesModified ?? []), ...(row.filesRead ?? [])]);
  return [
    row.title,
    ...some(row.subtitle),
    ...some(row.narrative),
    ...(row.facts ?? []),
    ...some(row.text),
    ...some(row.concepts?.join(", ")),
    ...some([...files].join(" ")),
  ].join("\n");
}

function summaryText(row: Summary) {
  const { request, investigated, learned, completed, nextSteps, notes } = row;
  return [request, investigated, learned, completed, nextSteps, notes].flatMap(some).join("\n");
}

export function searchableText(indexed: IndexedRow) {
  if (indexed.kind === "observation") return observationText(indexed.row);
  if (indexed.kind === "summary") return summaryText(indexed.row);
  return indexed.kind === "prompt" ? indexed.row.promptText : indexed.row.text;
}
