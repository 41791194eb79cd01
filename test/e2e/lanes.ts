// One scripted session on each lane, measured by what the API was sent: sizes, prefixes that were kept, compactions, dollars.
import { isObject, type JsonObject } from "../../src/lib/index.ts";
import { cost, estimateText, lookupModel } from "../../src/tokens/index.ts";
import {
  type ApiRequest,
  anything,
  compaction,
  on,
  type Reply,
  say,
  summary,
  tool,
  use,
} from "../scripted-api/index.ts";
import { throughlineIn } from "./throughline.ts";
import { openWorld } from "./world.ts";

export const lanesMeasured = ["plain", "hooks", "mods", "live by mod"] as const;

type MeasuredLane = (typeof lanesMeasured)[number];

export interface Measured {
  readonly lane: MeasuredLane;
  readonly requests: number;
  /** Requests that are shorter than the one before, and requests for a summary by Claude Code itself. */
  readonly compactions: number;
  readonly ownCompactions: number;
  /** Bytes of all requests together, and of the largest. */
  readonly bytes: number;
  readonly largest: number;
  /** Share of the bytes that stood in the request before already. */
  readonly kept: number;
  /** Requests that changed what was sent before, compactions left aside. */
  readonly broken: number;
  readonly dollars: number;
}

const MODEL = "claude-opus-5-5";
const PROMPT = "go through the logs, one after the other";
const DONE = "went through all of them";

/** Results that grow from a few lines to a few hundred, as in a search that closes in. */
const step = (at: number): Reply =>
  use(
    tool("Bash", {
      command: `for n in $(seq 1 ${10 + at * 3}); do echo "log ${at} line $n: nothing to see"; done`,
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

/** What a session cost that sent these requests, one after the other. */
export function measure(lane: MeasuredLane, requests: readonly ApiRequest[]): Measured {
  const model = lookupModel(MODEL);
  let [bytes, largest, keptBytes, broken, dollars] = [0, 0, 0, 0, 0];
  let before: string | undefined;
  for (const request of requests) {
    const text = sent(request);
    const common = before === undefined ? 0 : commonLength(before, text);
    const isWhole = before !== undefined && common >= before.length - CLOSING;
    const isCompacted = before !== undefined && text.length < before.length;
    if (before !== undefined && !isWhole && !isCompacted && request.kind === "message") broken += 1;
    const read = isWhole ? estimateText(text.slice(0, common), model.tokenizer) : 0;
    const written = estimateText(text, model.tokenizer) - read;
    dollars += cost(
      { input: 0, output: 100, cacheRead: read, cacheWrite5m: written, cacheWrite1h: 0 },
      model,
    );
    bytes += text.length;
    largest = Math.max(largest, text.length);
    keptBytes += isWhole ? common : 0;
    // A summary is asked for on the same prefix, and goes on from nothing.
    if (request.kind === "message") before = text;
  }
  const compactions = requests.filter((request, at) => {
    const last = requests[at - 1];
    return last !== undefined && request.kind === "message" && sent(request).length < sent(last).length;
  }).length;
  return {
    lane,
    requests: requests.length,
    compactions,
    ownCompactions: requests.filter(({ kind }) => kind === "compaction").length,
    bytes,
    largest,
    kept: keptBytes / bytes,
    broken,
    dollars,
  };
}

/**
 * With the variable that the other lanes run with, Claude Code refuses requests that a mod has edited. A busy machine
 * answers late: what is measured is the window, not the machine.
 */
const liveEnv = (lane: MeasuredLane): Readonly<Record<string, string>> =>
  lane === "live by mod"
    ? { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "", THROUGHLINE_LIVE_DEADLINE_MS: "5000" }
    : { THROUGHLINE_LIVE: "off" };

/** Runs the session on one lane. Gives what it cost, and what was answered. */
export async function measureLane(lane: MeasuredLane, steps: number): Promise<Measured & { answer: string }> {
  const world = await openWorld();
  const throughline = throughlineIn(world);
  if (lane !== "plain") {
    await throughline.must("install", "--lane", lane === "live by mod" ? "mods" : lane, "--yes");
    await throughline.must("worker", "start");
  }
  world.api.play([
    on(
      compaction,
      ...Array.from({ length: steps }, () => summary(`They went through logs. ${"And so on. ".repeat(400)}`)),
    ),
    on(anything, ...Array.from({ length: steps }, (_, at) => step(at)), say(DONE)),
  ]);
  const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000", ...liveEnv(lane) };
  const run = await world.claude({ prompt: PROMPT, env, timeout: 900_000 });
  const requests = world.api.requests.filter(
    ({ kind, agent }) => agent === undefined && (kind === "message" || kind === "compaction"),
  );
  return { ...measure(lane, requests), answer: run.answers.join() };
}

export const expectedAnswer = DONE;
