// What an import prints: a preview before, and at the end what was imported and what was wrong.
import type { ImportedSource, PassedOver, PreviewedSource } from "../../../importer/index.ts";
import { defined, present, sumOf } from "../../../lib/index.ts";
import { columns, counted, countedRows, formatNumber } from "../../output.ts";
import { roughly } from "../../progress.ts";
import { paint } from "../../terminal.ts";

export interface FailedImport {
  readonly file: string;
  readonly problem: string;
  readonly fix?: string;
}

type DoneFile<T> = { readonly file: string } & T;
type Sums = ReturnType<typeof sumsOf>;

type Counted = ImportedSource | PreviewedSource;
type Transcript = Extract<Counted, { kind: "transcript" }>;

export const transcriptsOf = (done: readonly Counted[]): Transcript[] =>
  done.flatMap((one) => (one.kind === "transcript" ? one : []));

/** `sessions` counts those with something new, `unchanged` those that were imported before. */
export function sumsOf(transcripts: readonly Transcript[]) {
  const sum = (count: (one: Transcript) => number) => sumOf(transcripts, count);
  const fresh = transcripts.filter((one) => Object.keys(one.events).length > 0 || one.messages > 0);
  const times = fresh
    .flatMap(({ from, to }) => [from, to])
    .filter((at) => at !== undefined)
    .sort();
  const [from, to] = [times[0], times.at(-1)];
  return {
    sessions: new Set(fresh.map(({ session }) => session)).size,
    unchanged: transcripts.filter(({ outcome }) => outcome === "unchanged").length,
    prompts: sum(({ events }) => events.prompt ?? 0),
    calls: sum(({ events }) => (events.tool ?? 0) + (events["tool-failure"] ?? 0)),
    messages: sum(({ messages }) => messages),
    archives: sum((one) => ("archived" in one && one.archived ? 1 : 0)),
    leftOut: sum(({ leftOut }) => leftOut),
    secrets: sum((one) => ("secrets" in one ? one.secrets : 0)),
    problems: sum(({ problemCount }) => problemCount),
    ...defined({ from, to }),
  };
}

const day = (at: string) =>
  new Date(at).toLocaleDateString("en-US", { year: "numeric", month: "short", day: "numeric" });

const datesText = ({ from, to = from }: Sums) => {
  if (from === undefined || to === undefined) return "";
  return day(from) === day(to) ? `of ${day(from)}` : `from ${day(from)} to ${day(to)}`;
};

const sizeText = (bytes: number) =>
  bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const passedOverTexts: Readonly<Record<PassedOver["why"], (count: number) => string>> = {
  other: (count) => `${counted(count, "file")} of another agent`,
  export: (count) => `${counted(count, "export")} of Throughline; use \`throughline data import\``,
  observer: (count) => `${counted(count, "transcript")} of claude-mem's own observer`,
  empty: (count) => `${counted(count, "file")} without a conversation`,
  unreadable: (count) => `${counted(count, "file")} that cannot be read`,
};

/** What was skipped, one line per reason; unreadable files by name. */
export function passedOverLines(passedOver: readonly PassedOver[]) {
  const lines = Object.entries(passedOverTexts).map(([why, text]) => {
    const count = passedOver.filter((one) => one.why === why).length;
    return count > 0 && `skipped: ${text(count)}`;
  });
  const unread = passedOver.map(({ file, problem }) => problem && `  ${file}: ${problem}`);
  return present([...lines, ...present(unread).slice(0, SHOWN_TROUBLES)]);
}

const SHOWN_TROUBLES = 5;

/** Problems that did not stop the import. */
function troubleLines(
  done: readonly DoneFile<Counted>[],
  failed: readonly FailedImport[],
  sums: Pick<Sums, "leftOut" | "problems">,
) {
  const broken = transcriptsOf(done).flatMap(({ problems }) => problems);
  const fixes = new Set(failed.flatMap(({ fix }) => fix ?? []));
  return present([
    sums.leftOut > 0 && `left out: ${counted(sums.leftOut, "row")} from pauses and excluded folders`,
    sums.problems > 0 && `unreadable: ${counted(sums.problems, "line")}`,
    ...firstOf(broken),
    failed.length > 0 && `not imported: ${counted(failed.length, "file")}`,
    ...firstOf(failed.map(({ file, problem }) => `${file}: ${problem}`)),
    ...[...fixes].map((fix) => `  fix: ${fix}`),
  ]);
}

