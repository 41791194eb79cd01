// Finds messages and content blocks in the text of a request without parsing the rest, so that an edit touches no other byte.

/** A part of the text: from its first character up to, but not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One message of the request, as it stands in the text. */
export interface BodyRow extends Span {
  /** The value of `content`: a string, or a list of blocks. */
  readonly content: Span;
  /** The blocks of a list; undefined where the content is one string. */
  readonly blocks: readonly Span[] | undefined;
}

/** A request whose messages were found. */
export interface RequestBody {
  readonly text: string;
  /** The value of `messages`, with its brackets. */
  readonly messages: Span;
  readonly rows: readonly BodyRow[];
  /** The values of all other fields of the request, by name. */
  readonly fields: ReadonlyMap<string, Span>;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;

function pastSpace(text: string, from: number) {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The character behind the string that begins at `from`; the length of the text where it does not end. */
function pastString(text: string, from: number) {
  let quote = from;
  for (;;) {
    quote = text.indexOf('"', quote + 1);
    if (quote < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(quote - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
}

/** The character behind the value that begins at `from`. */
function pastValue(text: string, from: number) {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return pastString(text, from);
  if (first !== OPEN_LIST && first !== OPEN_OBJECT) {
    const end = /[\s,\]}]/g;
    end.lastIndex = from;
    return end.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = pastString(text, at) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if ((code === CLOSE_LIST || code === CLOSE_OBJECT) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Calls `visit` with the place of every element of the list at `from`; false for what is no list. */
function eachElement(text: string, from: number, visit: (element: Span) => boolean) {
  if (text.charCodeAt(from) !== OPEN_LIST) return false;
  let at = pastSpace(text, from + 1);
  if (text.charCodeAt(at) === CLOSE_LIST) return true;
  for (;;) {
    const end = pastValue(text, at);
    if (end <= at || !visit({ start: at, end })) return false;
    at = pastSpace(text, end);
    if (text.charCodeAt(at) === CLOSE_LIST) return true;
    if (text.charCodeAt(at) !== COMMA) return false;
    at = pastSpace(text, at + 1);
  }
}

/** Places of the values in the object at `from`, by name; undefined for what is no object, or names a field twice. */
function fieldsAt(text: string, from: number) {
  if (text.charCodeAt(from) !== OPEN_OBJECT) return undefined;
  const fields = new Map<string, Span>();
  let at = pastSpace(text, from + 1);
  if (text.charCodeAt(at) === CLOSE_OBJECT) return fields;
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) return undefined;
    const nameEnd = pastString(text, at);
    const name = text.slice(at + 1, nameEnd - 1);
    at = pastSpace(text, nameEnd);
    // A name with escapes could be another spelling of one that is looked for.
    if (text.charCodeAt(at) !== COLON || fields.has(name) || name.includes("\\")) return undefined;
    const start = pastSpace(text, at + 1);
    const end = pastValue(text, start);
    if (end <= start) return undefined;
    fields.set(name, { start, end });
    at = pastSpace(text, end);
    if (text.charCodeAt(at) === CLOSE_OBJECT) return fields;
    if (text.charCodeAt(at) !== COMMA) return undefined;
    at = pastSpace(text, at + 1);
  }
}

function rowAt(text: string, { start, end }: Span): BodyRow | undefined {
  const content = fieldsAt(text, start)?.get("content");
  if (!content) return undefined;
  if (text.charCodeAt(content.start) === QUOTE) return { start, end, content, blocks: undefined };
  const blocks: Span[] = [];
  const areObjects = eachElement(text, content.start, (block) => {
    blocks.push(block);
    return text.charCodeAt(block.start) === OPEN_OBJECT;
  });
  return areObjects ? { start, end, content, blocks } : undefined;
}

/** The places in the text of one message; undefined for anything else. */
export const rowIn = (text: string): BodyRow | undefined => rowAt(text, { start: 0, end: text.length });

/** Undefined for a text that is not a request with messages, in a form that is understood to the last message. */
export function readBody(text: string): RequestBody | undefined {
  const fields = fieldsAt(text, pastSpace(text, 0));
  const messages = fields?.get("messages");
  if (!fields || !messages) return undefined;
  const rows: BodyRow[] = [];
  const isRead = eachElement(text, messages.start, (element) => {
    const row = rowAt(text, element);
    if (row) rows.push(row);
    return row !== undefined;
  });
  fields.delete("messages");
  return isRead ? { text, messages, rows, fields } : undefined;
}

const CONTROL = '"cache_control"';

/**
 * Every cache breakpoint in a part of the text, with the comma that goes with it. A quote inside a string is escaped, so
 * that a quoted name behind a comma or a brace is a name.
 */
export function controlsIn(text: string, { start, end }: Span): (Span & { readonly value: Span })[] {
  const found: (Span & { readonly value: Span })[] = [];
  // Only in the part: a text without breakpoints would be read to its end for each of its rows.
  const nextFrom = (from: number) => {
    const at = from < end ? text.slice(from, end).indexOf(CONTROL) : -1;
    return at < 0 ? at : from + at;
  };
  for (let name = nextFrom(start); name >= 0; ) {
    let before = name - 1;
    while (isSpace(text.charCodeAt(before))) before--;
    const colon = pastSpace(text, name + CONTROL.length);
    const opens = text.charCodeAt(before);
    const isName = (opens === COMMA || opens === OPEN_OBJECT) && text.charCodeAt(colon) === COLON;
    if (!isName) {
      name = nextFrom(name + 1);
      continue;
    }
    const from = pastSpace(text, colon + 1);
    const value = { start: from, end: pastValue(text, from) };
    const behind = pastSpace(text, value.end);
    const isFirst = opens === OPEN_OBJECT;
    const takesNext = isFirst && text.charCodeAt(behind) === COMMA;
    found.push({ start: isFirst ? name : before, end: takesNext ? behind + 1 : value.end, value });
    name = nextFrom(value.end);
  }
  return found;
}

/** A part of the text without its cache breakpoints. */
function withoutControls(text: string, span: Span) {
  const controls = controlsIn(text, span);
  if (controls.length === 0) return text.slice(span.start, span.end);
  let at = span.start;
  const parts = controls.map((control) => {
    const part = text.slice(at, control.start);
    at = control.end;
    return part;
  });
  return parts.join("") + text.slice(at, span.end);
}

const LONE_TEXT = '[{"type":"text","text":"';

/**
 * A message as it is compared and sent to the worker: without cache breakpoints, which move from request to request, and
 * with a lone text as a string, since clients make a block of it to put a breakpoint there.
 */
export function rowText(text: string, { start, end, content, blocks }: BodyRow): string {
  const bare = withoutControls(text, content);
  const isLone = blocks?.length === 1 && bare.startsWith(LONE_TEXT);
  const from = LONE_TEXT.length - 1;
  const lone = isLone && pastString(bare, from) === bare.length - 2 ? bare.slice(from, -2) : bare;
  return text.slice(start, content.start) + lone + withoutControls(text, { start: content.end, end });
}
