// The edits of a session's window as carriers apply them: by message and block of the client's own request.

/** Names a row of the client's conversation and, by its chain, everything before it. */
interface RowGuard {
  readonly row: number;
  readonly chain: string;
}

/** Blocks of one message: each becomes another block, or leaves (`null`). */
export interface BlocksEdit {
  readonly kind: "blocks";
  readonly at: number;
  /** By index of the block; the only block of a content that is one string has the index 0. */
  readonly blocks: Readonly<Record<string, string | null>>;
  readonly guard: RowGuard;
}

/** The messages from `at` up to, but not including, `end` become these; with `end` at `at` they come before it. */
interface SpanEdit {
  readonly kind: "span";
  readonly at: number;
  readonly end: number;
  /** Each the JSON of one message. */
  readonly messages: readonly string[];
  readonly guard?: RowGuard;
}

export type LiveEdit = BlocksEdit | SpanEdit;

/** All edits at or behind the row `from` are replaced by these. In order of their rows, and none overlaps another. */
export interface EditsChange {
  readonly version: number;
  readonly from: number;
  readonly edits: readonly LiveEdit[];
}

/** The edits of a session that are in force. */
export interface EditsInForce {
  readonly version: number;
  readonly edits: readonly LiveEdit[];
}

const noEdits: EditsInForce = { version: 0, edits: [] };

export function changed({ edits }: EditsInForce, change: EditsChange): EditsInForce {
  const kept = edits.filter(({ at }) => at < change.from);
  return { version: change.version, edits: [...kept, ...change.edits] };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isText = (value: unknown): value is string => typeof value === "string";

function isGuard(value: unknown) {
  return isObject(value) && isIndex(value.row) && isText(value.chain);
}

function isEdit(value: unknown): value is LiveEdit {
  if (!isObject(value) || !isIndex(value.at)) return false;
  if (value.kind === "blocks")
    return (
      isGuard(value.guard) &&
      isObject(value.blocks) &&
      Object.entries(value.blocks).every(([at, to]) => /^\d+$/.test(at) && (to === null || isText(to)))
    );
  return (
    value.kind === "span" &&
    isIndex(value.end) &&
    value.end >= value.at &&
    Array.isArray(value.messages) &&
    value.messages.every(isText) &&
    (value.guard === undefined || isGuard(value.guard))
  );
}

/** Reads a change from the worker or the disk; undefined for anything else. */
export function readChange(value: unknown): EditsChange | undefined {
  if (!isObject(value) || !isIndex(value.version) || !isIndex(value.from)) return undefined;
  const { version, from, edits } = value;
  if (!Array.isArray(edits) || !edits.every(isEdit)) return undefined;
  return { version, from, edits };
}

/**
 * The edits that a record on disk leaves in force: one change a line. A line that a crash left torn ends it, since what
 * follows may build on it.
 */
export function readRecord(text: string): EditsInForce {
  let inForce = noEdits;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const change = changeIn(line);
    if (!change) break;
    inForce = changed(inForce, change);
  }
  return inForce;
}

function changeIn(line: string) {
  try {
    return readChange(JSON.parse(line));
  } catch {
    return undefined;
  }
}
