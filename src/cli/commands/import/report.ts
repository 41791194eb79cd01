// What an import prints: a preview before, and at the end what was imported and what was wrong.
import type { ImportedSource, PassedOver, PreviewedSource } from "../../../importer/index.ts";
import { columns } from "../../output.ts";
import { roughly } from "../../progress.ts";
import { paint } from "../../terminal.ts";
import { counted, countedRows, formatNumber } from "../../text.ts";

export interface FailedImport {
  readonly file: string;
  readonly problem: string;
  readonly fix?: string;
}

type Done<T> = { readonly file: string } & T;

interface Sums {
  /** Sessions with something new. */
  readonly sessions: number;
  /** Transcripts that were imported before and have not changed. */
  readonly unchanged: number;
  readonly prompts: number;
  readonly calls: number;
  readonly messages: number;
  readonly archives: number;
  readonly leftOut: number;
  readonly secrets: number;
  readonly problems: number;
  readonly from?: string;
  readonly to?: string;
}

type Counted = ImportedSource | PreviewedSource;
type Transcript = Extract<Counted, { kind: "transcript" }>;

const callsOf = ({ events }: Transcript) => (events.tool ?? 0) + (events["tool-failure"] ?? 0);
const isNew = (one: Transcript) => Object.keys(one.events).length > 0 || one.messages > 0;

export const transcriptsOf = (done: readonly Counted[]): Transcript[] =>
  done.flatMap((one) => (one.kind === "transcript" ? one : []));

export function sumsOf(transcripts: readonly Transcript[]): Sums {
  const sum = (count: (one: Transcript) => number) =>
    transcripts.reduce((total, one) => total + count(one), 0);
  const fresh = transcripts.filter(isNew);
  const times = fresh
    .flatMap(({ from, to }) => [from, to])
    .filter((at) => at !== undefined)
    .sort();
  const [from, to] = [times[0], times.at(-1)];
  return {
    sessions: new Set(fresh.map(({ session }) => session)).size,
    unchanged: transcripts.filter(({ outcome }) => outcome === "unchanged").length,
    prompts: sum(({ events }) => events.prompt ?? 0),
    calls: sum(callsOf),
    messages: sum(({ messages }) => messages),
    archives: sum((one) => ("archived" in one && one.archived ? 1 : 0)),
    leftOut: sum(({ leftOut }) => leftOut),
    secrets: sum((one) => ("secrets" in one ? one.secrets : 0)),
    problems: sum(({ problemCount }) => problemCount),
    ...(from === undefined || to === undefined ? {} : { from, to }),
  };
}

const day = (at: string) =>
  new Date(at).toLocaleDateString("en-US", { year: "numeric", month: "short", day: "numeric" });

const spanOf = ({ from, to }: Pick<Sums, "from" | "to">) => {
  if (from === undefined || to === undefined) return "";
  return day(from) === day(to) ? `of ${day(from)}` : `from ${day(from)} to ${day(to)}`;
};

const sizeOf = (bytes: number) =>
  bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const reasons: Readonly<Record<PassedOver["why"], (count: number) => string>> = {
  other: (count) => `${counted(count, "file")} of another agent`,
  export: (count) => `${counted(count, "export")} of Throughline; use \`throughline data import\``,
  observer: (count) => `${counted(count, "transcript")} of claude-mem's own observer`,
  empty: (count) => `${counted(count, "file")} without a conversation`,
  unreadable: (count) => `${counted(count, "file")} that cannot be read`,
};

/** What was skipped, one line per reason; unreadable files by name. */
export function passedOverLines(passedOver: readonly PassedOver[]): string[] {
  const lines = Object.entries(reasons).flatMap(([why, text]) => {
    const count = passedOver.filter((one) => one.why === why).length;
    return count === 0 ? [] : [`skipped: ${text(count)}`];
  });
  const unread = passedOver.flatMap(({ file, problem }) =>
    problem === undefined ? [] : `  ${file}: ${problem}`,
  );
  return [...lines, ...unread.slice(0, SHOWN)];
}

const SHOWN = 5;

/** Problems that did not stop the import. */
function troubleLines(
  done: readonly Done<Counted>[],
  failed: readonly FailedImport[],
  sums: Pick<Sums, "leftOut" | "problems">,
) {
  const broken = transcriptsOf(done).flatMap(({ problems }) => problems);
  const fixes = new Set(failed.flatMap(({ fix }) => fix ?? []));
  return [
    ...(sums.leftOut === 0
      ? []
      : [`left out: ${counted(sums.leftOut, "row")} from pauses and excluded folders`]),
    ...(sums.problems === 0 ? [] : [`unreadable: ${counted(sums.problems, "line")}`, ...shown(broken)]),
    ...(failed.length === 0
      ? []
      : [
          `not imported: ${counted(failed.length, "file")}`,
          ...shown(failed.map(({ file, problem }) => `${file}: ${problem}`)),
          ...[...fixes].map((fix) => `  fix: ${fix}`),
        ]),
  ];
}

const shown = (lines: readonly string[]) => [
  ...lines.slice(0, SHOWN).map((line) => `  ${line}`),
  ...(lines.length > SHOWN ? [`  and ${lines.length - SHOWN} more`] : []),
];

