// A file that is read again: what the window already shows of it is pointed at and not repeated.

/** A text that stands in the window: the result of an earlier call, or what a call wrote. */
export interface ShownText {
  readonly toolUseId: string;
  readonly text: string;
}

export interface Reread {
  readonly kind: "same" | "changed";
  readonly text: string;
}

/** Runs of known lines shorter than this are cheaper shown than explained. */
const SHORTEST_RUN = 400;

/** The number that Read puts before a line. */
const lineNumber = /^\s*(\d+)(→|\t)/;

function bare(line: string): string {
  return line.replace(lineNumber, "");
}

/** What to show of `text` when the window holds `shown` of the same file; undefined when that would save nothing. */
export function rereadOf(text: string, shown: readonly ShownText[], handle: string): Reread | undefined {
  const same = shown.findLast((copy) => copy.text === text);
  if (same) {
    const lines = text.split("\n").length;
    const pointer = `[Unchanged: the same ${lines} lines as in the result of ${same.toolUseId} above. Whole text: recall ${handle}]`;
    return pointer.length < text.length ? { kind: "same", text: pointer } : undefined;
  }
  const known = new Map<string, string>();
  for (const copy of shown) for (const line of copy.text.split("\n")) known.set(bare(line), copy.toolUseId);
  if (known.size === 0) return undefined;
  const { lines, left } = withoutKnownRuns(text.split("\n"), known);
  if (left === 0) return undefined;
  const header = `[Read again: ${left} lines stand unchanged above and are left out (⋯). Whole text: recall ${handle}]`;
  const shorter = [header, ...lines].join("\n");
  return shorter.length < text.length * 0.8 ? { kind: "changed", text: shorter } : undefined;
}

function withoutKnownRuns(
  lines: readonly string[],
  known: ReadonlyMap<string, string>,
): { lines: string[]; left: number } {
  const out: string[] = [];
  let left = 0;
  for (let at = 0; at < lines.length; ) {
    let end = at;
    let length = 0;
    while (end < lines.length && isKnown(lines[end] ?? "", known)) length += (lines[end++] ?? "").length + 1;
    if (length > SHORTEST_RUN) {
      out.push(gapMark(lines, at, end, known));
      left += end - at;
      at = end;
    } else {
      const next = Math.max(end, at + 1);
      out.push(...lines.slice(at, next));
      at = next;
    }
  }
  return { lines: out, left };
}

function isKnown(line: string, known: ReadonlyMap<string, string>): boolean {
  const content = bare(line);
  return content.trim() === "" || known.has(content);
}

function gapMark(
  lines: readonly string[],
  from: number,
  end: number,
  known: ReadonlyMap<string, string>,
): string {
  const number = (at: number): string => lineNumber.exec(lines[at] ?? "")?.[1] ?? String(at + 1);
  const source = lines
    .slice(from, end)
    .map((line) => known.get(bare(line)))
    .find((id) => id !== undefined);
  return `  ⋯ lines ${number(from)}-${number(end - 1)} as in the result of ${source} above`;
}
