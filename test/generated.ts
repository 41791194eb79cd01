// Pages that are partly generated: the part between two markers is replaced, the rest is written by hand.

/** The page with `content` between `<!-- generated:NAME -->` and `<!-- /generated:NAME -->`. */
export function withGenerated(page: string, name: string, content: string): string {
  const [open, close] = [`<!-- generated:${name} -->`, `<!-- /generated:${name} -->`];
  const [start, end] = [page.indexOf(open), page.indexOf(close)];
  if (start === -1 || end < start)
    throw new Error(`the page has no place for ${name}: it needs ${open} and ${close}`);
  return `${page.slice(0, start + open.length)}\n\n${content}\n\n${page.slice(end)}`;
}

/** A table laid out as the formatter leaves it, so that the two never disagree. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = header.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
