// Keeps what is said inside a turn from looking like the turns themselves: visibly, and so that it can be undone.

/** A line that would begin a turn, end the header, or be a title; behind any number of backslashes. */
const structure = /^\\*[ \t]*(?:\*\*[^*\n]+\*\*[ \t]*[:：]|-{3,}[ \t]*$|#(?:[ \t]|$))/u;
/** The part of it that is structure even inside a block of code: the file is read by it. */
const turn = /^\\*[ \t]*\*\*[^*\n]+\*\*[ \t]*[:：]/u;
const escapedFence = /^\\+ {0,3}(?:`{3,}|~{3,})/;
const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/s;

interface Fence {
  readonly mark: string;
  readonly info: string;
}

function fenceAt(line: string): Fence | undefined {
  const [, mark = "", info = ""] = fenceLine.exec(line) ?? [];
  // A line such as ```code``` is no fence.
  return mark === "" || (mark.startsWith("`") && info.includes("`")) ? undefined : { mark, info };
}

function closes(line: string, open: Fence) {
  const found = fenceAt(line);
  return (
    found !== undefined &&
    found.mark[0] === open.mark[0] &&
    found.mark.length >= open.mark.length &&
    found.info.trim() === ""
  );
}

function closingLine(lines: readonly string[], opening: number, open: Fence) {
  let at = opening + 1;
  while (at < lines.length && !closes(lines[at] ?? "", open)) at += 1;
  return at;
}

/** For every line: inside a block of code that ends in this text, the beginning of one that does not, or neither. */
function firstSpecialIn(lines: readonly string[]) {
  const sight: ("code" | "unclosed" | "plain")[] = lines.map(() => "plain");
  // A block that never ends reaches the end of the text whichever line it begins at: one look per kind is enough.
  const hopeless = new Set<string>();
  for (let at = 0; at < lines.length; at++) {
    const open = fenceAt(lines[at] ?? "");
    if (!open) continue;
    const end = hopeless.has(open.mark) ? lines.length : closingLine(lines, at, open);
    if (end === lines.length) {
      hopeless.add(open.mark);
      sight[at] = "unclosed";
      continue;
    }
    sight.fill("code", at, end + 1);
    at = end;
  }
  return sight;
}

/** Lines and what ends each of them, by turns: everything that ends a line for some reader. */
const linesWithEnds = (text: string) => text.split(/(\r\n|[\n\r\v\f\u0085\u2028\u2029])/);

function mapLines(text: string, change: (line: string, sight: "code" | "unclosed" | "plain") => string) {
  const pieces = linesWithEnds(text);
  const lines = pieces.filter((_, index) => index % 2 === 0);
  const sight = firstSpecialIn(lines);
  return pieces
    .map((piece, index) => (index % 2 === 0 ? change(piece, sight[index / 2] ?? "plain") : piece))
    .join("");
}

/** The text as it stands in a Markdown archive: a backslash before each line that would be taken for structure. */
export function escapeText(text: string) {
  return mapLines(text, (line, sight) => {
    const isStructure =
      sight === "code"
        ? turn.test(line)
        : sight === "unclosed" || structure.test(line) || escapedFence.test(line);
    return isStructure ? `\\${line}` : line;
  });
}

/** The text that `escapeText` was given. */
export function unescapeText(escaped: string) {
  return mapLines(escaped, (line, sight) => {
    if (!line.startsWith("\\")) return line;
    const isEscaped = sight === "code" ? turn.test(line) : structure.test(line) || escapedFence.test(line);
    return isEscaped ? line.slice(1) : line;
  });
}

/** Whether a text may begin on the line of its speaker without losing its meaning there. */
export function beginsPlainly(text: string) {
  const first = linesWithEnds(text)[0] ?? "";
  return !/^\s*$|^\\*\s*(?:[#>|<*+~`-]|\d+[.)])/.test(first);
}
