// `throughline replay`: recorded sessions through every policy, with what each would have cost.
import { availableParallelism } from "node:os";
import { replayFolder } from "../../home/index.ts";
import { isoTime, ownVersion, systemClock, ThroughlineError } from "../../lib/index.ts";
import {
  assumptions,
  type Batch,
  baselineName,
  contentDigest,
  type JobSettings,
  KnownResults,
  type PageData,
  type Policy,
  policies,
  replayBatch,
  replayPage,
  totalsByPolicy,
} from "../../replay/index.ts";
import { findModel, lookupModel, modelTableDate } from "../../tokens/index.ts";
import { defineCommand } from "../command.ts";
import { columns, exitCodes } from "../output.ts";
import { replayThread } from "../ownPackage.ts";
import { choosePolicies, numberFlag, priceOverrides } from "../replay/choices.ts";
import { checkPageFile, writePage } from "../replay/htmlFile.ts";
import { type LeftOut, plainly, tellLeftOut } from "../replay/leftOut.ts";
import { progressOn } from "../replay/progress.ts";
import { type NamedTranscript, namedTranscripts } from "../replay/sources.ts";
import { currentConfig, surroundings } from "../surroundings.ts";
import { paint, screenOf } from "../terminal.ts";
import { wrapped } from "../width.ts";
import { counted } from "../wording.ts";

/** Compaction reserves 33,000 tokens: a window must leave room for a conversation. */
const SMALLEST_WINDOW = 40_000;
const MOST_JOBS = 64;
const NOTES_WIDEST = 100;

interface Work {
  readonly files: readonly NamedTranscript[];
  /** What could not be searched for files. */
  readonly unsearched: readonly LeftOut[];
  readonly policies: readonly Policy[];
  readonly settings: JobSettings;
  readonly jobs: number;
  readonly fresh: boolean;
}

