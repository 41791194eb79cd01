// `throughline replay`: recorded sessions under every policy, with what each would have cost.

import { availableParallelism } from "node:os";
import path from "node:path";
import { replayFolder } from "../../../home/index.ts";
import {
  defined,
  isoTime,
  notFoundError,
  ownVersion,
  present,
  systemClock,
  ThroughlineError,
} from "../../../lib/index.ts";
import {
  assumptions,
  type Batch,
  type BatchOptions,
  baselineName,
  contentDigest,
  type JobSettings,
  KnownResults,
  type PageData,
  policies,
  replayBatch,
  replayPage,
  totalsByPolicy,
} from "../../../replay/index.ts";
import { findModel, lookupModel, modelTableDate } from "../../../tokens/index.ts";
import { findTranscripts } from "../../../transcript/index.ts";
import { choice, defineCommand, flag, operand, value } from "../../command.ts";
import { commandContext, currentConfig } from "../../context.ts";
import { columns, counted, exitCodes, formatNumber, wrapped } from "../../output.ts";
import { replayThread } from "../../package.ts";
import { replayProgress } from "../../progress.ts";
import { paint, write } from "../../terminal.ts";
import { checkPageFile, choosePolicies, numberFlag, priceOverrides, writePage } from "./options.ts";

export interface LeftOut {
  readonly file: string;
  readonly reason: string;
}

/** Files that are named per reason; `--json` has all of them. */
const SHOWN_FAILURES = 20;

/** The reason without the file's name, which is printed beside it. */
export function withoutFileName({ file, reason }: LeftOut): LeftOut {
  return { file, reason: reason.startsWith(`${file} `) ? reason.slice(file.length + 1) : reason };
}

/** On standard error, so that the table can be piped; files with the same reason together. */
export function writeLeftOut(leftOut: readonly LeftOut[]) {
  const byReason = new Map<string, LeftOut[]>();
  for (const one of leftOut) byReason.set(one.reason, [...(byReason.get(one.reason) ?? []), one]);
  const lines = [...byReason].flatMap(([reason, files]) => [
    ...files.slice(0, SHOWN_FAILURES).map(({ file }) => `skipped ${file}: ${reason}`),
    files.length > SHOWN_FAILURES &&
      `skipped ${counted(files.length - SHOWN_FAILURES, "more file")}: ${reason}; --json names each`,
  ]);
  for (const line of present(lines)) write(`${line}\n`, "stderr");
}

/** Names each by its file name, or by its whole path when another file has the same name. */
function givenTranscripts(given: readonly string[]) {
  const { files, unsearched } = findTranscripts(given);
  const short = (file: string) => path.basename(file, ".jsonl");
  const counts = new Map<string, number>();
  for (const file of files) counts.set(short(file), (counts.get(short(file)) ?? 0) + 1);
  const named = files.map((file) => ({
    file,
    name: (counts.get(short(file)) ?? 0) > 1 ? file : short(file),
  }));
  return { files: named, leftOut: unsearched };
}

/** Compaction reserves 33,000 tokens: a window must be large enough for a conversation. */
const SMALLEST_REPLAY_WINDOW = 40_000;
const MOST_JOBS = 64;
const NOTES_WIDEST = 100;

interface ReplayWork extends Pick<BatchOptions, "policies" | "settings" | "jobs" | "fresh"> {
  readonly files: ReturnType<typeof givenTranscripts>["files"];
  /** Folders that could not be searched. */
  readonly unsearched: readonly LeftOut[];
}

async function replayAll(work: ReplayWork, progress: ReturnType<typeof replayProgress>) {
  const { files, policies, settings, jobs, fresh } = work;
  const thread = replayThread();
  // The bundle names its chunks by their content, so this digest changes with every line that results depend on.
  const program = (await contentDigest(thread)) ?? ownVersion;
  const known = new KnownResults(replayFolder(commandContext().home), program);
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  // Once: a second Ctrl-C ends the process immediately.
  process.once("SIGINT", stop);
  try {
    return await replayBatch(files, {
      settings,
      policies,
      jobs,
      thread,
      known,
      fresh,
      onProgress: progress.show,
      signal: interrupt.signal,
    });
  } finally {
    process.off("SIGINT", stop);
    progress.clear();
  }
}

/** Throws the first reason when nothing was replayed and nothing is left to do. */
function assertAny(
  { replayed, leftOut, undone }: Batch,
  work: ReplayWork,
  given: readonly string[],
  json: boolean,
) {
  if (replayed.length > 0 || undone > 0) return;
  const [first] = leftOut;
  const fix = first?.fix ?? "name a folder of transcripts, or one of them";
  if (first && work.files.length === 1 && work.unsearched.length === 0) {
    const message = first.reason.startsWith(first.file)
      ? first.reason
      : `nothing to replay in ${first.file}: ${first.reason}`;
    throw new ThroughlineError(first.code, message, fix);
  }
  if (!json) writeLeftOut([...leftOut, ...work.unsearched].map(withoutFileName));
  const message =
    work.files.length === 0
      ? `no .jsonl file in ${given.join(", ")}`
      : `nothing to replay in ${given.join(", ")}: none of ${counted(work.files.length, "file")} is a session`;
  throw notFoundError(message, fix);
}

function totalsTable(totals: ReturnType<typeof totalsByPolicy>) {
  const percent = (value: number | undefined) =>
    value === undefined ? "–" : `${(value * 100).toFixed(1)} %`;
  const head = [
    "policy",
    "never",
    "half",
    "always",
    "whole bill",
    "worst",
    "dollars",
    "recalls",
    "compacted",
    "in view",
  ];
  const rows = totals.map((total) => [
    total.policy,
    percent(total.lookedAt.never.ratio),
    percent(total.ratio),
    percent(total.lookedAt.always.ratio),
    percent(total.billRatio),
    percent(total.worstRatio),
    `$${total.dollars.toFixed(2)}`,
    String(total.recalls),
    String(total.compactions),
    percent(total.retention),
  ]);
  return columns([head.map((cell) => paint("bold", cell)), ...rows]);
}

