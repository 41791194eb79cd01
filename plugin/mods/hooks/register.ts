// Throughline inside Claude Code: asks the worker, within a deadline, and leaves everything as it is when no answer comes.
import type {
  AppendEvent,
  ClassicEvent,
  ClassicResult,
  CompactEvent,
  CompactResult,
  ContextEvent,
  Engine,
  HostRow,
  HttpAnswer,
  Json,
  On,
  ResultBlock,
} from "./engine.ts";

/** Milliseconds that Claude Code waits for the worker, by what is asked. */
const patience = { hello: 1_000, event: 500, result: 2_000, compact: 180_000 } as const;

type Op = keyof typeof patience;

/** Whoever kept Claude Code waiting is left alone for a while, so that not every event waits. */
const ASK_AGAIN_AFTER_MS = 15_000;
/** A worker stirs every few seconds. What is sent to one that sleeps would hold Claude Code back when it leaves. */
const ASLEEP_AFTER_MS = 20_000;
/** Trouble is noted for `throughline doctor`, and not at every event. */
const NOTE_AGAIN_AFTER_MS = 10_000;
/** Shorter results are within every budget: the worker need not be asked. */
const SHORTEST_RESULT = 2_000;

interface Worker {
  readonly url: string;
  readonly token: string;
}

/** What is known of this session. Lost with the module, and found again with the next event. */
const known = {
  worker: undefined as Worker | undefined,
  state: undefined as string | undefined,
  isOff: undefined as boolean | undefined,
  pid: 0,
  version: "",
  session: "",
  transcript: "",
  prompt: "",
  /** The session whose events command hooks leave to the mod. */
  taken: "",
  /** What the model is told at the beginning of a window. */
  block: "",
  silentUntil: 0,
  answeredAt: 0,
  notedAt: 0,
};

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Switched off by the person, or one of Throughline's own model calls. */
async function isOff($: Engine): Promise<boolean> {
  if (known.isOff === undefined) {
    const [disabled, nested, lane] = [
      await $.env.get("THROUGHLINE_DISABLE"),
      await $.env.get("THROUGHLINE_NESTED"),
      await $.env.get("THROUGHLINE_LANE"),
    ];
    known.isOff = disabled === "1" || nested === "1" || lane === "hooks";
  }
  return known.isOff;
}

/** The folder in which the worker leaves word of itself. */
async function stateFolder($: Engine): Promise<string> {
  if (known.state !== undefined) return known.state;
  const own = await $.env.get("THROUGHLINE_HOME");
  const local = await $.env.get("LOCALAPPDATA");
  const xdg = await $.env.get("XDG_STATE_HOME");
  const home = await $.env.get("HOME");
  if (own) known.state = `${own}/state`;
  else if (local) known.state = `${local}\\throughline\\state`;
  else known.state = `${xdg || `${home ?? ""}/.local/state`}/throughline`;
  return known.state;
}

async function findWorker($: Engine): Promise<Worker | undefined> {
  const folder = await stateFolder($);
  try {
    const { port } = parsed(await $.fs.read(`${folder}/worker.json`)) ?? {};
    const token = (await $.fs.read(`${folder}/token`)).trim();
    return typeof port === "number" && port > 0 ? { url: `http://127.0.0.1:${port}`, token } : undefined;
  } catch {
    // No worker runs: a command hook starts one.
    return undefined;
  }
}

/** For `throughline doctor`; what goes wrong here must not be noticed by anybody else. */
async function noteTrouble($: Engine, what: string): Promise<void> {
  const now = await $.clock.now();
  if (now - known.notedAt < NOTE_AGAIN_AFTER_MS) return;
  known.notedAt = now;
  const folder = await stateFolder($);
  try {
    if (await $.fs.exists(folder))
      await $.fs.write(`${folder}/mods-trouble.json`, JSON.stringify({ at: now, what }));
  } catch {
    $.ui.log(`throughline: ${what}`, { to: "debug" });
  }
}

function within<T>($: Engine, ms: number, promise: Promise<T>): Promise<T | "late"> {
  return new Promise((resolve, reject) => {
    const timer = $.clock.after(ms, () => resolve("late"));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}

async function send(
  $: Engine,
  worker: Worker,
  op: Op,
  body: string,
): Promise<HttpAnswer | "late" | "absent"> {
  try {
    const request = $.http.fetch(`${worker.url}/mods/${op}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${worker.token}` },
      body,
    });
    return await within($, patience[op], request);
  } catch {
    return "absent";
  }
}

