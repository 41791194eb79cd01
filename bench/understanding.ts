// What the product says of labelled sessions, in the format of a scorer: stated items with their rows, the digest of a
// snapshot, a compacted window, and the observations of single turns.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readActivity, type Statement, statementsOf } from "../src/activity/index.ts";
import { sumOf } from "../src/lib/index.ts";
import { userTurns } from "../src/messages/index.ts";
import { observeTurn } from "../src/observe/index.ts";
import { readConversation } from "../src/transcript/index.ts";
import { turnOfHistory } from "../test/fixtures/turn.ts";
import { type Bench, UsageError } from "./bench.ts";
import { sessionUpTo, snapshotOf, windowOf } from "./cutSession.ts";
import { pairedBy, type Wanted } from "./likeness.ts";

interface PointLabel {
  readonly kind: "point";
  readonly file: string;
  readonly cut: string;
  readonly why?: string;
  readonly next?: readonly Wanted[];
}

interface TurnLabel {
  readonly kind: "turn";
  readonly file: string;
  readonly prompt: string;
}

type Label = PointLabel | TurnLabel;

const labelsIn = (file: string): Label[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const items = (statements: readonly Statement[]) =>
  statements.map(({ text, rows }) => ({ text, evidence: rows }));

const isBoundary = ({ why = "" }: PointLabel) => why.startsWith("compact boundary");

async function predictPoint(
  { file, cut }: PointLabel,
  { sessions, withSummaries }: Arguments,
  folder: string,
) {
  const session = { file: path.join(sessions, file), cut, summary: withSummaries };
  const known = await sessionUpTo(session, folder);
  const { core, decisions, next, failing, files } = statementsOf(readActivity(known));
  const { digest } = await snapshotOf(known, folder);
  return {
    kind: "point",
    file,
    cut,
    core: core?.text ?? "",
    decisions: items(decisions),
    next: items(next),
    failing: items(failing),
    files,
    shown: { digest, window: windowOf(known) },
  };
}

async function predictTurn({ file, prompt }: TurnLabel, sessions: string) {
  const { items, cwd } = await readConversation(path.join(sessions, file));
  const known = items.filter(
    ({ isApiError, isCopy, compactSummary }) => !isApiError && !isCopy && !compactSummary,
  );
  const turns = userTurns(known).map(({ start, end }) => ({ start, turn: known.slice(start, end) }));
  const at = turns.findIndex(({ start }) => known[start]?.uuids.includes(prompt));
  const found = turns[at];
  if (found === undefined) throw new Error(`${file} has no turn ${prompt}`);
  const earlier = turns.slice(0, at).map(({ turn }) => turnOfHistory(turn));
  const before = earlier.findLast(({ words }) => words !== "");
  const turn = turnOfHistory(found.turn, {
    ...(before && { before: before.words, rows: { before: before.rows.words } }),
    folder: cwd,
  });
  const { observations } = observeTurn(turn);
  return {
    kind: "turn",
    file,
    prompt,
    observations: observations.map(({ type, title, subtitle, narrative, evidence }) => ({
      type,
      title,
      subtitle,
      narrative,
      evidence,
    })),
  };
}

interface Arguments {
  readonly labels: readonly string[];
  readonly sessions: string;
  readonly out: string;
  /** Only points at a compaction, each with the agent's summary of it. */
  readonly withSummaries: boolean;
}

function argumentsOf(args: readonly string[]): Arguments {
  const labels: string[] = [];
  const options = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--with-summaries") options.set(arg, arg);
    else if (!arg.startsWith("--")) labels.push(arg);
    else options.set(arg, args[++at] ?? "");
  }
  const [sessions, out] = [options.get("--sessions"), options.get("--out")];
  if (labels.length === 0 || !sessions || !out) throw new UsageError();
  return { labels, sessions, out, withSummaries: options.has("--with-summaries") };
}

export const bench: Bench = {
  name: "understanding",
  measures: ["src/activity", "src/observe", "src/snapshot", "src/compact", "src/pipeline"],
  about: "What is stated and shown of labelled sessions, written in the format of the scorer.",
  usage: "LABELS… --sessions DIR --out FILE [--with-summaries]",
  async run(args) {
    const given = argumentsOf(args);
    const folder = mkdtempSync(path.join(tmpdir(), "understanding-"));
    const predictions: Awaited<ReturnType<typeof predictPoint>>[] = [];
    const turns: Awaited<ReturnType<typeof predictTurn>>[] = [];
    const points = given.labels
      .flatMap(labelsIn)
      .filter((label) => label.kind === "point")
      .filter((label) => !given.withSummaries || isBoundary(label));
    try {
      for (const label of points) predictions.push(await predictPoint(label, given, folder));
      if (!given.withSummaries)
        for (const label of given.labels.flatMap(labelsIn))
          if (label.kind === "turn") turns.push(await predictTurn(label, given.sessions));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    writeFileSync(given.out, [...predictions, ...turns].map((one) => `${JSON.stringify(one)}\n`).join(""));
    const written = { title: "Predictions", rows: [{ written: predictions.length + turns.length }] };
    if (!given.withSummaries) return { findings: [written] };
    const pairs = points.map((label, at) => pairedBy(predictions[at]?.next ?? [], label.next ?? []));
    const row = {
      said: sumOf(pairs, ({ said }) => said),
      wanted: sumOf(pairs, ({ wanted }) => wanted),
      found: sumOf(pairs, ({ found }) => found),
    };
    const recall = row.wanted === 0 ? 0 : Math.round((1000 * row.found) / row.wanted) / 10;
    return { findings: [written, { title: "Next steps at compactions", rows: [{ ...row, recall }] }] };
  },
};
