// Tables of numbers for a terminal and for a page.
import { type Bar, type Cell, type Finding, holds, type Outcome } from "./bench.ts";

export function cellText(cell: Cell | undefined): string {
  if (typeof cell !== "number") return cell ?? "";
  return cell.toLocaleString("en-US", { maximumFractionDigits: 3 });
}

const columnsOf = ({ rows }: Finding): string[] => [...new Set(rows.flatMap((row) => Object.keys(row)))];

function isNumeric({ rows }: Finding, column: string): boolean {
  return rows.every((row) => row[column] === undefined || typeof row[column] === "number");
}

function laidOut(finding: Finding): string[][] {
  const columns = columnsOf(finding);
  return [columns, ...finding.rows.map((row) => columns.map((column) => cellText(row[column])))];
}

export function barText({ what, value, atMost, atLeast }: Bar): string {
  const limit = atMost === undefined ? `at least ${cellText(atLeast)}` : `at most ${cellText(atMost)}`;
  return `${what}: ${cellText(Number(value.toFixed(3)))}, ${limit}`;
}

export function terminalText(finding: Finding): string {
  const lines = laidOut(finding);
  const columns = columnsOf(finding);
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const table = lines.map((line) =>
    line
      .map((cell, at) =>
        isNumeric(finding, columns[at] ?? "") ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  return [finding.title, ...table.map((line) => `  ${line}`), ...(finding.notes ?? [])].join("\n");
}

export function outcomeText({ findings, bars = [] }: Outcome): string {
  const held = bars.map((bar) => `${holds(bar) ? "holds" : "DOES NOT HOLD"}  ${barText(bar)}`);
  return [...findings.map(terminalText), held.join("\n")].filter((part) => part !== "").join("\n\n");
}

/** A table for a page; numbers stand to the right. */
export function pageTable(finding: Finding): string {
  const columns = columnsOf(finding);
  const [head = [], ...rows] = laidOut(finding).map((line) =>
    line.map((cell) => cell.replaceAll("|", "\\|")),
  );
  const rule = columns.map((column) => (isNumeric(finding, column) ? "--:" : "---"));
  return [head, rule, ...rows].map((line) => `| ${line.join(" | ")} |`).join("\n");
}