interface Closing {
  readonly done: readonly Done<ImportedSource>[];
  readonly failed: readonly FailedImport[];
  readonly passedOver: readonly PassedOver[];
  /** Rows that were added to the database. */
  readonly grown: { readonly observations: number; readonly summaries: number };
  readonly databaseBytes: number;
  readonly tookMs: number;
  /** A title that a search would find. */
  readonly example?: string;
}

function claudeMemLines(done: readonly Done<Counted>[]) {
  return done.flatMap((one) => {
    if (one.kind !== "claude-mem") return [];
    const { observations, summaries, prompts, sessions } = one;
    const rows = countedRows({ observations, summaries, prompts });
    const what = one.outcome === "unchanged" ? "nothing new" : `${rows} of ${counted(sessions, "session")}`;
    return [`claude-mem (${one.file}): ${what}`];
  });
}

/** The first words of a title, for a search. */
const wordsOf = (title: string) =>
  title
    .replace(/["'`\\]/g, "")
    .split(/\s+/)
    .slice(0, 5)
    .join(" ");

export function closingText(closing: Closing): string {
  const { done, failed, passedOver, grown, tookMs, databaseBytes, example } = closing;
  const transcripts = transcriptsOf(done);
  const sums = sumsOf(transcripts);
  const other = claudeMemLines(done);
  const isNothing = sums.sessions === 0 && grown.observations + grown.summaries === 0;
  const known = sums.unchanged === 0 ? "" : ` Already imported: ${counted(sums.unchanged, "session")}.`;
  const what =
    sums.sessions === 0 ? "the data of claude-mem" : `${counted(sums.sessions, "session")} ${spanOf(sums)}`;
  const headline = isNothing ? `Nothing new.${known}` : `Imported ${what}.${known}`;
  const rows = [
    ["prompts", sums.prompts],
    ["tool calls", sums.calls],
    ["messages", sums.messages],
    ["observations", grown.observations],
    ["summaries", grown.summaries],
    ["archives", sums.archives],
  ] as const;
  const width = Math.max(...rows.map(([, count]) => formatNumber(count).length));
  const table = rows
    .filter(([, count]) => count > 0)
    .map(([name, count]) => [name, formatNumber(count).padStart(width)]);
  const time = `Took ${roughly(tookMs)}; the database is ${sizeOf(databaseBytes)} now.`;
  const next = [
    [`throughline search ${example === undefined ? "WORDS" : `"${wordsOf(example)}"`}`, "find it again"],
    ["throughline open", "see it in the browser"],
  ];
  return [
    paint("bold", headline),
    ...(table.length === 0 ? [] : ["", columns(table, "  "), ""]),
    ...other,
    ...troubleLines(done, failed, sums),
    ...passedOverLines(passedOver),
    ...(isNothing ? [] : [time, "", columns(next, "  ")]),
  ].join("\n");
}

type Previewed = { readonly file: string; readonly bytes: number } & PreviewedSource;

interface PreviewSummary {
  readonly done: readonly Previewed[];
  readonly failed: readonly FailedImport[];
  readonly passedOver: readonly PassedOver[];
}

function projectRow(name: string, done: readonly Previewed[]) {
  const sums = sumsOf(transcriptsOf(done));
  const bytes = done.reduce((sum, one) => sum + one.bytes, 0);
  return [
    name,
    formatNumber(sums.sessions),
    formatNumber(sums.prompts),
    formatNumber(sums.calls),
    formatNumber(sums.messages),
    sizeOf(bytes),
  ];
}

/** Numbers are right-aligned. */
function projectTable(rows: readonly (readonly string[])[]) {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return columns(
    rows.map((row) => row.map((text, at) => (at === 0 ? text : text.padStart(widths[at] ?? 0)))),
    "  ",
  );
}

export function previewText({ done, failed, passedOver }: PreviewSummary): string {
  const fresh = done.filter((one) => one.kind === "transcript" && one.outcome === "imported");
  const sums = sumsOf(transcriptsOf(done));
  const byProject = new Map<string, Previewed[]>();
  for (const one of fresh) {
    const project = (one.kind === "transcript" && one.project) || "unknown";
    byProject.set(project, [...(byProject.get(project) ?? []), one]);
  }
  const rows = [...byProject].map(([project, own]) => projectRow(project, own));
  const head = ["project", "sessions", "prompts", "tool calls", "messages", "size"];
  const sum = rows.length > 1 ? [projectRow("all", fresh)] : [];
  const secrets = counted(sums.secrets, "secret");
  return [
    paint(
      "bold",
      `Nothing was stored. ${sums.sessions === 0 ? "There is no new session." : `${counted(sums.sessions, "new session")} ${spanOf(sums)}:`}`,
    ),
    ...(rows.length === 0 ? [] : ["", projectTable([head, ...rows, ...sum]), ""]),
    ...(sums.unchanged === 0 ? [] : [`already imported: ${counted(sums.unchanged, "session")}`]),
    ...claudeMemLines(done),
    ...(sums.secrets === 0 ? [] : [`to be redacted: ${secrets}`]),
    ...troubleLines(done, failed, sums),
    ...passedOverLines(passedOver),
    "`throughline import` stores them, observes their turns and archives the conversations.",
  ].join("\n");
}
