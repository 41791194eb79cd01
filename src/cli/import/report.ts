// What an import tells at its end: how much came in, of which time, what was wrong, and what can be done with it now.
import type { ImportedSource, PassedOver, PreviewedSource } from "../../importer/index.ts";
import { columns } from "../output.ts";
import { paint } from "../terminal.ts";
import { counted } from "../wording.ts";
import { roughly } from "./progress.ts";

export interface FailedImport {
  readonly file: string;
  readonly problem: string;
  readonly fix?: string;
}

type Done<T> = { readonly file: string } & T;

interface Sums {
  /** Sessions of which something is new. */
  readonly sessions: number;
  /** Transcripts that were imported before, as they are. */
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

const callsOf = ({ events }: Transcript): number => (events.tool ?? 0) + (events["tool-failure"] ?? 0);
const isNew = (one: Transcript): boolean => Object.keys(one.events).length > 0 || one.messages > 0;

export const transcriptsOf = (done: readonly Counted[]): Transcript[] =>
  done.flatMap((one) => (one.kind === "transcript" ? one : []));

export function sumsOf(transcripts: readonly Transcript[]): Sums {
  const sum = (count: (one: Transcript) => number): number =>
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

const day = (at: string): string =>
  new Date(at).toLocaleDateString("en-US", { year: "numeric", month: "short", day: "numeric" });

export const spanOf = ({ from, to }: Pick<Sums, "from" | "to">): string => {
  if (from === undefined || to === undefined) return "";
  return day(from) === day(to) ? `of ${day(from)}` : `from ${day(from)} to ${day(to)}`;
};

export const megabytes = (bytes: number): string =>
  bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const reasons: Readonly<Record<PassedOver["why"], (count: number) => string>> = {
  other: (count) => `${counted(count, "file")} of another agent`,
  export: (count) => `${counted(count, "export")} of Throughline: \`throughline data import\` takes them`,
  observer: (count) => `${counted(count, "transcript")} in which claude-mem watched you`,
  empty: (count) => `${counted(count, "file")} without a conversation`,
  unreadable: (count) => `${counted(count, "file")} that cannot be read`,
};

/** What was passed over, one line a reason; files that could not be read by name. */
export function passedOverLines(passedOver: readonly PassedOver[]): string[] {
  const lines = Object.entries(reasons).flatMap(([why, told]) => {
    const count = passedOver.filter((one) => one.why === why).length;
    return count === 0 ? [] : [`passed over: ${told(count)}`];
  });
  const unread = passedOver.flatMap(({ file, problem }) =>
    problem === undefined ? [] : `  ${file}: ${problem}`,
  );
  return [...lines, ...unread.slice(0, SHOWN)];
}

const SHOWN = 5;

/** What a person should know although it did not stop the import. */
export function troubleLines(
  done: readonly Done<Counted>[],
  failed: readonly FailedImport[],
  sums: Pick<Sums, "leftOut" | "problems">,
): string[] {
  const broken = transcriptsOf(done).flatMap(({ problems }) => problems);
  const fixes = new Set(failed.flatMap(({ fix }) => fix ?? []));
  return [
    ...(sums.leftOut === 0
      ? []
      : [`left out: ${counted(sums.leftOut, "row")} of pauses and excluded folders`]),
    ...(sums.problems === 0
      ? []
      : [`not used: ${counted(sums.problems, "line")} that could not be read`, ...shown(broken)]),
    ...(failed.length === 0
      ? []
      : [
          `not imported: ${counted(failed.length, "file")}`,
          ...shown(failed.map(({ file, problem }) => `${file}: ${problem}`)),
          ...[...fixes].map((fix) => `  fix: ${fix}`),
        ]),
  ];
}

const shown = (lines: readonly string[]): string[] => [
  ...lines.slice(0, SHOWN).map((line) => `  ${line}`),
  ...(lines.length > SHOWN ? [`  and ${lines.length - SHOWN} more`] : []),
];

interface Closing {
  readonly done: readonly Done<ImportedSource>[];
  readonly failed: readonly FailedImport[];
  readonly passedOver: readonly PassedOver[];
  /** Rows that the database has more than before. */
  readonly grown: { readonly observations: number; readonly summaries: number };
  readonly databaseBytes: number;
  readonly tookMs: number;
  /** A title that a search would find. */
  readonly example?: string;
}

function claudeMemLines(done: readonly Done<ImportedSource>[]): string[] {
  return done.flatMap((one) => {
    if (one.kind !== "claude-mem") return [];
    const { observations, summaries, prompts, sessions } = one;
    const rows = [
      counted(observations, "observation"),
      counted(summaries, "summary", "summaries"),
      counted(prompts, "prompt"),
    ];
    const told =
      one.outcome === "unchanged" ? "nothing new" : `${rows.join(", ")} of ${counted(sessions, "session")}`;
    return [`claude-mem: ${told}`];
  });
}

/** The words of a title that are worth searching for. */
const wordsOf = (title: string): string =>
  title
    .replace(/["'`\\]/g, "")
    .split(/\s+/)
    .slice(0, 5)
    .join(" ");

/** What a person reads when it is over. */
export function closingText(closing: Closing): string {
  const { done, failed, passedOver, grown, tookMs, databaseBytes, example } = closing;
  const transcripts = transcriptsOf(done);
  const sums = sumsOf(transcripts);
  const other = claudeMemLines(done);
  const isNothing = sums.sessions === 0 && grown.observations + grown.summaries === 0;
  const known =
    sums.unchanged === 0
      ? ""
      : ` ${counted(sums.unchanged, "session")} ${sums.unchanged === 1 ? "was" : "were"} known already.`;
  const what =
    sums.sessions === 0
      ? "what claude-mem remembers"
      : `${counted(sums.sessions, "session")} ${spanOf(sums)}`;
  const headline = isNothing ? `Nothing is new.${known}` : `Imported ${what}.${known}`;
  const rows = [
    ["prompts", sums.prompts],
    ["tool calls", sums.calls],
    ["messages", sums.messages],
    ["observations", grown.observations],
    ["summaries", grown.summaries],
    ["archives", sums.archives],
  ] as const;
  const width = Math.max(...rows.map(([, count]) => count.toLocaleString("en-US").length));
  const table = rows
    .filter(([, count]) => count > 0)
    .map(([name, count]) => [name, count.toLocaleString("en-US").padStart(width)]);
  const time = `It took ${roughly(tookMs)}; the database has ${megabytes(databaseBytes)} now.`;
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
