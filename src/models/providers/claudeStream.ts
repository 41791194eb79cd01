// Model sessions of Claude Code: one streaming process that is asked again and again, and resumed by its id when it has ended.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { ensureFolder, isObject, type JsonObject, MINUTE, parseJson, SECOND } from "../../lib/index.ts";
import { promptTokens } from "../../messages/index.ts";
import { type ModelOutcome, type ModelSession, SESSION_TOKENS } from "../model.ts";
import { killed, noResult, notStarted, outcomeOf } from "./claudeResult.ts";

interface SessionParts {
  readonly command: string;
  readonly env: Record<string, string | undefined>;
  /** Claude Code finds a session again only in the folder that it began in. */
  readonly folder: string;
  /** Ends a process with everything it started. */
  readonly end: (child: ChildProcess) => void;
}

interface SessionQuestion extends ModelSession {
  /** The flags of the process; others mean another process. */
  readonly args: readonly string[];
  readonly prompt: string;
}

const streaming = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
/** Flags that are left out for older versions that reject them. The session is saved: otherwise it could not be resumed. */
const optionalFlags = ["--safe-mode", "--disable-slash-commands"];

/** As long as the API keeps a prompt in its cache; an idle process holds some 250 MB. */
const SESSION_IDLE_MS = 5 * MINUTE;
const GRACE_MS = 2 * SECOND;
const LONGEST_STREAM_LINE = 16 * 1024 * 1024;
/** A model session that failed so often in a row is not resumed again: the fault may be in what it holds. */
const MOST_SESSION_FAILURES = 2;
const MOST_KNOWN = 200;

/** What is known of the model session of a key. */
interface KnownSession {
  readonly id: string | undefined;
  readonly tokens: number;
  readonly failures: number;
}

