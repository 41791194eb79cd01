// What the README says was measured: made of bench/results and of nothing else, so that a test can compare the two.
import type { Cell, Finding } from "./bench.ts";
import { cellText } from "./print.ts";
import { machineText, type Recorded } from "./record.ts";

type Row = Readonly<Record<string, Cell>>;

/** How a table is written; the page that holds it decides. */
export type TableWriter = (header: readonly string[], rows: readonly (readonly string[])[]) => string;

type Results = ReadonlyMap<string, Recorded>;

const percent = (value: Cell | undefined): string =>
  typeof value === "number" ? `${value.toFixed(1)} %` : cellText(value);

const times = (value: Cell | undefined): string => `${cellText(value)} ×`;

const notMeasured = (command: string): string => `_Not measured yet: \`${command}\`._`;

function provenance({ command, date, machine }: Recorded): string {
  return `_\`${command}\`, ${date}, ${machineText(machine)}._`;
}

function firstFinding(results: Results, name: string): readonly [Recorded, Finding] | undefined {
  const recorded = results.get(name);
  const [finding] = recorded?.findings ?? [];
  return recorded && finding ? [recorded, finding] : undefined;
}

/** Every rule on the sessions that were given, the cheapest first. */
function rulesBlock(results: Results, table: TableWriter): string {
  const found = firstFinding(results, "replay");
  if (!found) return notMeasured("npm run bench -- FOLDER");
  const [recorded, finding] = found;
  const sorted = [...finding.rows].sort((a, b) => Number(a["cost %"]) - Number(b["cost %"]));
  const header = [
    "rule",
    "cost, never looked at",
    "half",
    "always",
    "whole bill",
    "worst session",
    "compactions",
    "recalls",
    "in view",
  ];
  const rows = sorted.map((row) => [
    `\`${row.rule}\``,
    percent(row["never %"]),
    percent(row["cost %"]),
    percent(row["always %"]),
    percent(row["whole bill %"]),
    percent(row["worst session %"]),
    cellText(row.compactions),
    cellText(row.recalls),
    percent(row["in view %"]),
  ]);
  return [`${finding.title}:`, table(header, rows), provenance(recorded)].join("\n\n");
}

function pricesBlock(results: Results, table: TableWriter): string {
  const recorded = results.get("replay");
  const rows = recorded?.findings[1]?.rows;
  if (!recorded || !rows) return notMeasured("npm run bench -- FOLDER");
  return table(
    ["`thrifty`", "cost", "whole bill", "worst session"],
    rows.map((row) => [
      cellText(row.thrifty),
      percent(row["cost %"]),
      percent(row["whole bill %"]),
      percent(row["worst session %"]),
    ]),
  );
}

function keptBlock(results: Results, table: TableWriter): string {
  const recorded = results.get("retention");
  const [needed, inView] = recorded?.findings ?? [];
  const first = inView?.rows[0];
  if (!recorded || !needed || !inView || !first) return notMeasured("npm run bench -- FOLDER");
  const columns = Object.keys(first).filter((name) => name.endsWith(" %"));
  const rows = inView.rows.map((row) => [
    cellText(row.shown),
    cellText(row.tokens),
    ...columns.map((name) => percent(row[name])),
  ]);
  return [
    `${cellText(needed.rows[0]?.["recorded compactions"])} recorded compactions:`,
    table(["in view", "tokens", ...columns.map((name) => name.replace(/ %$/, ""))], rows),
    provenance(recorded),
  ].join("\n\n");
}

function countedBlock(results: Results, table: TableWriter): string {
  const found = firstFinding(results, "tokens");
  const row = found?.[1].rows[0];
  if (!found || !row) return notMeasured("npm run bench -- FOLDER");
  const share = (name: string): string => `${cellText(row[name])} %`;
  const cells = [
    cellText(row.requests),
    share("median %"),
    share("p95 %"),
    share("p99 %"),
    share("bound exceeded %"),
  ];
  return [
    table(["requests predicted", "error, median", "p95", "p99", "above the bound that was given"], [cells]),
    provenance(found[0]),
  ].join("\n\n");
}

const rowOf = (rows: readonly Row[] = [], column: string, value: Cell): Row | undefined =>
  rows.find((row) => row[column] === value);

/** One line for each thing that runs, as a multiple of what it is measured against. */
function runningRows(results: Results): string[][] {
  const rows = (name: string): readonly Row[] => results.get(name)?.findings[0]?.rows ?? [];
  const hook = (program: string, what: string): string[][] => {
    const row = rowOf(rows("hooks"), "program", program);
    return row
      ? [
          [
            what,
            times(row["× node"]),
            `starting Node, ${cellText(rowOf(rows("hooks"), "program", "node -e 0")?.["median ms"])} ms`,
          ],
        ]
      : [];
  };
  const prepared = rowOf(rows("pipeline"), "policy", "thrifty");
  return [
    ...hook("capture, with fsync", "a hook that keeps an event, on disk when it ends"),
    ...hook("answer, worker answers", "a hook that asks the worker"),
    ...rows("ingest").map((row) => [
      `taking in an event, redacted: ${cellText(row["events/s"])} a second`,
      times(row["× store alone"]),
      "writing the same rows into the database alone",
    ]),
    ...rows("search").map((row) => [
      `a search among ${cellText(row.observations)} observations: ${cellText(row["search ms"])} ms`,
      times(row["search ×"]),
      `one bare full-text query, ${cellText(row["bare query ms"])} ms`,
    ]),
    ...(prepared
      ? [
          [
            `preparing a request of ${cellText(prepared.messages)} messages, 200,000 tokens`,
            times(prepared["appended ×"]),
            `one JSON.stringify of it, ${cellText(prepared["JSON.stringify ms"])} ms`,
          ],
        ]
      : []),
  ];
}

