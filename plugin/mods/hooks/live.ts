// Edits Claude Code's own requests to the model: asks the worker for edits, applies them, and never keeps a request back.
import { type CarrierSeam, LiveCarrier, type RequestFacts } from "./carrier.js";
import type {
  Engine,
  FetchEvent,
  FetchResult,
  Json,
  Next,
  StepEvent,
  StepResult,
  StreamNext,
} from "./engine.ts";
import { askLive, isSwitchedOff, known, stateFolder, tellLive } from "./worker.js";

/** What is known of the live window in this process. */
export const live = {
  /** Requests of this session are edited: results are no longer cut before they are stored. */
  isOn: false,
  isForking: false,
  isWithheld: undefined as boolean | undefined,
  window: undefined as number | undefined,
  said: new Set<string>(),
  /** The words that ask for a summary, which will be wanted soon, and how many rows there were. */
  wanted: undefined as { readonly prompt: string; readonly rows: number } | undefined,
  /** The summary that was written for it. */
  ahead: undefined as { readonly text: string; readonly rows: number } | undefined,
  carrier: undefined as LiveCarrier | undefined,
  /** How this call of the hook reaches the worker, the disk and the model. */
  seam: undefined as CarrierSeam | undefined,
};

const seam: CarrierSeam = {
  ask: async (op, question, deadline) => live.seam?.ask(op, question, deadline),
  tell: (op, question) => live.seam?.tell(op, question),
  record: async (name) => live.seam?.record(name),
  summarise: async (wanted, text, facts) => live.seam?.summarise(wanted, text, facts),
  summaryAhead: (prompt, rows) => {
    if (!live.ahead) live.wanted = { prompt, rows };
  },
  say: (line) => live.seam?.say(line),
};

/** A summary is used once: the next window is another one. */
function takeSummary() {
  const { ahead } = live;
  live.ahead = undefined;
  live.wanted = undefined;
  return ahead;
}

/** One for the process: it knows the windows of its sessions. */
async function carrierFor($: Engine) {
  if (!live.carrier) {
    const deadline = Number(await $.env.get("THROUGHLINE_LIVE_DEADLINE_MS"));
    live.carrier = new LiveCarrier("mod", seam, deadline > 0 ? deadline : undefined);
  }
  return live.carrier;
}

/** Claude Code's questions on the side have a beta of their own. */
const SIDE_QUERY = "claude-code-side-query";
/** Stands in the request for a summary, and in no other. */
const SUMMARY_WANTED = "CRITICAL: Respond with TEXT ONLY";
/** Characters from the end in which the words of a request for a summary stand. */
const TAIL = 20_000;
const SMALLEST_CLIENT_WINDOW = 100_000;
const USUAL_WINDOW = 200_000;

async function readRecordFile($: Engine, name: string) {
  const file = `${await stateFolder($)}/live/${name}`;
  try {
    return (await $.fs.exists(file)) ? await $.fs.read(file) : undefined;
  } catch {
    // Without a record the request goes as it came.
    return undefined;
  }
}

/**
 * Has the session's own model write the summary that will be wanted soon, on its own conversation: the beginning of that is in
 * the cache. Between two requests, since a question that is asked while one waits does not pass this hook, and would
 * be sent without the edits.
 */
async function writeSummaryAhead($: Engine) {
  const { wanted } = live;
  if (!wanted || live.ahead) return;
  live.wanted = undefined;
  live.isForking = true;
  try {
    const answer = await $.model.fork({ prompt: wanted.prompt });
    if (answer.isAnswered && answer.text) live.ahead = { text: answer.text, rows: wanted.rows };
  } catch {
    // Then the messages themselves give the words.
    live.ahead = undefined;
  } finally {
    live.isForking = false;
  }
}

function sayOnce($: Engine, line: string) {
  if (live.said.has(line)) return;
  live.said.add(line);
  $.ui.log(`throughline: ${line}`);
}

/** With this variable Claude Code refuses a request of its own that a mod has rewritten. */
async function isWithheld($: Engine) {
  live.isWithheld ??= Boolean(await $.env.get("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"));
  return live.isWithheld;
}

