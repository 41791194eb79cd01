// `throughline replay`: recorded sessions through every policy, with what each would have cost.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { isObject, parseJson, systemErrorCode, ThroughlineError } from "../../lib/index.ts";
import {
  assumptions,
  baselineName,
  type Policy,
  plainPolicies,
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

function transcriptsIn(given: string): string[] {
  try {
    if (!statSync(given).isDirectory()) return [given];
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    throw new ThroughlineError("not-found", `${given} does not exist`, {
      fix: "give a transcript or a folder of them",
    });
  }
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
  if (!list) return plainPolicies;
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !plainPolicies.some((policy) => policy.name === name));
  if (unknown !== undefined) {
    throw new ThroughlineError("usage", `no policy ${unknown}`, {
      fix: `choose from ${plainPolicies.map(({ name }) => name).join(", ")}`,
    });
  }
  return plainPolicies.filter(({ name }) => name === baselineName || names.includes(name));
}

function chooseTtl(text: string): Ttl {
  if (text === "5m" || text === "1h") return text;
  throw new ThroughlineError("usage", `--ttl takes 5m or 1h, not ${text}`);
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
  const factor = Number(share);
  if (!(factor >= 0 && factor <= 1))
    throw new ThroughlineError(
      "usage",
      `--cache-read takes a share of the input price from 0 to 1, not ${share}`,
    );
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
    throw new ThroughlineError("not-found", `cannot read ${file}`, {
      fix: "give a JSON file of model overrides",
      cause: error,
    });
  }
  const value = parseJson(text);
  if (!isObject(value)) {
    throw new ThroughlineError("config-invalid", `${file} is not a JSON object of model overrides`, {
      fix: 'for example {"claude-opus-4-5": {"prices": [{"above": 0, "input": 5, …}]}}; see docs/config.md, `models`',
    });
  }
  return value as ModelOverrides;
}

async function replayFiles(
  files: readonly string[],
  policies: readonly Policy[],
  options: { ttl: Ttl; model?: string; overrides: ModelOverrides; window?: number },
) {
  const results: ReplayResult[] = [];
  const skipped: { file: string; reason: string }[] = [];
  for (const [index, file] of files.entries()) {
    if (process.stderr.isTTY)
      process.stderr.write(`\r${index + 1}/${files.length} ${path.basename(file).slice(0, 60).padEnd(60)}`);
    const conversation = await readConversation(file);
    if (conversation.requests.length === 0) {
      skipped.push({ file, reason: "no answered request with usage" });
      continue;
    }
    if (!options.model && !conversation.models.some((name) => findModel(name, options.overrides))) {
      skipped.push({
        file,
        reason: `no model of the table answered (${conversation.models.join(", ") || "none"}); use --model`,
      });
      continue;
    }
    const session = recordSession(path.basename(file, ".jsonl"), conversation, options);
    for (const policy of policies) results.push(replay(session, policy, { ttl: options.ttl }));
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
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
      description: `only these, with commas: ${plainPolicies.map(({ name }) => name).join(", ")}`,
    },
    ttl: { type: "string", description: "lifetime of the prompt cache: 5m or 1h" },
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
    const policies = choosePolicies(args.policy);
    const { values } = currentConfig();
    const ttl = chooseTtl(args.ttl || values.replay.ttl);
    const overrides = priceOverrides(values.models, args.prices, args["cache-read"]);
    if (args.model) lookupModel(args.model, overrides);
    const window = args.window ? Number(args.window) : undefined;
    if (window !== undefined && !(window >= 40_000))
      throw new ThroughlineError("usage", `--window takes a number of tokens from 40000, not ${args.window}`);
    const files = [args.path, ...rest].flatMap(transcriptsIn);
    const { results, skipped } = await replayFiles(files, policies, {
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