function runningBlock(results: Results, table: TableWriter): string {
  const rows = runningRows(results);
  const recorded = ["hooks", "ingest", "search", "pipeline"].flatMap((name) => results.get(name) ?? []);
  const [first] = recorded;
  if (!first || rows.length === 0) return notMeasured("npm run bench");
  return [table(["what", "costs", "as much as"], rows), provenance(first)].join("\n\n");
}

function liveBlock(results: Results, table: TableWriter): string {
  const found = firstFinding(results, "live");
  if (!found)
    return "_Whether a real model uses handles was not measured here: it needs a key. `npm run bench:live` does it._";
  const [recorded, finding] = found;
  const header = Object.keys(finding.rows[0] ?? {});
  const rows = finding.rows.map((row) => header.map((name) => cellText(row[name])));
  return [`${finding.title}:`, table(header, rows), provenance(recorded)].join("\n\n");
}

/** What a long session costs on each lane into Claude Code, of what it costs without Throughline. */
function lanesBlock(results: Results, table: TableWriter): string {
  const found = firstFinding(results, "lanes");
  if (!found) return notMeasured("npm run bench:lanes");
  const [recorded] = found;
  const [nothing = [], half = []] = recorded.findings.map(({ rows }) => rows);
  const cost = (rows: readonly Row[], lane: Cell | undefined): string => {
    const row = lane === undefined ? undefined : rowOf(rows, "lane", lane);
    return row ? percent(row["of plain %"]) : "–";
  };
  const rows = nothing.map((row) => [
    cellText(row.lane),
    cellText(row["levels that acted"]),
    cost(nothing, row.lane),
    cost(half, row.lane),
    cellText(row["by Claude Code"]),
  ]);
  const header = [
    "lane",
    "levels that acted",
    "cost, nothing read back",
    "cost, half read back",
    "compactions by Claude Code",
  ];
  return [table(header, rows), provenance(recorded)].join("\n\n");
}

const finding = (results: Results, name: string, at = 0): readonly Row[] =>
  results.get(name)?.findings[at]?.rows ?? [];

/** The lines of the first page: what was measured, what it is compared with, and the bench that prints it. */
function summaryRows(results: Results): string[][] {
  const [inView, start] = [finding(results, "retention", 1), finding(results, "start")];
  const [window, newest, own] = [
    "window of 20,000 tokens",
    "newest messages of 20,000 tokens",
    "the recorded agent's own summary",
  ].map((shown) => rowOf(inView, "shown", shown));
  const kept = (column: string, what: string): string[] => [
    `${what}, still in a compacted window`,
    percent(window?.[column]),
    `${percent(newest?.[column])} in the newest messages of that size, ${percent(own?.[column])} in the agent's own summary`,
    "retention",
  ];
  const rules = finding(results, "replay");
  const thrifty = rowOf(rules, "rule", "thrifty");
  const others = rules.filter(({ rule }) => !["thrifty", "collapse", "seed"].includes(String(rule)));
  const next = others.sort((a, b) => Number(a["cost %"]) - Number(b["cost %"]))[0];
  const asked = rowOf(finding(results, "retrieval"), "set", "codework");
  return [
    ...(thrifty && next
      ? [
          [
            "replay of recorded sessions under our rule, half of what was cut read back",
            percent(thrifty["cost %"]),
            `100 % when everything is sent; ${percent(next["cost %"])} by the next best rule, \`${next.rule}\``,
            "replay",
          ],
        ]
      : []),
    ...(window && newest && own
      ? [
          kept("long names %", "long names that the next 60 calls need"),
          kept("lines of the next edits %", "lines that the next edits need"),
        ]
      : []),
    ...(asked
      ? [
          [
            "questions about past code work, an answer among the first five",
            percent(asked["any@5"]),
            `${percent(asked["FTS5 any@5"])} by plain full-text search`,
            "retrieval",
          ],
        ]
      : []),
    ...["hooks", "mods"].flatMap((lane) => {
      const row = rowOf(start, "start", lane);
      return row
        ? [[`\`claude -p hi\`, ${lane} lane`, times(row["wall × plain"]), "without Throughline", "start"]]
        : [];
    }),
  ];
}

function summaryBlock(results: Results, table: TableWriter): string {
  const rows = summaryRows(results);
  if (rows.length === 0) return notMeasured("npm run bench -- FOLDER");
  return table(
    ["what was measured", "Throughline", "against", "printed by"],
    rows.map(([what = "", ours = "", against = "", name = ""]) => [
      what,
      ours,
      against,
      `\`npm run bench:${name}\``,
    ]),
  );
}

/** The blocks by the name that stands in their markers. */
export function readmeBlocks(results: Results, table: TableWriter): Readonly<Record<string, string>> {
  return {
    "bench-lanes": lanesBlock(results, table),
    "bench-summary": summaryBlock(results, table),
    "bench-rules": rulesBlock(results, table),
    "bench-prices": pricesBlock(results, table),
    "bench-kept": keptBlock(results, table),
    "bench-counted": countedBlock(results, table),
    "bench-running": runningBlock(results, table),
    "bench-live": liveBlock(results, table),
  };
}