/** Whether the worker has shown no sign of life for a while; looked at only where it has not answered lately. */
async function isAsleep($: Engine): Promise<boolean> {
  const now = await $.clock.now();
  if (now - known.answeredAt < ASLEEP_AFTER_MS) return false;
  try {
    const { mtimeMs } = await $.fs.stat(`${await stateFolder($)}/worker.json`);
    return now - mtimeMs > ASLEEP_AFTER_MS;
  } catch {
    return false;
  }
}

/** A worker that came back listens elsewhere, or has another token: it is looked for once more. */
async function sendToWorker($: Engine, op: Op, body: string): Promise<HttpAnswer | "late" | "absent"> {
  if (known.worker !== undefined) {
    const answer = await send($, known.worker, op, body);
    if (answer === "late" || (answer !== "absent" && answer.status !== 401)) return answer;
  }
  known.worker = await findWorker($);
  return known.worker === undefined ? "absent" : send($, known.worker, op, body);
}

/** What the worker answers; undefined when it declines, is late, is gone, or makes no sense. */
async function ask($: Engine, op: Op, question: Json): Promise<Json | undefined> {
  if (await isOff($)) return undefined;
  if ((await $.clock.now()) < known.silentUntil) return undefined;
  const asker = {
    session: known.session || (await $.session.id()),
    project: await $.session.root(),
    model: await $.session.model(),
    transcript: known.transcript,
    version: known.version,
    pid: known.pid,
    prompt: known.prompt,
  };
  if (await isAsleep($)) {
    await noteTrouble($, `the worker did not answer: it shows no sign of life (${op})`);
    return undefined;
  }
  const answer = await sendToWorker($, op, JSON.stringify({ asker, ...question }));
  if (answer === "late") {
    known.silentUntil = (await $.clock.now()) + ASK_AGAIN_AFTER_MS;
    await noteTrouble($, `the worker did not answer within ${patience[op]} ms (${op})`);
    return undefined;
  }
  if (answer === "absent") {
    await noteTrouble($, `no worker answers (${op})`);
    return undefined;
  }
  known.answeredAt = await $.clock.now();
  if (answer.status === 409) return undefined;
  const told = answer.status === 200 ? parsed(answer.text) : undefined;
  if (told === undefined)
    await noteTrouble($, `the worker answered what makes no sense (${op}, ${answer.status})`);
  const line = textIn(told?.line);
  if (line !== "") $.ui.status(line);
  return told;
}

/** Command hooks read this: an event of the named session was taken already. */
async function leaveToMod($: Engine, session: string): Promise<void> {
  if (known.taken === session) return;
  known.taken = session;
  await $.env.set("THROUGHLINE_TAKEN", session === "" ? undefined : session);
}

/** Reports an event before any command hook hears of it: whoever could not be told leaves it to them. */
async function take($: Engine, e: ClassicEvent): Promise<Json | undefined> {
  // While a session begins the engine does not know its id yet; its events do.
  known.session = e.session_id;
  known.transcript = textIn(e.transcript_path);
  known.prompt = textIn(e.prompt_id);
  await learn($);
  const told = await ask($, "event", { payload: e, hasBlock: known.block !== "" });
  await leaveToMod($, told === undefined ? "" : e.session_id);
  const message = textIn(told?.message);
  if (message !== "") $.ui.log(message);
  return told;
}

/** What does not change while the process lives. */
async function learn($: Engine): Promise<void> {
  if (known.version !== "") return;
  const { version, base } = await $.session.version();
  known.version = base ?? version;
  try {
    const { stdout } = await $.process.run(["sh", "-c", "echo $PPID"]);
    known.pid = Number(stdout.trim()) || 0;
  } catch {
    // Without it the worker learns late that the agent is gone, and nothing else is lost.
    known.pid = 0;
  }
}

function withContext(result: ClassicResult, context: string): ClassicResult {
  if (context === "") return result;
  return { ...result, additionalContext: [...(result.additionalContext ?? []), context] };
}

/**
 * A conversation that begins is told what is known in the block of `prompt.context`, which the engine puts back after
 * every compaction. One that goes on has the block, and is told what is new with the event.
 */
const begins = ({ source }: ClassicEvent): boolean => source === "startup" || source === "clear";

const textLength = (content: unknown): number =>
  typeof content === "string"
    ? content.length
    : Array.isArray(content)
      ? content.reduce((sum, part) => sum + (isObject(part) ? textIn(part.text).length : 0), 0)
      : 0;

