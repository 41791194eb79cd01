// Finds secrets by the head of their column: CSV, tabs, tables of Markdown and databases, aligned columns, SQL inserts.
import { kindUnder } from "../assignment/find.ts";
import { holds } from "../assignment/names.ts";
import { type Find, type Finder, findAt, matchAt, Progress, type Range } from "../found.ts";

interface TableLayout {
  readonly delimiter: RegExp;
  /** Whether a line of dashes has to follow the head. */
  readonly isRuled?: true;
  /** Whether the head is a line. */
  readonly isHeaded?: false;
}

const LONGEST_TABLE_LINE = 1_000;
const layouts: readonly TableLayout[] = [
  { delimiter: /[|│┃║]/g, isRuled: true },
  { delimiter: /\t/g },
  { delimiter: /,/g },
  { delimiter: /;/g },
  { delimiter: / {2,}/g },
];

const RULE = /^[\s|+:│┃║┼├┤╪╞╡╟╢╠╣─━═=-]{3,}$/;
const COLUMN_HEAD = /^[\p{L}_][\p{L}\p{N}_ .()#/-]{0,39}$/u;
/** The words of a sentence between commas are no heads of columns. */
const PROSE = /\b(?:and|or|the|is|are|a|to|of|with|for)\b|\.$/i;

/** The end of the line that a place is in, without its line break; never further than the longest line. */
function lineEnd(text: string, at: number) {
  const rest = text.slice(at, at + LONGEST_TABLE_LINE);
  const length = rest.indexOf("\n");
  return at + (length < 0 ? rest.length : length);
}

/** The beginning of the line that a place is in, if that is near. */
function lineStart(text: string, at: number) {
  const from = Math.max(0, at - LONGEST_TABLE_LINE);
  const length = text.slice(from, at).lastIndexOf("\n");
  return length < 0 && from > 0 ? undefined : from + length + 1;
}

/** The cells of a line, without blanks and quotes around them; a quoted cell may hold the delimiter. */
function cellsOf(text: string, start: number, end: number, { delimiter }: TableLayout) {
  const line = text.slice(start, end);
  const cells: Range[] = [];
  const add = (from: number, to: number) => {
    const cell = line.slice(from, to);
    const lead = /^[\s"'`*]*/.exec(cell)?.[0].length ?? 0;
    const trail = lead === cell.length ? 0 : (/[\s"'`*]*$/.exec(cell.slice(-40))?.[0].length ?? 0);
    cells.push({ start: start + from + lead, end: start + Math.max(from + lead, to - trail) });
  };
  let from = 0;
  delimiter.lastIndex = 0;
  for (let found = delimiter.exec(line); found !== null; found = delimiter.exec(line)) {
    // Inside of quotes a comma parts nothing.
    if (/^\s{0,4}"(?:[^"]|"")*$/.test(line.slice(from, found.index))) continue;
    add(from, found.index);
    from = found.index + found[0].length;
  }
  add(from, line.length);
  return cells;
}

const cellText = (text: string, { start, end }: Range) => text.slice(start, end);

interface Head {
  readonly columns: readonly { readonly at: number; readonly name: string }[];
  readonly width: number;
}

function headOf(text: string, cells: readonly Range[]): Head | undefined {
  const names = cells.map((cell) => cellText(text, cell));
  const filled = names.filter((name) => name !== "");
  if (filled.length < 2 || !filled.every((name) => COLUMN_HEAD.test(name) && !PROSE.test(name)))
    return undefined;
  const columns = names.flatMap((name, at) => {
    const held = holds(name);
    return held === undefined || held === "key" ? [] : [{ at, name }];
  });
  return columns.length === 0 ? undefined : { columns, width: cells.length };
}

/** The rows below a head, as long as they have as many cells as it. */
function rowsBelow(text: string, from: number, layout: TableLayout, head: Head) {
  const finds: Find[] = [];
  let [at, isRuled] = [from, !layout.isRuled];
  for (let place = 0; at < text.length; place += 1) {
    const end = lineEnd(text, at);
    if (end - at >= LONGEST_TABLE_LINE) break;
    const isRule = RULE.test(text.slice(at, end));
    if (isRule && place === 0) isRuled = true;
    if (!isRuled) break;
    if (!isRule) {
      const cells = cellsOf(text, at, end, layout);
      // A head begins a table of its own.
      if (cells.length !== head.width || (layout.isHeaded !== false && headOf(text, cells))) break;
      for (const { at: column, name } of head.columns) {
        const cell = cells[column];
        const kind = cell && kindUnder(name, cellText(text, cell), true);
        if (cell && kind !== undefined) finds.push({ kind, start: cell.start, end: cell.end });
      }
    }
    at = end + 1;
  }
  return { finds, end: at };
}

const tableProgress = new Progress();
/** The rest of a name that is the whole of a cell, and the end of the cell. */
const CELL_REST = /[\w.-]{0,24}(?: [\w.-]{1,16}){0,2}["'`*]{0,3}(?:[ \t]{0,40}(?:[,;|│┃║\t]|\r?\n)| {2})/y;

/** A name that is the head of a column: what stands below it is a secret. */
function lookForTable(text: string, at: number, word: string) {
  if (tableProgress.isPast(at)) return [];
  if (!matchAt(CELL_REST, text, at + word.length)) return [];
  const start = lineStart(text, at);
  const end = lineEnd(text, at);
  if (start === undefined || text.charAt(end) !== "\n") return [];
  for (const layout of layouts) {
    layout.delimiter.lastIndex = 0;
    if (!layout.delimiter.test(text.slice(start, end))) continue;
    const head = headOf(text, cellsOf(text, start, end, layout));
    if (!head) continue;
    const { finds, end: behind } = rowsBelow(text, end + 1, layout, head);
    if (finds.length === 0) continue;
    tableProgress.reached(behind);
    return finds;
  }
  tableProgress.reached(end);
  return [];
}

const COLUMNS_BEFORE = /\(([^()]{1,1000})\)\s{0,8}$/;
const VALUE =
  /\s{0,40}(?:[NEBX]?'((?:[^'\\\n]|''|\\.){0,400})'|"((?:[^"\\\n]|\\.){0,400})"|([^\s,()'"]{0,80}(?:\([^()\n]{0,80}\))?))\s{0,8}/y;

function columnsBefore(text: string, at: number) {
  const columns = COLUMNS_BEFORE.exec(text.slice(Math.max(0, at - 1_100), at))?.[1]?.split(",");
  return columns?.map((name) => name.replace(/[\s`"'[\]]/g, "")) ?? [];
}

/** INSERT INTO users (name, password) VALUES ('mira', '…'), (…). */
function lookForInsert(text: string, at: number, word: string) {
  const names = columnsBefore(text, at);
  if (!names.some((name) => holds(name) !== undefined)) return [];
  const finds: Find[] = [];
  let place = at + word.length;
  for (;;) {
    const open = matchAt(/[\s,]{0,80}\(/y, text, place);
    if (!open) return finds;
    place += open[0].length;
    for (const name of names) {
      const value = matchAt(VALUE, text, place);
      if (!value) return finds;
      const literal = value[1] ?? value[2];
      const kind = literal === undefined ? undefined : kindUnder(name, literal, true);
      const start = place + value[0].indexOf(literal ?? "", value[0].search(/['"]/));
      if (literal !== undefined && kind !== undefined) finds.push(findAt(kind, start, literal));
      place += value[0].length;
      if (text.charAt(place) !== ",") break;
      place += 1;
    }
    if (text.charAt(place) !== ")") return finds;
    place += 1;
  }
}

/** COPY users (name, password) FROM stdin; and rows with tabs. */
function lookForCopy(text: string, at: number) {
  const names = columnsBefore(text, at);
  const from = lineEnd(text, at) + 1;
  const columns = names.flatMap((name, place) => (holds(name) === undefined ? [] : [{ at: place, name }]));
  if (columns.length === 0) return [];
  const layout = { delimiter: /\t/g, isHeaded: false } as const;
  return rowsBelow(text, from, layout, { columns, width: names.length }).finds;
}

export const tableFinders: readonly Finder[] = [
  {
    name: "table",
    landmarks:
      "password|passwd|passwort|kennwort|pwd|secret|token|api key|api_key|apikey|api-key|access key|access_key|credential|psk|passphrase|contraseña|密码|密钥",
    look: lookForTable,
  },
  {
    name: "sql-insert",
    landmarks: "values|from stdin",
    look: (text, at, word) => (word === "values" ? lookForInsert(text, at, word) : lookForCopy(text, at)),
  },
];
