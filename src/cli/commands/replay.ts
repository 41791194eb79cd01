// `throughline replay`: recorded sessions through every policy, with what each would have cost.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { readModelOverrides } from "../../config/index.ts";
import { errorText, ThroughlineError } from "../../lib/index.ts";
import {
  assumptions,
  baselineName,
  type Policy,
  policies,
  type RecordedSession,
  type ReplayResult,
  recordSession,
  replay,
  type Ttl,
  totalsByPolicy,
} from "../../replay/index.ts";
import {
  findModel,
  lookupModel,
  type ModelOverrides,
  modelTable,
  modelTableDate,
} from "../../tokens/index.ts";
import { readConversation } from "../../transcript/index.ts";
import { defineCommand } from "../command.ts";
import { columns, paint } from "../output.ts";
import { currentConfig } from "../surroundings.ts";

/** Compaction reserves 33,000 tokens: a window must leave room for a conversation. */
const SMALLEST_WINDOW = 40_000;

/** Whatever is no readable folder is left to the reader of transcripts, which says what is wrong with it. */
function isFolder(given: string): boolean {
  try {
    return statSync(given).isDirectory();
  } catch {
    return false;
  }
}

function transcriptsIn(given: string): string[] {
  if (!isFolder(given)) return [given];
  const files = readdirSync(given)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => path.join(given, name));
  if (files.length > 0) return files;
  throw new ThroughlineError("not-found", `no .jsonl file in ${given}`, {
    fix: "give a folder of transcripts",
  });
}

function choosePolicies(list: string | undefined): readonly Policy[] {
  if (!list) return policies;
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !policies.some((policy) => policy.name === name));
  if (unknown !== undefined) {
    throw new ThroughlineError("usage", `no policy ${unknown}`, {
      fix: `choose from ${policies.map(({ name }) => name).join(", ")}`,
    });
  }
  return policies.filter(({ name }) => name === baselineName || names.includes(name));
}

/** Prices from a file of model overrides, and a cache-read price as a share of the input price. */
function priceOverrides(
  base: ModelOverrides,
  file: string | undefined,
  share: string | undefined,
): ModelOverrides {
  const fromFile = file ? readPrices(file) : {};
  const overrides = { ...base, ...fromFile };
  if (!share) return overrides;
  const factor = numberFlag("--cache-read", share, 0, 1);
  const priced = modelTable.map(({ id }) => {
    const { prices } = lookupModel(id, overrides);
    return [
      id,
      { ...overrides[id], prices: prices.map((step) => ({ ...step, cacheRead: step.input * factor })) },
    ];
  });
  return { ...overrides, ...Object.fromEntries(priced) };
}

function readPrices(file: string): ModelOverrides {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new ThroughlineError("not-found", `cannot read the prices: ${errorText(error)}`, {
      fix: "give a JSON file of model overrides; docs/config.md shows one under `models`",
      cause: error,
    });
  }
  return readModelOverrides(text, file);
}

function numberFlag(flag: string, text: string, from: number, to: number): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= from && value <= to) return value;
  throw new ThroughlineError("usage", `${flag} must be a number from ${from} to ${to}, not ${text}`, {
    fix: `for example ${flag} ${from === 0 ? 0.1 : 200_000}`,
  });
}

interface ReplaySettings {
  readonly ttl: Ttl;
  readonly overrides: ModelOverrides;
  readonly model?: string;
  readonly window?: number;
}

/** The session, or why it cannot be replayed. */
async function readSession(
  name: string,
  file: string,
  settings: ReplaySettings,
): Promise<RecordedSession | string> {
  const conversation = await readConversation(file);
  if (conversation.requests.length === 0) return "no answered request with usage";
  if (settings.model || conversation.models.some((model) => findModel(model, settings.overrides)))
    return recordSession(name, conversation, settings);
  return `no model of the table answered (${conversation.models.join(", ") || "none"}); use --model`;
}

