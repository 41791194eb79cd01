// What stands in the window for a result that is kept outside: the fixed template, and the typed one with its handle.
import { previewOf, type ResultKind } from "./preview.ts";

const PERSISTED = "<persisted-output>";

export function isPersisted(text: string): boolean {
  return text.trimStart().startsWith(PERSISTED);
}

/** The first bytes of a text, cut between characters. */
function head(text: string, bytes: number): string {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += Buffer.byteLength(character);
    if (used > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The fixed template, byte for byte. */
export function headReference(text: string, file: string, previewBytes: number): string {
  return [
    PERSISTED,
    `Output too large (${text.length} chars). Full output saved to: ${file}`,
    "",
    "Preview (first 2 KB):",
    head(text, previewBytes),
    "</persisted-output>",
  ].join("\n");
}

const kindNames: Readonly<Record<ResultKind, string>> = {
  file: "outline of the file",
  search: "hits, file by file",
  tests: "beginning, failures and end",
  json: "shape of the JSON",
  log: "beginning, alarming lines and end",
};

interface TypedReference {
  readonly tool: string;
  readonly text: string;
  readonly file: string;
  readonly handle: string;
  readonly previewCharacters: number;
}

export function typedReference({ tool, text, file, handle, previewCharacters }: TypedReference): string {
  const preview = previewOf({ tool, text, budget: previewCharacters });
  const lines = text.split("\n").length;
  return [
    PERSISTED,
    `Output too large (${text.length} chars, ${lines} lines). Full output saved to: ${file}`,
    `Read that file with offset and limit for any part of it, or recall ${handle}`,
    "",
    `Preview (${kindNames[preview.kind]}; ⋯ marks what is left out):`,
    preview.text,
    "</persisted-output>",
  ].join("\n");
}
