// Applies edits to the text of a request: every byte outside the named blocks and messages stays as it came.
import { type BodyRow, controlsIn, type RequestBody, rowIn, type Span } from "./body.ts";
import type { BlocksEdit, EditsInForce, LiveEdit } from "./edits.ts";

interface AppliedEdits {
  readonly text: string;
  readonly made: number;
  /** Edits whose rows this conversation does not have: another branch, or an older one. */
  readonly passed: number;
}

/** Elements of the list that stay, from one up to another, or the text of one that comes in. */
type Piece = Span | string;

/** Undefined where an edit does not fit its row: then nothing is changed, and the caller decides what to send. */
export function applyEdits(
  body: RequestBody,
  chains: readonly string[],
  { edits }: EditsInForce,
): AppliedEdits | undefined {
  const { text, rows, messages } = body;
  const pieces: Piece[] = [];
  let [made, reached] = [0, 0];
  for (const edit of edits) {
    if (!isInBranch(edit, chains)) continue;
    const end = edit.kind === "span" ? edit.end : edit.at + 1;
    const put =
      edit.kind === "span"
        ? withLastControl(edit.messages, text, rows.slice(edit.at, edit.end))
        : rewrittenRow(text, rows[edit.at], edit.blocks);
    if (!put || edit.at < reached || end > rows.length) return undefined;
    pieces.push({ start: reached, end: edit.at }, ...put);
    reached = end;
    made++;
  }
  if (made === 0) return { text, made, passed: edits.length };
  pieces.push({ start: reached, end: rows.length });
  const list = rewrittenList(text, messages, rows, pieces);
  const whole = text.slice(0, messages.start) + list + text.slice(messages.end);
  return { text: whole, made, passed: edits.length - made };
}

function isInBranch({ guard }: LiveEdit, chains: readonly string[]) {
  return guard === undefined || chains[guard.row] === guard.chain;
}

/** A list of the pieces: elements that stay beside each other keep what stands between them, too. */
function rewrittenList(text: string, list: Span, elements: readonly Span[], pieces: readonly Piece[]) {
  const [first, last] = [elements[0], elements.at(-1)];
  const parts = pieces.flatMap((piece) => {
    if (typeof piece === "string") return piece;
    const [from, to] = [elements[piece.start], elements[piece.end - 1]];
    return from && to && piece.end > piece.start ? text.slice(from.start, to.end) : [];
  });
  const opening = text.slice(list.start, first?.start ?? list.end - 1);
  const closing = text.slice(last?.end ?? list.end - 1, list.end);
  return opening + parts.join(",") + closing;
}

/** A row with some of its blocks changed; undefined where it has no such blocks. */
function rewrittenRow(text: string, row: BodyRow | undefined, edits: BlocksEdit["blocks"]) {
  const content = row && (row.blocks ? rewrittenBlocks(text, row, edits) : rewrittenString(edits));
  if (!row || content === undefined) return undefined;
  return [text.slice(row.start, row.content.start) + content + text.slice(row.content.end, row.end)];
}

function rewrittenString(edits: BlocksEdit["blocks"]) {
  const block = edits[0];
  return typeof block === "string" && Object.keys(edits).length === 1 ? `[${block}]` : undefined;
}

function rewrittenBlocks(text: string, { content, blocks = [] }: BodyRow, edits: BlocksEdit["blocks"]) {
  const indexes = Object.keys(edits).map(Number);
  if (indexes.some((index) => index >= blocks.length)) return undefined;
  const pieces: Piece[] = [];
  let reached = 0;
  for (const index of indexes.toSorted((one, other) => one - other)) {
    const edit = edits[index];
    pieces.push({ start: reached, end: index });
    if (typeof edit === "string") pieces.push(withControl(edit, text, blocks[index] as Span));
    reached = index + 1;
  }
  pieces.push({ start: reached, end: blocks.length });
  return rewrittenList(text, content, blocks, pieces);
}

/** The messages that come in with the last breakpoint of those that leave, on the last block that may carry one. */
function withLastControl(messages: readonly string[], text: string, leaving: readonly BodyRow[]) {
  const control = leaving.flatMap((row) => controlsIn(text, row)).at(-1);
  const last = messages.at(-1);
  if (!control || last === undefined) return messages;
  const block = rowIn(last)?.blocks?.at(-1);
  if (!block) return messages;
  const value = last.slice(block.start, block.end);
  const { type, text: words } = JSON.parse(value) as { readonly type?: unknown; readonly text?: unknown };
  if (type === "thinking" || type === "redacted_thinking" || words === "") return messages;
  const marked = `${value.slice(0, -1)},"cache_control":${text.slice(control.value.start, control.value.end)}}`;
  return [...messages.slice(0, -1), last.slice(0, block.start) + marked + last.slice(block.end)];
}

/** The new block with the breakpoint that its predecessor carries. */
function withControl(block: string, text: string, old: Span) {
  const control = controlsIn(text, old).at(-1);
  if (!control) return block;
  const value = text.slice(control.value.start, control.value.end);
  return `${block.slice(0, -1)},"cache_control":${value}}`;
}
