// Typed previews: what of a large result is worth showing when the rest is one recall away.
import { firstCharacters, lastCharacters, parseJson, sumOf } from "../lib/index.ts";

/** What a result holds, as far as its preview is concerned. */
type ResultKind = "file" | "search" | "report" | "tests" | "json" | "log";

/** One line with its number in the whole text. */
interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

const LONGEST_PREVIEW_LINE = 240;

const alarming =
  /\b(error|errors|exception|traceback|panic|fatal|failed|failure|undefined reference|cannot find|not found|denied|segfault)\b|^\s*(E\s{3}|✗|×|✖)|^--- FAIL|^FAIL\b/i;
const testReport =
  /(^--- (FAIL|PASS)|^(FAIL|PASS|ok)\s+\S+|\b\d+ (passed|failed)\b|^Tests?:\s|test result:|✓|✗)/m;

/** Lines that declare something in the languages agents read most, and headings of documents. */
const declaration =
  /^\s*(export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|abstract\s+|async\s+|pub(\([a-z]+\))?\s+|unsafe\s+|inline\s+|final\s+|override\s+)*(function\b|class\b|interface\b|type\s+\w|enum\b|const\s+\w+\s*[=:]|let\s+\w+\s*=|var\s+\(?\w*|func\b|fn\b|def\b|struct\b|trait\b|impl\b|mod\b|module\b|namespace\b|package\b|import\b|from\s+\S+\s+import|use\s+|#include|@\w+|describe\(|it\(|test\(|t\.Run\(|CREATE\s|ALTER\s)|^#{1,4}\s|^\s*\w[\w<>,\s*&:]*\s+\w+\([^;]*\)\s*\{\s*$/;

/** What a preview of each kind shows, and how it is made within a budget of characters. */
const previews: Readonly<
  Record<ResultKind, { readonly title: string; render(text: string, budget: number): string }>
> = {
  file: { title: "outline of the file", render: fileOutline },
  search: { title: "hits, file by file", render: spread },
  // What a subagent found stands at the end of its report; what it was about, at the beginning.
  report: { title: "beginning and end of the report", render: (text, budget) => endsOf(text, budget, 0.35) },
  tests: {
    title: "beginning, failures and end",
    render: (text, budget) => headTail(text, budget, 0.15, 0.35),
  },
  json: { title: "shape of the JSON", render: (text, budget) => clipPreview(jsonShape(text), budget) },
  log: {
    title: "beginning, alarming lines and end",
    render: (text, budget) => headTail(text, budget, 0.3, 0.35),
  },
};

interface PreviewRequest {
  readonly tool: string;
  readonly text: string;
  /** Characters the preview may take. */
  readonly budget: number;
}

export function previewOf({ tool, text, budget }: PreviewRequest): {
  readonly kind: ResultKind;
  readonly text: string;
} {
  const kind = resultKindOf(tool, text);
  const preview = previews[kind].render(text, budget);
  return { kind, text: showsEnough(preview, text, budget) ? preview : endsOf(text, budget, 0.6) };
}

/** Lines too long to be chosen, or a shape that says nothing, leave a preview of hardly more than marks. */
const LEAST_SHOWN = 0.2;

function showsEnough(preview: string, text: string, budget: number) {
  const shown = preview.replace(/^ {2}⋯ .*$/gm, "").trim().length;
  return shown >= Math.min(budget, text.trim().length) * LEAST_SHOWN;
}

/** Beginning and end of a text, cut at lines where some end nearby; `head` is the beginning's share. */
function endsOf(text: string, budget: number, head: number) {
  const whole = text.trim();
  if (whole.length <= budget) return whole;
  const first = upToLine(firstCharacters(whole, budget * head));
  const last = fromLine(lastCharacters(whole, budget * (1 - head)));
  const left = whole.length - first.length - last.length;
  return `${first}\n  ⋯ ${left} characters\n${last}`;
}

/** Without the line that the cut went through, unless that is most of it. */
function upToLine(text: string) {
  const end = text.lastIndexOf("\n");
  return end > text.length / 2 ? text.slice(0, end) : text;
}

function fromLine(text: string) {
  const start = text.indexOf("\n") + 1;
  return start > 0 && start < text.length / 2 ? text.slice(start) : text;
}

function resultKindOf(tool: string, text: string): ResultKind {
  if (/^(Read|NotebookRead|read|view)$/.test(tool)) return "file";
  if (/^(Grep|Glob|grep|find|ls|LS)$/.test(tool)) return "search";
  if (/^(Task|Agent|task|agent)$/.test(tool)) return "report";
  const start = text.trimStart();
  if ((start.startsWith("{") || start.startsWith("[")) && parseJson(start) !== undefined) return "json";
  if (testReport.test(text)) return "tests";
  return "log";
}

function numberedLines(text: string): NumberedLine[] {
  return text.split("\n").map((line, index) => ({ number: index + 1, text: line }));
}

function clipPreview(text: string, budget: number) {
  return text.length <= budget ? text : `${firstCharacters(text, budget - 1)}…`;
}

function shownLine(line: NumberedLine) {
  return line.text.length <= LONGEST_PREVIEW_LINE
    ? line.text
    : `${firstCharacters(line.text, LONGEST_PREVIEW_LINE)}…`;
}

/** Chosen lines in their order, with a mark for every gap that says which lines it hides. */
function render(lines: readonly NumberedLine[], total: number) {
  const out: string[] = [];
  let next = 1;
  const gap = (from: number, to: number) => {
    if (to >= from) out.push(from === to ? `  ⋯ line ${from}` : `  ⋯ lines ${from}-${to}`);
  };
  for (const line of lines) {
    gap(next, line.number - 1);
    out.push(shownLine(line));
    next = line.number + 1;
  }
  gap(next, total);
  return out.join("\n");
}

/** Takes lines in the given order of importance while they fit, then puts them back into their order. */
function chooseLines(candidates: Iterable<NumberedLine>, budget: number) {
  const taken = new Map<number, NumberedLine>();
  let used = 0;
  for (const line of candidates) {
    if (taken.has(line.number)) continue;
    // A line among hidden ones costs a gap mark as well.
    const cost = Math.min(line.text.length, LONGEST_PREVIEW_LINE) + (taken.has(line.number - 1) ? 1 : 14);
    if (used + cost > budget) continue;
    used += cost;
    taken.set(line.number, line);
  }
  return [...taken.values()].sort((a, b) => a.number - b.number);
}

/** Beginning, alarming lines and end of a log. */
function headTail(text: string, budget: number, head: number, tail: number) {
  const lines = numberedLines(text);
  const first = chooseLines(lines, budget * head);
  const last = chooseLines([...lines].reverse(), budget * tail);
  const used = sumOf([...first, ...last], (line) => Math.min(line.text.length, LONGEST_PREVIEW_LINE) + 1);
  const alarms = chooseLines(
    lines.filter(({ text }) => alarming.test(text)),
    budget - used,
  );
  return render(merge(first, alarms, last), lines.length);
}

function merge(...groups: readonly (readonly NumberedLine[])[]) {
  const byNumber = new Map(groups.flat().map((line) => [line.number, line]));
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}

/** Declarations and headings; what budget is left shows the file's first lines. */
function fileOutline(text: string, budget: number) {
  const lines = numberedLines(text);
  const unnumbered = (text: string) => text.replace(/^\s*\d+(→|\t|:\s)/, "");
  const declarations = lines.filter(({ text }) => declaration.test(unnumbered(text)));
  const evenly = declarations.length === 0 ? everyNth(lines, budget) : declarations;
  const chosen = chooseLines([...evenly, ...lines], budget);
  return render(chosen, lines.length);
}

function everyNth(lines: readonly NumberedLine[], budget: number) {
  const fitting = Math.max(1, Math.floor(budget / 60));
  const step = Math.max(1, Math.ceil(lines.length / fitting));
  return lines.filter((_, index) => index % step === 0);
}

/** Search hits: the first of every file, then as many of the rest as fit. */
function spread(text: string, budget: number) {
  const lines = numberedLines(text);
  const seen = new Set<string>();
  const firsts: NumberedLine[] = [];
  for (const line of lines) {
    const file = /^([^:\s]+)[:-]\d+/.exec(line.text)?.[1] ?? line.text;
    if (seen.has(file)) continue;
    seen.add(file);
    firsts.push(line);
  }
  return render(chooseLines([...firsts, ...lines], budget), lines.length);
}

const DEEPEST_JSON = 4;
const MAX_KEYS = 24;

/** The shape of a JSON text: keys, types, lengths and short sample values. */
function jsonShape(text: string) {
  return jsonOutline(JSON.parse(text), 0);
}

function jsonOutline(value: unknown, depth: number): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${value.length} × ${depth >= DEEPEST_JSON ? "…" : jsonOutline(value[0], depth + 1)}]`;
  }
  if (typeof value === "object" && value !== null) {
    const keys = Object.entries(value);
    if (depth >= DEEPEST_JSON) return `{${keys.length} keys}`;
    const inner = keys
      .slice(0, MAX_KEYS)
      .map(([key, part]) => `${"  ".repeat(depth + 1)}${key}: ${jsonOutline(part, depth + 1)}`);
    if (keys.length > MAX_KEYS) inner.push(`${"  ".repeat(depth + 1)}… ${keys.length - MAX_KEYS} more keys`);
    return `{\n${inner.join("\n")}\n${"  ".repeat(depth)}}`;
  }
  return typeof value === "string" && value.length > 80
    ? `text of ${value.length} characters`
    : JSON.stringify(value);
}

const PERSISTED = "<persisted-output>";

export function isPersisted(text: string) {
  return text.trimStart().startsWith(PERSISTED);
}

/** The first bytes of a text, cut between characters. */
function head(text: string, bytes: number) {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += Buffer.byteLength(character);
    if (used > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The fixed template, byte for byte; where there is no file, the handle stands in its place. */
export function headReference(text: string, file: string | undefined, previewBytes: number, handle = "") {
  return [
    PERSISTED,
    `Output too large (${text.length} chars). ${file === undefined ? `Full output: recall ${handle}` : `Full output saved to: ${file}`}`,
    "",
    "Preview (first 2 KB):",
    head(text, previewBytes),
    "</persisted-output>",
  ].join("\n");
}

interface TypedReference {
  readonly tool: string;
  readonly text: string;
  /** Absent where whole results are not written to files. */
  readonly file: string | undefined;
  readonly handle: string;
  readonly previewCharacters: number;
}

export function typedReference({ tool, text, file, handle, previewCharacters }: TypedReference) {
  const preview = previewOf({ tool, text, budget: previewCharacters });
  const lines = text.split("\n").length;
  return [
    PERSISTED,
    `Output too large (${text.length} chars, ${lines} lines). ${file === undefined ? `Full output: recall ${handle}` : `Full output saved to: ${file}`}`,
    ...(file === undefined
      ? []
      : [`Read that file with offset and limit for any part of it, or recall ${handle}`]),
    "",
    `Preview (${previews[preview.kind].title}; ⋯ marks what is left out):`,
    preview.text,
    "</persisted-output>",
  ].join("\n");
}