async function withinBudget($: Engine, e: AppendEvent): Promise<AppendEvent> {
  // A subagent's conversation is its own.
  if (e.agentId !== undefined) return e;
  const isLong = (block: ResultBlock): boolean =>
    block.type === "tool_result" && textLength(block.content) >= SHORTEST_RESULT;
  const results = e.message.content.filter(isLong);
  if (results.length === 0) return e;
  const told = await ask($, "result", { tool: e.origin.tool ?? "", item: e.uuid, results });
  const changed = Array.isArray(told?.results) ? told.results.filter(isObject) : [];
  if (changed.length === 0) return e;
  const content = e.message.content.map((block) => {
    const shown = changed.find((one) => one.tool_use_id === block.tool_use_id);
    return block.type === "tool_result" && shown ? { ...block, content: shown.content } : block;
  });
  return { ...e, message: { ...e.message, content } };
}

/** A row without what the worker has no use for: the tools' own records are as long as the rows again. */
function slimRow({ role, text, toolUses, toolResults, handle }: HostRow): Json {
  return {
    role,
    text,
    toolUses: toolUses.map(({ tool_use_id, tool, input }) => ({ tool_use_id, tool, input })),
    toolResults: toolResults?.map((one) => ({
      tool_use_id: one.tool_use_id,
      text: one.text,
      isError: one.isError,
    })),
    handle,
  };
}

const isRow = (value: unknown): value is HostRow =>
  isObject(value) &&
  (value.role === "user" || value.role === "assistant") &&
  typeof value.text === "string" &&
  Array.isArray(value.toolUses);

async function compacted($: Engine, e: CompactEvent): Promise<CompactResult | undefined> {
  if (e.agentId !== undefined) return undefined;
  if (e.trigger === "precompute") {
    const told = await ask($, "hello", {});
    return told && { skip: "Throughline compacts when it is time, without a model" };
  }
  const messages = e.messages.map(slimRow);
  const told = await ask($, "compact", { trigger: e.trigger, instructions: e.instructions, messages });
  const rows = told?.messages;
  return Array.isArray(rows) && rows.length > 0 && rows.every(isRow) ? { messages: rows } : undefined;
}

export const register = (on: On): void => {
  on<ClassicEvent, ClassicResult>("classic.SessionStart", async ($, e, next) => {
    const context = textIn((await take($, e))?.context);
    if (begins(e)) known.block = context;
    return withContext(await next(e), begins(e) ? "" : context);
  });
  on<ClassicEvent, ClassicResult>("classic.UserPromptSubmit", async ($, e, next) => {
    const told = await take($, e);
    return withContext(await next(e), textIn(told?.context));
  });
  on<ClassicEvent, ClassicResult>("classic.PostToolUse", async ($, e, next) => {
    await take($, e);
    return next(e);
  });
  on<ClassicEvent, ClassicResult>("classic.PostToolUseFailure", async ($, e, next) => {
    await take($, e);
    return next(e);
  });
  on<ClassicEvent, ClassicResult>("classic.Stop", async ($, e, next) => {
    await take($, e);
    return next(e);
  });
  on<ClassicEvent, ClassicResult>("classic.SubagentStop", async ($, e, next) => {
    await take($, e);
    return next(e);
  });
  on<ClassicEvent, ClassicResult>("classic.PreCompact", async ($, e, next) => {
    // Claude Code compacts by itself: its hook asks what is to be preserved, and prints it, as without a mod.
    await leaveToMod($, "");
    return next(e);
  });
  on<ClassicEvent, ClassicResult>("classic.PostCompact", async ($, e, next) => {
    await take($, e);
    return next(e);
  });
  on<ClassicEvent, ClassicResult>("classic.SessionEnd", async ($, e, next) => {
    await take($, e);
    return next(e);
  });
  on<ContextEvent, ContextEvent>("prompt.context", async (_$, e, next) => {
    const result = await next(e);
    if (known.block === "") return result;
    return { ...result, blocks: [...result.blocks, { name: "throughline", text: known.block }] };
  });
  on<AppendEvent, Json>("session.append", { door: "tool-result" }, async ($, e, next) =>
    next(await withinBudget($, e)),
  );
  on<CompactEvent, CompactResult>(
    "session.compact",
    async ($, e, next) => (await compacted($, e)) ?? next(e),
  );
};