/** The file's name; all of its path when another one is called the same. */
function sessionName(file: string, files: readonly string[]): string {
  const short = path.basename(file, ".jsonl");
  return files.filter((other) => path.basename(other, ".jsonl") === short).length > 1 ? file : short;
}

async function replayFiles(files: readonly string[], policies: readonly Policy[], settings: ReplaySettings) {
  const results: ReplayResult[] = [];
  const skipped: { file: string; reason: string }[] = [];
  for (const [index, file] of files.entries()) {
    if (process.stderr.isTTY)
      process.stderr.write(`\r${index + 1}/${files.length} ${path.basename(file).slice(0, 60).padEnd(60)}`);
    const session = await readSession(sessionName(file, files), file, settings);
    if (typeof session === "string") skipped.push({ file, reason: session });
    else for (const policy of policies) results.push(replay(session, policy, { ttl: settings.ttl }));
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  const [first] = skipped;
  if (first && results.length === 0) {
    throw new ThroughlineError("not-found", `nothing to replay in ${first.file}: ${first.reason}`, {
      fix: "give a transcript in which a model answered; `throughline transcript FILE` shows what one holds",
    });
  }
  return { results, skipped };
}

function table(totals: ReturnType<typeof totalsByPolicy>): string {
  const percent = (value: number | undefined): string =>
    value === undefined ? "–" : `${(value * 100).toFixed(1)} %`;
  const head = [
    "policy",
    "cost",
    "whole bill",
    "worst session",
    "prompt tokens",
    "cache read",
    "cache written",
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
    `${(total.promptTokens / 1e6).toFixed(1)} M`,
    `${(total.cacheRead / 1e6).toFixed(1)} M`,
    `${(total.cacheWritten / 1e6).toFixed(1)} M`,
    `$${total.dollars.toFixed(2)}`,
    String(total.recalls),
    String(total.compactions),
    percent(total.retention),
  ]);
  return columns([head.map((cell) => paint("bold", cell)), ...rows]);
}

export default defineCommand({
  args: {
    path: { type: "positional", required: true, description: "a transcript, or a folder of them" },
    policy: {
      type: "string",
      description: `only these, with commas: ${policies.map(({ name }) => name).join(", ")}`,
    },
    ttl: { type: "enum", options: ["5m", "1h"], description: "lifetime of the prompt cache" },
    model: { type: "string", description: "replay as if on this model" },
    window: { type: "string", description: "context window in tokens" },
    prices: { type: "string", description: "a JSON file of model overrides" },
    "cache-read": { type: "string", description: "price of a cache read as a share of the input price" },
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
    { line: "throughline replay sessions/ --json", does: "every session and policy for a program" },
  ],
  async run({ args, rest }) {
    const chosen = choosePolicies(args.policy);
    const { values } = currentConfig();
    const ttl = args.ttl ?? values.replay.ttl;
    const overrides = priceOverrides(values.models, args.prices, args["cache-read"]);
    if (args.model) lookupModel(args.model, overrides);
    const window = args.window
      ? numberFlag("--window", args.window, SMALLEST_WINDOW, 100_000_000)
      : undefined;
    const files = [args.path, ...rest].flatMap(transcriptsIn);
    const { results, skipped } = await replayFiles(files, chosen, {
      ttl,
      overrides,
      ...(args.model ? { model: args.model } : {}),
      ...(window === undefined ? {} : { window }),
    });
    const totals = totalsByPolicy(results);
    const notes = [
      `prices of ${modelTableDate}, cache lifetime ${ttl}; assumptions:`,
      ...assumptions.map((line) => `- ${line}`),
    ];
    const left = skipped.map(({ file, reason }) => `left out ${file}: ${reason}`);
    return {
      data: {
        ttl,
        baseline: baselineName,
        prices_as_of: modelTableDate,
        assumptions,
        totals,
        sessions: results,
        skipped,
      },
      text: [table(totals), "", ...notes, ...left].join("\n"),
    };
  },
});
