// From entries to what a reader sees: titles, excerpts and texts, as much as the layer allows.
import { type EntryKind, type IndexedRow, type Store, searchableText } from "../store/index.ts";
import type { HitKind } from "./found.ts";
import type { Hit, Layer } from "./model.ts";

const letters: Readonly<Record<EntryKind, string>> = {
  observation: "#",
  summary: "S",
  prompt: "P",
  message: "M",
};

export const refOf = (kind: EntryKind, ref: number): string => `${letters[kind]}${ref}`;

/** `#12`, `12`, `S12`, `P12` and `M12`; undefined for anything else. */
export function readRef(text: string): { readonly kind: EntryKind; readonly ref: number } | undefined {
  const match = /^([#SPM]?)(\d{1,15})$/i.exec(text.trim());
  if (match === null) return undefined;
  const letter = match[1]?.toUpperCase() || "#";
  const kind = (Object.keys(letters) as EntryKind[]).find((name) => letters[name] === letter);
  return kind === undefined ? undefined : { kind, ref: Number(match[2]) };
}

export type RowStore = Pick<Store, "observationsById" | "summariesById" | "promptsById" | "messagesById">;

/** The rows by their ref; those that are gone meanwhile are absent. */
export async function rowsOf(
  store: RowStore,
  wanted: readonly { readonly kind: HitKind; readonly ref: number }[],
): Promise<ReadonlyMap<string, IndexedRow>> {
  const of = (kind: EntryKind): number[] => wanted.filter((one) => one.kind === kind).map(({ ref }) => ref);
  const rows: IndexedRow[] = [
    ...(await store.observationsById(of("observation"))).map((row) => ({
      kind: "observation" as const,
      row,
    })),
    ...(await store.summariesById(of("summary"))).map((row) => ({ kind: "summary" as const, row })),
    ...(await store.promptsById(of("prompt"))).map((row) => ({ kind: "prompt" as const, row })),
    ...(await store.messagesById(of("message"))).map((row) => ({ kind: "message" as const, row })),
  ];
  return new Map(rows.map((indexed) => [refOf(indexed.kind, indexed.row.id), indexed]));
}

const TITLE_LENGTH = 120;
const EXCERPT_LENGTH = 280;
const TEXT_LENGTH = 2_000;

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Cut to a length, at the end of a word where there is one. */
export function shortened(text: string, length: number): string {
  const line = oneLine(text);
  if (line.length <= length) return line;
  const cut = line.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  const space = cut.lastIndexOf(" ");
  return `${space > length * 0.6 ? cut.slice(0, space) : cut}…`;
}

const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Roughly, as one would guess before asking a tokenizer. */
export function roughTokens(text: string): number {
  const cjk = text.match(wide)?.length ?? 0;
  return Math.ceil(cjk + (text.length - cjk) / 4);
}

function titleOf(indexed: IndexedRow): string {
  if (indexed.kind === "observation") return indexed.row.title;
  if (indexed.kind === "prompt") return indexed.row.promptText;
  if (indexed.kind === "message") return indexed.row.text;
  const { request, completed, learned, nextSteps, investigated, notes } = indexed.row;
  return request ?? completed ?? learned ?? nextSteps ?? investigated ?? notes ?? "";
}

function aboutRow(
  indexed: IndexedRow,
): Pick<Hit, "at" | "project" | "session" | "speaker" | "type" | "files"> {
  if (indexed.kind === "message") {
    const { at, project, session, role } = indexed.row;
    return { at, project, session, speaker: role };
  }
  const { createdAt, project, claudeSessionId } = indexed.row;
  const place = { at: createdAt, project, session: claudeSessionId };
  if (indexed.kind === "prompt") return { ...place, speaker: "user" };
  if (indexed.kind === "summary") return place;
  const { type, filesModified = [], filesRead = [] } = indexed.row;
  const files = [...new Set([...filesModified, ...filesRead])];
  return { ...place, type, ...(files.length === 0 ? {} : { files }) };
}

/** Where the passage that matched begins and ends; the beginning of the text when none did. */
export function hitFrom(
  indexed: IndexedRow,
  layer: Layer,
  passage: { readonly start: number; readonly end: number } = { start: 0, end: EXCERPT_LENGTH },
): Hit {
  const text = searchableText(indexed);
  return {
    ref: refOf(indexed.kind, indexed.row.id),
    kind: indexed.kind,
    title: shortened(titleOf(indexed), TITLE_LENGTH),
    ...aboutRow(indexed),
    tokens: roughTokens(text),
    ...textsOf(text, layer, passage),
  };
}

export function textsOf(
  text: string,
  layer: Layer,
  { start, end }: { readonly start: number; readonly end: number },
): Pick<Hit, "excerpt" | "text"> {
  if (layer === "index") return {};
  if (layer === "full") {
    const whole =
      text.length <= TEXT_LENGTH ? text : text.slice(Math.max(0, Math.min(start, text.length - TEXT_LENGTH)));
    return { text: whole.length <= TEXT_LENGTH ? whole : `${whole.slice(0, TEXT_LENGTH)}…` };
  }
  return { excerpt: shortened(text.slice(start, end), EXCERPT_LENGTH) };
}
