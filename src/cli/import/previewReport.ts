// What an import would do, as a person reads it before: by project, with the time, the size and what would be hidden.
import type { PassedOver, PreviewedSource } from "../../importer/index.ts";
import { columns } from "../output.ts";
import { paint } from "../terminal.ts";
import { counted } from "../wording.ts";
import {
  type FailedImport,
  megabytes,
  passedOverLines,
  spanOf,
  sumsOf,
  transcriptsOf,
  troubleLines,
} from "./report.ts";

type Previewed = { readonly file: string; readonly bytes: number } & PreviewedSource;

interface PreviewSummary {
  readonly done: readonly Previewed[];
  readonly failed: readonly FailedImport[];
  readonly passedOver: readonly PassedOver[];
}

const cell = (count: number): string => count.toLocaleString("en-US");

function projectRow(name: string, done: readonly Previewed[]): string[] {
  const sums = sumsOf(transcriptsOf(done));
  const bytes = done.reduce((sum, one) => sum + one.bytes, 0);
  return [
    name,
    cell(sums.sessions),
    cell(sums.prompts),
    cell(sums.calls),
    cell(sums.messages),
    megabytes(bytes),
  ];
}

/** Numbers stand at the right of their column. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return columns(
    rows.map((row) => row.map((text, at) => (at === 0 ? text : text.padStart(widths[at] ?? 0)))),
    "  ",
  );
}

function claudeMemLines(done: readonly Previewed[]): string[] {
  return done.flatMap((one) => {
    if (one.kind !== "claude-mem") return [];
    if (one.outcome === "unchanged") return [`claude-mem (${one.file}): nothing new`];
    const rows = [
      counted(one.observations, "observation"),
      counted(one.summaries, "summary", "summaries"),
      counted(one.prompts, "prompt"),
    ];
    return [`claude-mem (${one.file}): ${rows.join(", ")} of ${counted(one.sessions, "session")}`];
  });
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
      `Nothing was stored. ${sums.sessions === 0 ? "No session is new." : `New would be ${counted(sums.sessions, "session")} ${spanOf(sums)}:`}`,
    ),
    ...(rows.length === 0 ? [] : ["", table([head, ...rows, ...sum]), ""]),
    ...(sums.unchanged === 0 ? [] : [`${counted(sums.unchanged, "session")} known already`]),
    ...claudeMemLines(done),
    ...(sums.secrets === 0 ? [] : [`${secrets} in them would be hidden`]),
    ...troubleLines(done, failed, sums),
    ...passedOverLines(passedOver),
    "Turns are observed and conversations archived on the way; `throughline import` does it.",
  ].join("\n");
}