/** One process at a time: another session's question ends it, and it can be resumed later. */
function processPool(parts: SessionParts) {
  let flags: readonly string[] = optionalFlags;
  let current: StreamProcess | undefined;
  const nameOf = ({ key, args }: SessionQuestion, id: string | undefined) => JSON.stringify([key, args, id]);
  const processFor = async (question: SessionQuestion, id: string | undefined) => {
    if (current?.isOpen() && current.name === nameOf(question, id)) return current;
    await current?.close();
    const resuming = id === undefined ? [] : ["--resume", id];
    const args = [...streaming, ...question.args, ...resuming, ...flags];
    current = startProcess(parts, args, nameOf(question, id));
    return current;
  };
  const askNow = async (question: SessionQuestion, id: string | undefined, signal: AbortSignal) => {
    for (;;) {
      if (signal.aborted) return { stderr: "" };
      const process = await processFor(question, id);
      const turn = await process.ask(question.prompt, signal);
      const unknown = flags.find((flag) => turn.stderr.includes(`unknown option '${flag}'`));
      // The id may change with every init message: the process that gave it is the one to ask.
      process.name = nameOf(question, turn.session ?? id);
      if (unknown === undefined || signal.aborted) return turn;
      // One flag fewer each time, so that this ends.
      flags = flags.filter((flag) => flag !== unknown);
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** One question after the other. */
    ask: (question: SessionQuestion, id: string | undefined, signal: AbortSignal) => {
      const turn = last.then(() => askNow(question, id, signal));
      last = turn.catch(() => undefined);
      return turn;
    },
    close: async () => current?.close(),
  };
}

export function modelSessions(parts: SessionParts) {
  const known = new Map<string, KnownSession>();
  const pool = processPool(parts);
  const remember = (key: string, session: KnownSession) => {
    known.delete(key);
    known.set(key, session);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  };
  return {
    async ask(question: SessionQuestion, signal: AbortSignal): Promise<ModelOutcome> {
      const { key, resume } = question;
      const before = known.get(key) ?? { id: resume, tokens: 0, failures: 0 };
      const isUsable = before.tokens < SESSION_TOKENS && before.failures < MOST_SESSION_FAILURES;
      let id = isUsable ? before.id : undefined;
      let turn = await pool.ask(question, id, signal);
      let outcome = readTurn(turn, parts.command);
      if (id !== undefined && isLostSession(turn, outcome) && !signal.aborted) {
        id = undefined;
        turn = await pool.ask(question, undefined, signal);
        outcome = readTurn(turn, parts.command);
      }
      const given = turn.session ?? id;
      if (!outcome.ok) {
        const isFault = isFaultOfSession(outcome);
        const failures = before.failures + (isFault ? 1 : 0);
        remember(key, { id: given ?? before.id, tokens: id === undefined ? 0 : before.tokens, failures });
        if (isFault) await pool.close();
        return outcome;
      }
      const { usage } = outcome.reply;
      const tokens = usage ? promptTokens(usage) + usage.output : before.tokens;
      remember(key, { id: given, tokens, failures: 0 });
      return { ok: true, reply: { ...outcome.reply, ...(given && { session: given }) } };
    },
    close: pool.close,
  };
}

/** Its transcript is gone, or it has grown too long: a new one is begun at once. */
function isLostSession({ result, stderr }: StreamTurn, outcome: ModelOutcome) {
  if (outcome.ok) return false;
  const said = `${stderr}\n${JSON.stringify(result?.errors ?? "")}`;
  return outcome.error.kind === "prompt-too-long" || /No conversation found/i.test(said);
}

function isFaultOfSession(outcome: ModelOutcome) {
  return !outcome.ok && ["unavailable", "timeout", "malformed", "cancelled"].includes(outcome.error.kind);
}

/** What came of one question: a result, or the end of the process. */
interface StreamTurn {
  readonly result?: JsonObject;
  /** The id of the latest init message. */
  readonly session?: string | undefined;
  readonly stderr: string;
  readonly code?: number | null;
  /** Set when the program could not be started. */
  readonly problem?: unknown;
}

function readTurn({ result, stderr, code = null, problem }: StreamTurn, command: string) {
  if (problem !== undefined) return notStarted(problem, command);
  if (result) return outcomeOf(result, "");
  return code === null ? killed(command) : noResult(command, code, stderr.trim());
}

type StreamProcess = ReturnType<typeof startProcess>;

function startProcess({ command, env, folder, end }: SessionParts, args: readonly string[], name: string) {
  ensureFolder(folder);
  // The leader of a process group that can be ended as a whole.
  const child = spawn(command, args, { cwd: folder, env, detached: process.platform !== "win32" });
  const state = { stderr: "", session: undefined as string | undefined, isOpen: true };
  let answer: ((turn: StreamTurn) => void) | undefined;
  let idle: NodeJS.Timeout | undefined;
  const finish = (turn: Omit<StreamTurn, "stderr" | "session">) => {
    answer?.({ ...turn, stderr: state.stderr, session: state.session });
    answer = undefined;
  };
  const onEnd = (turn: Omit<StreamTurn, "stderr" | "session">) => {
    state.isOpen = false;
    clearTimeout(idle);
    child.stdout.destroy();
    child.stderr.destroy();
    finish(turn);
  };
  child.on("error", (problem) => onEnd({ problem }));
  child.once("close", (code) => onEnd({ code }));
  child.stdin.on("error", () => child.stdin.destroy());
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    state.stderr = (state.stderr + chunk).slice(-LONGEST_STREAM_LINE);
  });
  onMessages(child, {
    init: (id) => {
      state.session = id;
    },
    result: (result) => finish({ result }),
    flood: () => end(child),
  });
  const close = async () => {
    if (state.isOpen) await closeInput(child, end);
  };
  return {
    name,
    isOpen: () => state.isOpen,
    close,
    async ask(prompt: string, signal: AbortSignal): Promise<StreamTurn> {
      clearTimeout(idle);
      const stop = () => {
        end(child);
        // A grandchild may hold the pipes open after the program has exited.
        setTimeout(() => onEnd({ code: null }), GRACE_MS).unref();
      };
      const turn = new Promise<StreamTurn>((resolve) => {
        answer = resolve;
      });
      if (!state.isOpen) finish({ code: null });
      else child.stdin.write(`${JSON.stringify(userLine(prompt))}\n`);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      const done = await turn;
      signal.removeEventListener("abort", stop);
      idle = setTimeout(() => void close(), SESSION_IDLE_MS);
      idle.unref();
      return done;
    },
  };
}

/** The program exits by itself when its input ends; one that does not is killed. */
async function closeInput(child: ChildProcess, end: SessionParts["end"]) {
  const gone = once(child, "close");
  child.stdin?.end();
  const late = setTimeout(() => end(child), GRACE_MS);
  await gone.catch(() => undefined);
  clearTimeout(late);
}

const userLine = (text: string): JsonObject => ({
  type: "user",
  message: { role: "user", content: [{ type: "text", text }] },
});

interface MessageHandlers {
  readonly init: (session: string) => void;
  readonly result: (result: JsonObject) => void;
  /** A line has no end. */
  readonly flood: () => void;
}

function onMessages({ stdout }: ChildProcess, { init, result, flood }: MessageHandlers) {
  let rest = "";
  const take = (line: string) => {
    const said = parseJson(line);
    if (!isObject(said)) return;
    const { type, subtype, session_id: id } = said;
    if (type === "system" && subtype === "init" && typeof id === "string") init(id);
    if (type === "result") result(said);
  };
  stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(take);
    if (rest.length > LONGEST_STREAM_LINE) flood();
  });
}