interface ReplayOutcome {
  readonly work: ReplayWork;
  readonly batch: Batch;
  readonly totals: ReturnType<typeof totalsByPolicy>;
  readonly leftOut: readonly LeftOut[];
}

/** Non-default choices, for the page. */
function choicesText({ model, window }: JobSettings, cacheRead: string | undefined) {
  return present([
    model && `as if on ${model}`,
    window !== undefined && `window of ${formatNumber(window)} tokens`,
    cacheRead && `a cache read at ${cacheRead} of the input price`,
  ]);
}

function pageData({ batch, totals, work, leftOut }: ReplayOutcome, cacheRead: string | undefined): PageData {
  const { settings } = work;
  const used = [...new Set(batch.replayed.map(({ result }) => result.model))];
  return {
    madeOn: isoTime(systemClock.now()).slice(0, 10),
    version: ownVersion,
    ttl: settings.ttl,
    pricesAsOf: modelTableDate,
    models: used.flatMap((name) => findModel(name, settings.overrides) ?? []),
    asked: choicesText(settings, cacheRead),
    policies: work.policies,
    totals,
    replayed: batch.replayed,
    leftOut,
    assumptions,
  };
}

function replayText({ batch, totals, work }: ReplayOutcome, page: string | undefined) {
  if (batch.replayed.length === 0)
    return "interrupted before the first session was done; the same command begins again";
  const { undone, knownBefore, notKept } = batch;
  const sessions = counted(work.files.length, "session");
  return [
    totalsTable(totals),
    "",
    "never, half, always: the cost by how much of what a rule cut on arrival is looked at;",
    "all other columns are those of half; worst: the dearest session",
    `prices of ${modelTableDate}, cache lifetime ${work.settings.ttl}; assumptions:`,
    ...assumptions.map((line) => `- ${wrapped(line, NOTES_WIDEST - 2).join("\n  ")}`),
    knownBefore > 0 && `cached: ${knownBefore} of ${sessions}; --fresh replays them again`,
    notKept && `results could not be cached: ${notKept}`,
    page && `page: ${page}`,
    undone > 0 && `interrupted: ${undone} of ${sessions} not done; the same command continues from here`,
  ];
}

const replayCommand = defineCommand({
  args: {
    path: operand("a transcript, or a folder that is searched recursively for them"),
    policy: value("names", `only these, comma-separated: ${policies.map(({ name }) => name).join(", ")}`),
    ttl: choice(["5m", "1h"], "lifetime of the prompt cache"),
    model: value("model", "replay as if on this model"),
    window: value("tokens", "context window in tokens"),
    prices: value("file", "a JSON file of model overrides"),
    "cache-read": value("share", "price of a cache read as a share of the input price, such as 0.1"),
    html: value("file", "also write a page with charts to this file"),
    jobs: value("n", "sessions in parallel (default: the number of cores)"),
    fresh: flag("ignore cached results of earlier runs"),
  },
  rest: "more",
  examples: {
    "throughline replay ~/.claude/projects":
      "every session of Claude Code on this machine under every policy",
    "throughline replay session.jsonl --policy cold-only --ttl 1h":
      "one session, one policy, a cache lifetime of one hour",
    "throughline replay sessions/ --html report.html": "a page with charts to share",
    "throughline replay sessions/ --json": "every session and policy, for a program",
  },
  async run({ args, rest }) {
    const chosen = choosePolicies(args.policy);
    const { values } = currentConfig();
    const overrides = priceOverrides(values.models, args.prices, args["cache-read"]);
    if (args.model) lookupModel(args.model, overrides);
    const window = args.window
      ? numberFlag("--window", args.window, SMALLEST_REPLAY_WINDOW, 100_000_000, 200_000)
      : undefined;
    const jobs = args.jobs ? numberFlag("--jobs", args.jobs, 1, MOST_JOBS, 2) : availableParallelism();
    if (args.html !== undefined) checkPageFile(args.html);
    const given = [args.path, ...rest];
    const progress = replayProgress();
    const { files, leftOut: unsearched } = givenTranscripts(given);
    const work: ReplayWork = {
      files,
      unsearched,
      policies: chosen,
      settings: {
        ttl: args.ttl ?? values.replay.ttl,
        overrides,
        ...defined({ model: args.model || undefined, window }),
      },
      jobs: Math.min(MOST_JOBS, Math.floor(jobs)),
      fresh: args.fresh,
    };
    const batch = await replayAll(work, progress);
    assertAny(batch, work, given, args.json);
    const leftOut = [...batch.leftOut, ...unsearched].map(withoutFileName);
    const results = batch.replayed.map(({ result }) => result);
    const outcome: ReplayOutcome = { work, batch, totals: totalsByPolicy(results), leftOut };
    if (args.html !== undefined && results.length > 0)
      writePage(args.html, replayPage(pageData(outcome, args["cache-read"])));
    if (!args.json) writeLeftOut(leftOut);
    return {
      data: {
        ttl: work.settings.ttl,
        baseline: baselineName,
        prices_as_of: modelTableDate,
        assumptions,
        totals: outcome.totals,
        sessions: results,
        leftOut,
        // The name of the same list in earlier versions.
        skipped: leftOut,
        undone: batch.undone,
      },
      text: replayText(outcome, args.html),
      exitCode: batch.undone > 0 ? exitCodes.interrupted : exitCodes.ok,
    };
  },
});

export default { replay: replayCommand };