/** The window that Claude Code keeps to; undefined where it is the model's own. */
async function clientWindow($: Engine) {
  if (live.window === undefined) {
    const set = Number(await $.env.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW"));
    const isSmall = Boolean(await $.env.get("CLAUDE_CODE_DISABLE_1M_CONTEXT"));
    live.window = set > 0 ? Math.max(set, SMALLEST_CLIENT_WINDOW) : isSmall ? USUAL_WINDOW : 0;
  }
  return live.window > 0 ? live.window : undefined;
}

function headerOf(headers: Readonly<Record<string, string>>, name: string) {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return found?.[1] ?? "";
}

function kindOf(url: string, body: string, headers: Readonly<Record<string, string>>) {
  if (/\/count_tokens(\?|$)/.test(url)) return "count";
  if (headerOf(headers, "anthropic-beta").includes(SIDE_QUERY) && !live.isForking) return "side";
  if (!body.includes('"tools":[{')) return "side";
  if (live.isForking || body.includes(SUMMARY_WANTED, body.length - TAIL)) return "branch";
  return headerOf(headers, "x-claude-code-agent-id") === "" ? "main" : "subagent";
}

async function factsOf($: Engine, url: string, body: string, headers: Readonly<Record<string, string>>) {
  const kind = kindOf(url, body, headers);
  const window = await clientWindow($);
  const facts: RequestFacts = {
    kind,
    session: known.session === "" ? await $.session.id() : known.session,
    project: known.project === "" ? await $.session.root() : known.project,
    client: `claude-code/${known.version}`,
    ...(kind === "subagent" && { agent: headerOf(headers, "x-claude-code-agent-id") }),
    ...(known.transcript !== "" && { transcript: known.transcript }),
    ...(window !== undefined && { window }),
  };
  return facts;
}

function seamOf($: Engine): CarrierSeam {
  return {
    ask: (op, question, deadline) => askLive($, op, question as unknown as Json, deadline),
    tell: (op, question) => tellLive($, op, question as unknown as Json),
    record: (name) => readRecordFile($, name),
    summarise: async () => takeSummary(),
    say: (line) => sayOnce($, line),
  };
}

const WITHHELD =
  "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC keeps mods from editing requests; `throughline run claude` edits them all the same";

/** Hooked into Claude Code's own requests to the model. */
export async function carried(
  $: Engine,
  e: FetchEvent,
  next: Next<FetchEvent, FetchResult>,
): Promise<FetchResult> {
  const { init } = e;
  const body = init?.body;
  if (next.origin?.plugin !== "engine" || !init || typeof body !== "string") return next(e);
  if (await isSwitchedOff($)) return next(e);
  if (await isWithheld($)) {
    sayOnce($, WITHHELD);
    return next(e);
  }
  live.seam = seamOf($);
  const facts = await factsOf($, e.url, body, init.headers);
  const carrier = await carrierFor($);
  let sent = await carrier.edited(body, facts);
  if (facts.kind === "main") live.isOn = true;
  const send = (text: string) => next(text === body ? e : { ...e, init: { ...init, body: text } });
  let result = await send(sent.text);
  for (let attempt = 0; attempt < MOST_RECOVERIES && statusOf(result) === REFUSED; attempt++) {
    // Why it was refused only Claude Code can read: the worker knows whether the request may have been too long.
    const again = await carrier.recovered(body, facts, { attempt, isUnread: true }, sent);
    if (!again) break;
    sent = again;
    result = await send(again.text);
  }
  return result;
}

const REFUSED = 400;
/** A compaction, and one to a quarter of the room. */
const MOST_RECOVERIES = 2;

const statusOf = ({ value, status }: FetchResult): number | undefined => value?.status ?? status;

/** Hooked into the steps of a turn: has a summary written where one will be wanted, and tells the worker what the API reported. */
export async function* observed(
  $: Engine,
  e: StepEvent,
  next: StreamNext<StepEvent, StepResult>,
): AsyncGenerator<unknown, StepResult> {
  if (e.agentId === undefined) await writeSummaryAhead($);
  const result = yield* next(e);
  if (live.isOn && live.carrier && result.usage) {
    live.seam = seamOf($);
    const { session, project } = known;
    const agent = e.agentId === undefined ? {} : { agent: e.agentId };
    live.carrier.observe(
      { kind: "main", session, project, ...agent },
      { model: e.model, usage: result.usage },
    );
  }
  return result;
}
