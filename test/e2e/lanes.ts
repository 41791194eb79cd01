// One scripted session on each lane, measured by what the API was sent and what it billed.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { levels as allLevels, type Level } from "../../src/ledger/index.ts";
import { isObject, type JsonObject, parseJson, sumOf } from "../../src/lib/index.ts";
import { promptTokens, readUsage, type Usage } from "../../src/messages/index.ts";
import { cost, lookupModel } from "../../src/tokens/index.ts";
import {
  type ApiRequest,
  type Reply,
  type Responder,
  type ScriptedApi,
  say,
  summary,
  tool,
  use,
} from "../scripted-api/index.ts";
import { startClaude } from "./drive.ts";
import { throughlineIn } from "./throughline.ts";
import { openWorld, type World } from "./world.ts";

export const lanesMeasured = ["plain", "hooks", "mods", "live by mod", "live by proxy"] as const;

export type MeasuredLane = (typeof lanesMeasured)[number];

/** How much of what was cut the agent reads back, right after it was cut. */
export type ReadBack = "nothing" | "half";

export interface Measured {
  readonly lane: MeasuredLane;
  readonly answer: string;
  readonly requests: number;
  /** Calls that read back what was cut. */
  readonly recalls: number;
  /** Requests that begin with other words than the one before, and requests for a summary by Claude Code itself. */
  readonly compactions: number;
  readonly ownCompactions: number;
  /** Requests that are shorter than the one before and begin like it: something left the window near its end. */
  readonly removals: number;
  /** Tokens of all prompts by how they were billed, of all answers, and of the largest prompt. */
  readonly read: number;
  readonly written: number;
  readonly output: number;
  readonly largest: number;
  /** Of the prompt that the request before had left in the cache, the share that was read again. */
  readonly kept: number;
  /** Requests that changed what was sent before, compactions left aside. */
  readonly broken: number;
  readonly dollars: number;
  /** Levels that changed what was sent. */
  readonly levels: readonly Level[];
  readonly refused: number;
}

const MODEL = "claude-opus-5-5";
const PROMPT = "go through the logs, one after the other";
const DONE = "went through all of them";

/** Results that grow from a few lines to a few hundred, as in a search that closes in. */
const step = (at: number, round = Number.POSITIVE_INFINITY): Reply =>
  use(
    tool("Bash", {
      command: `for n in $(seq 1 ${10 + (at % round) * 3}); do echo "log ${at} line $n: nothing to see"; done`,
    }),
    {
      text: `Log ${at} is next.`,
    },
  );

/** Without the marks of the cache; a text that had to be a block to carry one is the same text. */
const withoutMarks = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (!isObject(value)) return value;
  const { cache_control: _mark, ...rest } = value as JsonObject;
  const content = typeof rest.content === "string" ? [{ type: "text", text: rest.content }] : rest.content;
  const plain = rest.content === undefined ? rest : { ...rest, content };
  return Object.fromEntries(Object.entries(plain).map(([name, inner]) => [name, withoutMarks(inner)]));
};

/** What the cache goes by, in the order in which the API reads it. The billing line differs from run to run. */
function sent({ body }: ApiRequest): string {
  const system = Array.isArray(body.system) ? body.system.slice(1) : [];
  return JSON.stringify(withoutMarks([body.tools ?? [], system, body.messages ?? []]));
}

/** Of two texts that end in the brackets of their lists. */
function commonLength(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  return at;
}

/** The last message may gain a block: its closing brackets are not kept. */
const CLOSING = 8;

/** Requests that changed what was sent before them and did not make it shorter. */
export function brokenPrefixes(requests: readonly ApiRequest[]): number {
  let [broken, before] = [0, undefined as string | undefined];
  for (const request of requests) {
    // A summary is asked for on the same prefix, and goes on from nothing.
    if (request.kind !== "message") continue;
    const text = sent(request);
    const isLonger = before !== undefined && text.length >= before.length;
    if (isLonger && commonLength(before ?? "", text) < (before ?? "").length - CLOSING) broken += 1;
    before = text;
  }
  return broken;
}

function keptShare(usages: readonly Usage[]): number {
  const pairs = usages.slice(1).map(({ cacheRead }, at) => {
    const before = promptTokens(
      usages[at] ?? { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 },
    );
    return { read: Math.min(cacheRead, before), before };
  });
  return sumOf(pairs, ({ read }) => read) / sumOf(pairs, ({ before }) => before);
}

const isOfMain = ({ kind, agent }: ApiRequest) =>
  agent === undefined && (kind === "message" || kind === "compaction");