async function replayAll(work: Work, progress: ReturnType<typeof progressOn>): Promise<Batch> {
  const { files, policies, settings, jobs, fresh } = work;
  const thread = replayThread();
  // The bundle names its parts by their content, so that it changes with every line that numbers depend on.
  const program = (await contentDigest(thread)) ?? ownVersion;
  const known = new KnownResults(replayFolder(surroundings().home), program);
  const interrupt = new AbortController();
  const stop = (): void => interrupt.abort();
  // Once: a second Ctrl-C ends the process at once.
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

/** Nothing was replayed and nothing is left to do: the first reason is the error. */
function assertAny(
  { replayed, leftOut, undone }: Batch,
  work: Work,
  given: readonly string[],
  json: boolean,
): void {
  if (replayed.length > 0 || undone > 0) return;
  const [first] = leftOut;
  const fix = first?.fix ?? "name a folder of transcripts, or one of them";
  if (first && work.files.length === 1 && work.unsearched.length === 0) {
    const message = first.reason.startsWith(first.file)
      ? first.reason
      : `nothing to replay in ${first.file}: ${first.reason}`;
    throw new ThroughlineError(first.code, message, { fix });
  }
  if (!json) tellLeftOut([...leftOut, ...work.unsearched].map(plainly));
  const message =
    work.files.length === 0
      ? `no .jsonl file in ${given.join(", ")}`
      : `nothing to replay in ${given.join(", ")}: none of ${counted(work.files.length, "file")} is a session`;
  throw new ThroughlineError("not-found", message, { fix });
}

function table(totals: ReturnType<typeof totalsByPolicy>): string {
  const percent = (value: number | undefined): string =>
    value === undefined ? "–" : `${(value * 100).toFixed(1)} %`;
  const head = [
    "policy",
    "cost",
    "whole bill",
    "worst session",
    "dollars",
    "recalls",
    "compactions",
    "in view",
  ];
  const rows = totals.map((total) => [
    total.policy,
    percent(total.ratio),
    percent(total.billRatio),
    percent(total.worstRatio),
    `$${total.dollars.toFixed(2)}`,
    String(total.recalls),
    String(total.compactions),
    percent(total.retention),
  ]);
  return columns([head.map((cell) => paint("bold", cell)), ...rows]);
}

interface Outcome {
  readonly work: Work;
  readonly batch: Batch;
  readonly totals: ReturnType<typeof totalsByPolicy>;
  readonly leftOut: readonly LeftOut[];
}

/** What the page says was asked for beside the usual. */
function askedFor({
  settings,
  cacheRead,
}: {
  settings: JobSettings;
  cacheRead: string | undefined;
}): string[] {
  return [
    ...(settings.model === undefined ? [] : [`as if on ${settings.model}`]),
    ...(settings.window === undefined ? [] : [`window of ${settings.window.toLocaleString("en-US")} tokens`]),
    ...(cacheRead === undefined ? [] : [`a cache read at ${cacheRead} of the input price`]),
  ];
}

function pageData({ batch, totals, work, leftOut }: Outcome, cacheRead: string | undefined): PageData {
  const { settings } = work;
  const used = [...new Set(batch.replayed.map(({ result }) => result.model))];
  return {
    madeOn: isoTime(systemClock.now()).slice(0, 10),
    version: ownVersion,
    ttl: settings.ttl,
    pricesAsOf: modelTableDate,
    models: used.flatMap((name) => findModel(name, settings.overrides) ?? []),
    asked: askedFor({ settings, cacheRead }),
    policies: work.policies,
    totals,
    replayed: batch.replayed,
    leftOut,
    assumptions,
  };
}

function textOf({ batch, totals, work }: Outcome, page: string | undefined): string {
  if (batch.replayed.length === 0) return "interrupted before the first session was done";
  const notes = [
    `prices of ${modelTableDate}, cache lifetime ${work.settings.ttl}; assumptions:`,
    ...assumptions.map((line) => `- ${wrapped(line, NOTES_WIDEST - 2).join("\n  ")}`),
  ];
  const undone =
    batch.undone === 0
      ? []
      : [
          `interrupted: ${batch.undone} of ${counted(work.files.length, "session")} not done; the same command goes on from here`,
        ];
  const known =
    batch.knownBefore === 0
      ? []
      : [
          `known from before: ${batch.knownBefore} of ${counted(work.files.length, "session")}; --fresh measures again`,
        ];
  const notKept =
    batch.notKept === undefined ? [] : [`results could not be kept for the next time: ${batch.notKept}`];
  const written = page === undefined ? [] : [`the page is in ${page}`];
  return [table(totals), "", ...notes, ...known, ...notKept, ...written, ...undone].join("\n");
}

export default defineCommand({
  args: {
    path: {
      type: "positional",
      required: true,
      description: "a transcript, or a folder that is searched for them with the folders below it",
    },
    policy: {
      type: "string",
      valueHint: "names",
      description: `only these, with commas: ${policies.map(({ name }) => name).join(", ")}`,
    },
    ttl: { type: "enum", options: ["5m", "1h"], description: "lifetime of the prompt cache" },
    model: { type: "string", description: "replay as if on this model" },
    window: { type: "string", valueHint: "tokens", description: "context window in tokens" },
    prices: { type: "string", valueHint: "file", description: "a JSON file of model overrides" },
    "cache-read": {
      type: "string",
      valueHint: "share",
      description: "price of a cache read as a share of the input price, such as 0.1",
    },
    html: { type: "string", valueHint: "file", description: "also write a page with charts into this file" },
    jobs: {
      type: "string",
      valueHint: "n",
      description: "sessions at a time; as many as there are cores unless said",
    },
    fresh: { type: "boolean", description: "measure again what is known from an earlier run" },
  },
  rest: "more",
  examples: [
    {
      line: "throughline replay ~/.claude/projects",
      does: "every session of Claude Code on this machine under every policy",
    },
    {
      line: "throughline replay session.jsonl --policy cold-only --ttl 1h",
      does: "one session, one policy, an hour of cache",
    },
    {
      line: "throughline replay sessions/ --html report.html",
      does: "a page with charts, to be shown to somebody",
    },
    { line: "throughline replay sessions/ --json", does: "every session and policy for a program" },
  ],
  async run({ args, rest }) {
    const chosen = choosePolicies(args.policy);
    const { values } = currentConfig();
    const overrides = priceOverrides(values.models, args.prices, args["cache-read"]);
    if (args.model) lookupModel(args.model, overrides);
    const window = args.window
      ? numberFlag("--window", args.window, SMALLEST_WINDOW, 100_000_000, 200_000)
      : undefined;
    const jobs = args.jobs ? numberFlag("--jobs", args.jobs, 1, MOST_JOBS, 2) : availableParallelism();
    if (args.html !== undefined) checkPageFile(args.html);
    const given = [args.path, ...rest];
    const progress = progressOn(screenOf("stderr"));
    const { files, leftOut: unsearched } = namedTranscripts(given);
    const work: Work = {
      files,
      unsearched,
      policies: chosen,
      settings: {
        ttl: args.ttl ?? values.replay.ttl,
        overrides,
        ...(args.model ? { model: args.model } : {}),
        ...(window === undefined ? {} : { window }),
      },
      jobs: Math.min(MOST_JOBS, Math.floor(jobs)),
      fresh: args.fresh === true,
    };
    const batch = await replayAll(work, progress);
    assertAny(batch, work, given, args.json === true);
    const leftOut = [...batch.leftOut, ...unsearched].map(plainly);
    const results = batch.replayed.map(({ result }) => result);
    const outcome: Outcome = { work, batch, totals: totalsByPolicy(results), leftOut };
    if (args.html !== undefined && results.length > 0)
      writePage(args.html, replayPage(pageData(outcome, args["cache-read"])));
    if (!args.json) tellLeftOut(leftOut);
    return {
      data: {
        ttl: work.settings.ttl,
        baseline: baselineName,
        prices_as_of: modelTableDate,
        assumptions,
        totals: outcome.totals,
        sessions: results,
        leftOut,
        // The name that earlier versions gave the same list.
        skipped: leftOut,
        undone: batch.undone,
      },
      text: textOf(outcome, args.html),
      exitCode: batch.undone > 0 ? exitCodes.interrupted : exitCodes.ok,
    };
  },
});