const firstOf = (lines: readonly string[]) => [
  ...lines.slice(0, SHOWN_TROUBLES).map((line) => `  ${line}`),
  lines.length > SHOWN_TROUBLES && `  and ${lines.length - SHOWN_TROUBLES} more`,
];

interface ImportOutcome<T> {
  readonly done: readonly DoneFile<T>[];
  readonly failed: readonly FailedImport[];
  readonly passedOver: readonly PassedOver[];
}

interface Closing extends ImportOutcome<ImportedSource> {
  /** Rows that were added to the database. */
  readonly grown: { readonly observations: number; readonly summaries: number };
  readonly databaseBytes: number;
  readonly tookMs: number;
  /** A title that a search would find. */
  readonly example?: string;
}

function claudeMemLines(done: readonly DoneFile<Counted>[]) {
  return done.flatMap((one) => {
    if (one.kind !== "claude-mem") return [];
    const { observations, summaries, prompts, sessions } = one;
    const rows = countedRows({ observations, summaries, prompts });
    const what = one.outcome === "unchanged" ? "nothing new" : `${rows} of ${counted(sessions, "session")}`;
    return [`claude-mem (${one.file}): ${what}`];
  });
}

/** The first words of a title, for a search. */
const searchWordsOf = (title: string) =>
  title
    .replace(/["'`\\]/g, "")
    .split(/\s+/)
    .slice(0, 5)
    .join(" ");

export function closingText(closing: Closing) {
  const { done, failed, passedOver, grown, tookMs, databaseBytes, example } = closing;
  const sums = sumsOf(transcriptsOf(done));
  const isNothing = sums.sessions === 0 && grown.observations + grown.summaries === 0;
  const known = sums.unchanged > 0 ? ` Already imported: ${counted(sums.unchanged, "session")}.` : "";
  const what =
    sums.sessions === 0
      ? "the data of claude-mem"
      : `${counted(sums.sessions, "session")} ${datesText(sums)}`;
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
  const time = `Took ${roughly(tookMs)}; the database is ${sizeText(databaseBytes)} now.`;
  const next = [
    [
      `throughline search ${example === undefined ? "WORDS" : `"${searchWordsOf(example)}"`}`,
      "find it again",
    ],
    ["throughline open", "see it in the browser"],
  ];
  return present([
    paint("bold", headline),
    table.length > 0 && `\n${columns(table, "  ")}\n`,
    ...claudeMemLines(done),
    ...troubleLines(done, failed, sums),
    ...passedOverLines(passedOver),
    !isNothing && `${time}\n\n${columns(next, "  ")}`,
  ]).join("\n");
}

type Previewed = { readonly bytes: number } & PreviewedSource;

function projectRow(name: string, done: readonly Previewed[]) {
  const sums = sumsOf(transcriptsOf(done));
  const bytes = sumOf(done, (one) => one.bytes);
  const counts = [sums.sessions, sums.prompts, sums.calls, sums.messages];
  return [name, ...counts.map(formatNumber), sizeText(bytes)];
}

/** Numbers are right-aligned. */
function projectTable(rows: readonly (readonly string[])[]) {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return columns(
    rows.map((row) => row.map((text, at) => (at === 0 ? text : text.padStart(widths[at] ?? 0)))),
    "  ",
  );
}

export function previewText({ done, failed, passedOver }: ImportOutcome<Previewed>) {
  const fresh = done.filter((one) => one.kind === "transcript" && one.outcome === "imported");
  const sums = sumsOf(transcriptsOf(done));
  const byProject = new Map<string, Previewed[]>();
  for (const one of fresh) {
    const project = (one.kind === "transcript" && one.project) || "unknown";
    byProject.set(project, [...(byProject.get(project) ?? []), one]);
  }
  const rows = [...byProject].map(([project, own]) => projectRow(project, own));
  const head = ["project", "sessions", "prompts", "tool calls", "messages", "size"];
  const sum = rows.length > 1 && projectRow("all", fresh);
  const found =
    sums.sessions === 0
      ? "There is no new session."
      : `${counted(sums.sessions, "new session")} ${datesText(sums)}:`;
  return present([
    paint("bold", `Nothing was stored. ${found}`),
    rows.length > 0 && `\n${projectTable(present([head, ...rows, sum]))}\n`,
    sums.unchanged > 0 && `already imported: ${counted(sums.unchanged, "session")}`,
    ...claudeMemLines(done),
    sums.secrets > 0 && `to be redacted: ${counted(sums.secrets, "secret")}`,
    ...troubleLines(done, failed, sums),
    ...passedOverLines(passedOver),
    "`throughline import` stores them, observes their turns and archives the conversations.",
  ]).join("\n");
}