/** What the API billed for a session, and what it was sent. */
function measure(lane: MeasuredLane, api: ScriptedApi): Omit<Measured, "answer" | "levels"> {
  const model = lookupModel(MODEL);
  const billed = api.billed.filter(({ request }) => isOfMain(request));
  const usages = billed.flatMap(({ usage }) => readUsage(usage) ?? []);
  const requests = billed.map(({ request }) => request);
  const asked = requests.filter(({ kind }) => kind === "message");
  const begins = ({ body }: ApiRequest) =>
    JSON.stringify(withoutMarks(Array.isArray(body.messages) ? body.messages[0] : undefined));
  const changed = asked.slice(1).map((request, at) => {
    const last = asked[at] ?? request;
    return { isNew: begins(request) !== begins(last), isShorter: sent(request).length < sent(last).length };
  });
  return {
    lane,
    requests: requests.length,
    recalls: api.calls.filter(({ name }) => name === RECALL).length,
    compactions: changed.filter(({ isNew }) => isNew).length,
    ownCompactions: requests.length - asked.length,
    removals: changed.filter(({ isNew, isShorter }) => isShorter && !isNew).length,
    read: sumOf(usages, ({ cacheRead }) => cacheRead),
    written: sumOf(usages, ({ cacheWrite5m, input }) => cacheWrite5m + input),
    output: sumOf(usages, ({ output }) => output),
    largest: Math.max(0, ...usages.map(promptTokens)),
    kept: keptShare(usages),
    broken: brokenPrefixes(requests),
    dollars: sumOf(usages, (usage) => cost(usage, model)),
    refused: api.refusals.length,
  };
}

/** The tool of the MCP server that every lane but plain has. */
const RECALL = "mcp__throughline__recall";

const sentEdits = new Set([
  "replace-result",
  "remove-turn",
  "collapse-commit",
  "replace-prefix",
  "replace-span",
]);

/** Levels with an entry in a ledger of this world that changes what is sent. */
export function levelsIn({ home }: Pick<World, "home">): Level[] {
  const files = readdirSync(home, { recursive: true, encoding: "utf8" }).filter(
    (name) => path.basename(name) === "ledger.jsonl",
  );
  const entries = files.flatMap((name) =>
    readFileSync(path.join(home, name), "utf8").split("\n").map(parseJson),
  );
  const acting = new Set(
    entries.flatMap((entry) =>
      isObject(entry) && isObject(entry.edit) && sentEdits.has(String(entry.edit.kind)) ? [entry.level] : [],
    ),
  );
  return allLevels.filter((level) => acting.has(level));
}

/** Answers the session: a step at a time, and now and then a call that reads back what was cut. */
function agent({ steps, readBack = "nothing", round }: LaneRun): Responder {
  let [at, cuts] = [0, 0];
  const seen = new Set<string>();
  return (request) => {
    if (request.kind === "compaction") return summary(`They went through logs. ${"And so on. ".repeat(400)}`);
    if (request.kind !== "message" || request.agent !== undefined) return {};
    for (const { id, text } of request.results) {
      const handle = /recall (tl:\w+)/.exec(text)?.[1];
      if (!text.startsWith("<persisted-output>") || handle === undefined || seen.has(id)) continue;
      seen.add(id);
      cuts += 1;
      if (readBack === "half" && cuts % 2 === 1)
        return use(tool(RECALL, { handle }), { text: "The whole of it is needed." });
    }
    at += 1;
    return at <= steps ? step(at - 1, round) : say(DONE);
  };
}

const isLive = (lane: MeasuredLane) => lane === "live by mod" || lane === "live by proxy";

/**
 * With the variable that the other lanes run with, Claude Code refuses requests that a mod has edited. A busy machine
 * answers late: what is measured is the window, not the machine.
 */
function environmentOf(lane: MeasuredLane): Readonly<Record<string, string>> {
  const window = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };
  if (!isLive(lane)) return { ...window, THROUGHLINE_LIVE: "off" };
  const patient = { ...window, THROUGHLINE_LIVE_DEADLINE_MS: "5000" };
  return lane === "live by mod" ? { ...patient, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "" } : patient;
}

/** A program that is `throughline run claude`. */
function throughProxy({ home }: World): string {
  const file = path.join(home, "claude-through-proxy");
  const cli = path.resolve(import.meta.dirname, "../../dist/cli.js");
  if (!existsSync(file))
    writeFileSync(file, `#!/bin/sh\nexec ${process.execPath} ${cli} run ${inject("claudeBinary")} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

const lanesInstalled = {
  hooks: "hooks",
  mods: "mods",
  "live by mod": "mods",
  "live by proxy": "hooks",
} as const;

export interface LaneRun {
  readonly steps: number;
  readonly readBack?: ReadBack;
  /** Steps after which the results are short again. */
  readonly round?: number;
}

/** Runs the session on one lane. Gives what it cost, and what was answered. */
export async function measureLane(lane: MeasuredLane, run: LaneRun): Promise<Measured> {
  const world = await openWorld({ enforce: { window: 200_000 } });
  const throughline = throughlineIn(world);
  if (lane !== "plain") {
    await throughline.must("install", "--lane", lanesInstalled[lane], "--yes");
    await throughline.must("worker", "start");
  }
  world.api.play(agent(run));
  const { sandbox, home, work: cwd } = world;
  const binary = lane === "live by proxy" ? throughProxy(world) : inject("claudeBinary");
  const args = ["--allowedTools", RECALL];
  const [env, timeout] = [environmentOf(lane), 9_000_000];
  const ended = await startClaude({ binary, sandbox, home, cwd, prompt: PROMPT, args, env, timeout }).ended;
  return { ...measure(lane, world.api), levels: levelsIn(world), answer: ended.answers.join() };
}

export const expectedAnswer = DONE;
