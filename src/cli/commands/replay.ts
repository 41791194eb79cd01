// `throughline replay`: recorded sessions through every policy, with what each would have cost.
import { availableParallelism } from "node:os";
import { isoTime, ownVersion, replayFolder, systemClock, ThroughlineError } from "../../lib/index.ts";
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
import { columns, paint } from "../output.ts";
import { replayThread } from "../ownPackage.ts";
import { choosePolicies, numberFlag, priceOverrides } from "../replay/choices.ts";
import { checkPageFile, writePage } from "../replay/htmlFile.ts";
import { progressOn } from "../replay/progress.ts";
import { type NamedTranscript, namedTranscripts } from "../replay/sources.ts";
import { currentConfig, surroundings } from "../surroundings.ts";
import { wrapped } from "../width.ts";
import { counted } from "../wording.ts";

/** Compaction reserves 33,000 tokens: a window must leave room for a conversation. */
const SMALLEST_WINDOW = 40_000;
const MOST_JOBS = 64;
const NOTES_WIDEST = 100;

interface Work {
  readonly files: readonly NamedTranscript[];
  readonly policies: readonly Policy[];
  readonly settings: JobSettings;
  readonly jobs: number;
  readonly fresh: boolean;
}

async function replayAll({ files, policies, settings, jobs, fresh }: Work): Promise<Batch> {
  const thread = replayThread();
  // The bundle names its parts by their content, so that it changes with every line that numbers depend on.
  const known = new KnownResults(replayFolder(surroundings().home), contentDigest(thread) ?? ownVersion);
  const line = progressOn(process.stderr);
  try {
    const batch = await replayBatch(files, {
      settings,
      policies,
      jobs,
      thread,
      known,
      fresh,
      onProgress: line.show,
    });
    const [first] = batch.leftOut;
    if (first && batch.replayed.length === 0) {
      throw new ThroughlineError("not-found", `nothing to replay in ${first.file}: ${first.reason}`, {
        fix: "give a transcript in which a model answered; `throughline transcript FILE` shows what one holds",
      });
    }
    return batch;
  } finally {
    line.clear();
  }
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

type Totals = ReturnType<typeof totalsByPolicy>;

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

function pageData(batch: Batch, totals: Totals, work: Work, cacheRead: string | undefined): PageData {
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
    leftOut: batch.leftOut,
    assumptions,
  };
}

function textOf(batch: Batch, totals: Totals, work: Work, page: string | undefined): string {
  const notes = [
    `prices of ${modelTableDate}, cache lifetime ${work.settings.ttl}; assumptions:`,
    ...assumptions.map((line) => `- ${wrapped(line, NOTES_WIDEST - 2).join("\n  ")}`),
  ];
  const left = batch.leftOut.map(({ file, reason }) => `left out ${file}: ${reason}`);
  const known =
    batch.knownBefore === 0
      ? []
      : [
          `known from before: ${batch.knownBefore} of ${counted(work.files.length, "session")}; --fresh measures again`,
        ];
  const notKept =
    batch.notKept === undefined ? [] : [`results could not be kept for the next time: ${batch.notKept}`];
  const written = page === undefined ? [] : [`the page is in ${page}`];
  return [table(totals), "", ...notes, ...left, ...known, ...notKept, ...written].join("\n");
}

export default defineCommand({
  args: {
    path: { type: "positional", required: true, description: "a transcript, or a folder of them" },
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
      line: "throughline replay ~/.claude/projects/my-app",
      does: "every session of a project under every policy",
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
    const work: Work = {
      files: namedTranscripts([args.path, ...rest]),
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
    const batch = await replayAll(work);
    const results = batch.replayed.map(({ result }) => result);
    const totals = totalsByPolicy(results);
    if (args.html !== undefined)
      writePage(args.html, replayPage(pageData(batch, totals, work, args["cache-read"])));
    return {
      data: {
        ttl: work.settings.ttl,
        baseline: baselineName,
        prices_as_of: modelTableDate,
        assumptions,
        totals,
        sessions: results,
        skipped: batch.leftOut,
      },
      text: textOf(batch, totals, work, args.html),
    };
  },
});
