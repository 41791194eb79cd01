// Renders entries as hits: titles, excerpts and texts, as much as the layer allows.
import { defined, singleLine } from "../lib/index.ts";
import {
  type EntryKind,
  entryKinds,
  type IndexedRow,
  type KnowledgeStore,
  searchableText,
} from "../store/index.ts";
import type { Mark, Marker } from "../terms/index.ts";
import { type Hit, type HitKind, type Layer, type MemoryDocument, textOfMemory } from "./model.ts";

const letters: Readonly<Record<EntryKind, string>> = {
  observation: "#",
  summary: "S",
  prompt: "P",
  message: "M",
};

export const refOf = (kind: EntryKind, ref: number) => `${letters[kind]}${ref}`;

/** `#12`, `12`, `S12`, `P12` and `M12`; undefined for anything else. */
export function readRef(text: string): { readonly kind: EntryKind; readonly ref: number } | undefined {
  const match = /^([#SPM]?)(\d{1,15})$/i.exec(text.trim());
  if (match === null) return undefined;
  const letter = match[1]?.toUpperCase() || "#";
  const kind = entryKinds.find((name) => letters[name] === letter);
  return kind === undefined ? undefined : { kind, ref: Number(match[2]) };
}

export type RowStore = Pick<
  KnowledgeStore,
  "observationsById" | "summariesById" | "promptsById" | "messagesById"
>;

/** The rows by their ref; rows that were deleted meanwhile are absent. */
export async function rowsOf(
  store: RowStore,
  wanted: readonly { readonly kind: HitKind; readonly ref: number }[],
): Promise<ReadonlyMap<string, IndexedRow>> {
  const of = (kind: EntryKind) => wanted.filter((one) => one.kind === kind).map(({ ref }) => ref);
  const rows = {
    observation: await store.observationsById(of("observation")),
    summary: await store.summariesById(of("summary")),
    prompt: await store.promptsById(of("prompt")),
    message: await store.messagesById(of("message")),
  };
  const indexed = entryKinds.flatMap((kind) => rows[kind].map((row) => ({ kind, row }) as IndexedRow));
  return new Map(indexed.map((one) => [refOf(one.kind, one.row.id), one]));
}

const TITLE_LENGTH = 120;
/** What a title can be made of: a message may have megabytes. */
const LONGEST_READ = 2_000;
const TEXT_LENGTH = 2_000;

const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** A rough count without a tokenizer. */
export function roughTokens(text: string) {
  const cjk = text.match(wide)?.length ?? 0;
  return Math.ceil(cjk + (text.length - cjk) / 4);
}

function longTitleOf(indexed: IndexedRow) {
  if (indexed.kind === "observation") return indexed.row.title;
  if (indexed.kind === "prompt") return indexed.row.promptText;
  if (indexed.kind === "message") return indexed.row.text;
  const { request, completed, learned, nextSteps, investigated, notes } = indexed.row;
  return request ?? completed ?? learned ?? nextSteps ?? investigated ?? notes ?? "";
}

/** Of what has no title, its first words. */
export const titleOf = (indexed: IndexedRow) =>
  cutLine(singleLine(longTitleOf(indexed).trimStart().slice(0, LONGEST_READ)), TITLE_LENGTH);

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
  return { ...place, type, ...(files.length > 0 && { files }) };
}

/** What is shown of an item. */
interface Showing {
  readonly layer: Layer;
  /** What matched; the beginning of the text when nothing did. */
  readonly passage?: { readonly start: number; readonly end: number };
  /** Marks the words that were asked for; none are unless given. */
  readonly mark?: Marker;
}

export function hitFrom(indexed: IndexedRow, showing: Showing): Hit {
  const text = searchableText(indexed);
  const title = titleOf(indexed);
  return {
    ref: refOf(indexed.kind, indexed.row.id),
    kind: indexed.kind,
    title,
    ...aboutRow(indexed),
    tokens: roughTokens(text),
    ...textsOf(title, text, showing),
  };
}

function partOf(text: string, { layer, passage = { start: 0, end: text.length }, mark }: Showing) {
  if (layer === "index") return {};
  if (layer === "context") return { excerpt: excerptOf(text.slice(passage.start, passage.end), mark) };
  const from = Math.max(0, Math.min(passage.start, text.length - TEXT_LENGTH));
  const whole = text.slice(from);
  return { text: whole.length <= TEXT_LENGTH ? whole : `${whole.slice(0, TEXT_LENGTH)}…` };
}

/** As much of the text as the layer allows, and where the words stand that were asked for. */
function textsOf(title: string, text: string, showing: Showing): Pick<Hit, "excerpt" | "text" | "marks"> {
  const part = partOf(text, showing);
  const { mark } = showing;
  if (!mark) return part;
  const marks = Object.entries({ title, ...part })
    .map(([name, shown]) => [name, mark(shown)] as const)
    .filter(([, found]) => found.length > 0);
  return marks.length === 0 ? part : { ...part, marks: Object.fromEntries(marks) };
}

export function memoryHit(document: MemoryDocument, showing: Showing): Hit {
  const { name, title, at, project, standing, stale } = document;
  const text = textOfMemory(document);
  return {
    ...{ ref: name, kind: "memory", title, at, project, session: "", tokens: roughTokens(text) },
    ...defined({ standing, stale }),
    ...textsOf(title, text, showing),
  };
}

const LENGTH = 280;
/** So much is shown before the first word that was asked for. */
const LEAD = 40;

/** Cut to a length, at the end of a word where there is one. */
function cutLine(line: string, length: number) {
  if (line.length <= length) return line;
  const cut = line.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  const space = cut.lastIndexOf(" ");
  return `${space > length * 0.6 ? cut.slice(0, space) : cut}…`;
}

/** Where to begin so that most marks are seen; the earliest of equal places. */
function bestStart(marks: readonly Mark[]) {
  const seenFrom = (start: number) =>
    marks.filter(([from, to]) => from >= start && to <= start + LENGTH).length;
  let best = { start: 0, seen: seenFrom(0) };
  for (const [from] of marks) {
    const start = Math.max(0, from - LEAD);
    const seen = seenFrom(start);
    if (seen > best.seen) best = { start, seen };
  }
  return best.start;
}

function excerptOf(passage: string, mark?: Marker) {
  const line = singleLine(passage);
  if (line.length <= LENGTH || !mark) return cutLine(line, LENGTH);
  const start = bestStart(mark(line));
  if (start === 0) return cutLine(line, LENGTH);
  const space = line.indexOf(" ", start);
  const from = space !== -1 && space < start + LEAD ? space + 1 : start;
  return `…${cutLine(line.slice(from).replace(/^[\udc00-\udfff]/, ""), LENGTH)}`;
}
