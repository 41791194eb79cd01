// Asks Throughline's worker on this machine: within a deadline, and for a while not at all once it was late.
import type { Engine, FetchEvent, FetchResult, HttpAnswer, Json, Next } from "./engine.ts";

/** Milliseconds that the worker has, by what is asked. A compaction that takes longer is asked for again. */
const timeouts = {
  hello: 1_000,
  event: 2_000,
  prompt: 500,
  result: 2_000,
  compact: 28_000,
  tool: 20_000,
} as const;

/** The requests of src/mods/protocol.ts, which this folder cannot import; a test compares them. */
export type Op = keyof typeof timeouts;

/** After a timeout the worker is not asked for a while, so that not every event waits. */
const ASK_AGAIN_AFTER_MS = 15_000;
/** Trouble is noted for `throughline doctor`, and not at every event. */
const NOTE_AGAIN_AFTER_MS = 10_000;
/** Claude Code sends nothing that is longer. */
const LONGEST_BODY = 4 * 1024 * 1024;

interface Worker {
  readonly url: string;
  readonly token: string;
  /** Lies where only this user can put one; a port is anyone's once the worker is gone. */
  readonly socketPath?: string;
}

/** What is known of this session. Lost with the module, and found again with the next event. */
export const known = {
  worker: undefined as Worker | undefined,
  state: undefined as string | undefined,
  isOff: undefined as boolean | undefined,
  pid: 0,
  version: "",
  project: "",
  session: "",
  transcript: "",
  prompt: "",
  silentUntil: 0,
  notedAt: 0,
};

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

export function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The live window is off: Throughline is, or a proxy edits the requests of this session. */
export async function isSwitchedOff($: Engine): Promise<boolean> {
  if (await isOff($)) return true;
  const live = await $.env.get("THROUGHLINE_LIVE");
  return live === "off" || live === "proxy";
}

/** Switched off by the person, or one of Throughline's own model calls. */
async function isOff($: Engine) {
  if (known.isOff === undefined) {
    const [disabled, nested, lane] = await Promise.all([
      $.env.get("THROUGHLINE_DISABLE"),
      $.env.get("THROUGHLINE_NESTED"),
      $.env.get("THROUGHLINE_LANE"),
    ]);
    known.isOff = disabled === "1" || nested === "1" || lane === "hooks";
  }
  return known.isOff;
}

/** The folder in which the worker leaves word of itself. */
export async function stateFolder($: Engine): Promise<string> {
  if (known.state !== undefined) return known.state;
  const [own, local, xdg, home] = await Promise.all([
    $.env.get("THROUGHLINE_HOME"),
    $.env.get("LOCALAPPDATA"),
    $.env.get("XDG_STATE_HOME"),
    $.env.get("HOME"),
  ]);
  if (own) known.state = `${own}/state`;
  else if (local) known.state = `${local}\\throughline\\state`;
  else known.state = `${xdg || `${home ?? ""}/.local/state`}/throughline`;
  return known.state;
}

/**
 * Whether a socket and its folder are this user's, and the folder is closed to all others: as hooks and commands check. The
 * same shell says which process this is: one program to start, not two.
 */
async function isOwnSocket($: Engine, socket: string) {
  const folder = socket.slice(0, socket.lastIndexOf("/"));
  const list = 'echo $PPID && id -u && ls -ldn "$1/." "$2"';
  const { stdout } = await $.process.run(["sh", "-c", list, "sh", folder, socket]);
  const [pid, user, ...entries] = stdout.trim().split("\n");
  known.pid = Number(pid) || 0;
  const owners = entries.map((line) => /^(?:d...------|s)\S*\s+\d+\s+(\d+)\s/.exec(line)?.[1]);
  return owners.length === 2 && owners.every((owner) => owner === user);
}

/** Everything is asked for at once: a session waits for it at its start. The socket is where it nearly always is, or looked at again. */
async function findWorker($: Engine): Promise<Worker | undefined> {
  const folder = await stateFolder($);
  const usual = folder.startsWith("/") ? `${folder}/worker.sock` : "";
  try {
    const [state, token, isUsualOwn] = await Promise.all([
      $.fs.read(`${folder}/worker.json`),
      $.fs.read(`${folder}/token`),
      usual !== "" && isOwnSocket($, usual),
    ]);
    const { port, socket } = parsed(state) ?? {};
    if (typeof port !== "number" || port <= 0) return undefined;
    const worker = { url: `http://127.0.0.1:${port}`, token: token.trim() };
    const socketPath = textIn(socket);
    // Windows has pipes, which Claude Code cannot use.
    if (!socketPath.startsWith("/")) return worker;
    const isOwn = socketPath === usual ? isUsualOwn : await isOwnSocket($, socketPath);
    return isOwn ? { ...worker, socketPath } : undefined;
  } catch {
    // No worker runs: a command hook starts one.
    return undefined;
  }
}

/** What does not change while the process lives. */
async function learn($: Engine) {
  if (known.version !== "" && known.project !== "") return;
  const [root, { version, base }] = await Promise.all([
    $.session.root(),
    $.session.version(),
    stateFolder($),
  ]);
  known.project = root;
  known.version = base ?? version;
}

/** For `throughline doctor`. A failure to note it must not reach the session. */
export async function noteTrouble($: Engine, what: string): Promise<void> {
  const now = Date.now();
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

const LATE_STATUS = 504;
/** Milliseconds for one request, where they are not those of its kind. */
const DEADLINE_HEADER = "x-throughline-deadline";

/**
 * Hooked into the mod's own requests. A hook that settles before what is beneath it ends that: without this a request
 * that is not answered would stay, and hold `claude -p` back for half a minute when it leaves.
 */
export function withDeadline(
  $: Engine,
  e: FetchEvent,
  next: Next<FetchEvent, FetchResult>,
): Promise<FetchResult> {
  const op = /(\w+)$/.exec(e.url)?.[1] ?? "";
  const own = Number(e.init?.headers[DEADLINE_HEADER]);
  const ms = own > 0 ? own : Object.hasOwn(timeouts, op) ? timeouts[op as Op] : timeouts.event;
  const late = { status: LATE_STATUS, ok: false, headers: {}, text: "" };
  return new Promise((resolve, reject) => {
    const timer = $.clock.after(ms, () => resolve({ value: late }));
    next(e)
      .then(resolve, reject)
      .finally(() => timer.cancel());
  });
}

type Sent = HttpAnswer | "late" | "absent";

async function send($: Engine, { url, token, ...way }: Worker, op: Op, body: string): Promise<Sent> {
  try {
    const answer = await $.http.fetch(`${url}/mods/${op}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body,
      ...way,
    });
    return answer.status === LATE_STATUS ? "late" : answer;
  } catch {
    return "absent";
  }
}

/** A worker that came back listens elsewhere, or has another token: it is looked for once more. */
async function sendToWorker($: Engine, op: Op, body: string): Promise<Sent> {
  if (known.worker) {
    const answer = await send($, known.worker, op, body);
    if (answer === "late" || (answer !== "absent" && answer.status !== 401)) return answer;
  }
  known.worker = await findWorker($);
  return known.worker ? send($, known.worker, op, body) : "absent";
}

/** Reads an answer; undefined where it is none. A worker that was late is not asked again for a while. */
async function read($: Engine, op: Op, answer: Sent) {
  if (answer === "late") {
    known.silentUntil = Date.now() + ASK_AGAIN_AFTER_MS;
    await noteTrouble($, `the worker did not answer within ${timeouts[op]} ms (${op})`);
    return undefined;
  }
  if (answer === "absent") {
    known.worker = undefined;
    await noteTrouble($, `no worker answers (${op})`);
    return undefined;
  }
  known.silentUntil = 0;
  // It declines: another lane, a pause, an excluded folder.
  if (answer.status === 409) return undefined;
  const told = answer.status === 200 ? parsed(answer.text) : undefined;
  if (!told) await noteTrouble($, `the worker answered what makes no sense (${op}, ${answer.status})`);
  return told;
}

function bodyOf(question: Json) {
  const { project, transcript, version, pid, prompt, session } = known;
  const body = JSON.stringify({ asker: { session, project, transcript, version, pid, prompt }, ...question });
  return body.length > LONGEST_BODY ? undefined : body;
}

export const isSilent = (): boolean => Date.now() < known.silentUntil;

/** What the worker answers; undefined when it declines, is late, is gone, or makes no sense. */
export async function ask($: Engine, op: Op, question: Json): Promise<Json | undefined> {
  const [off] = await Promise.all([isOff($), learn($)]);
  if (off || isSilent()) return undefined;
  if (known.session === "") known.session = await $.session.id();
  const body = bodyOf(question);
  return body === undefined ? undefined : read($, op, await sendToWorker($, op, body));
}

/**
 * The same of a worker that has answered before, and without a step in between: the request is on its way when this
 * returns, so that nothing waits. Only from within a hook, since deadlines are kept there alone.
 */
export function tell($: Engine, op: Op, question: Json): Promise<Json | undefined> {
  const body = bodyOf(question);
  if (!known.worker || body === undefined) return Promise.resolve(undefined);
  return send($, known.worker, op, body).then((answer) => read($, op, answer));
}

/**
 * Asks about a request to the model. A worker that is late is asked again with the next one: the deadline is short, and
 * the carrier has the edits in force.
 */
export async function askLive(
  $: Engine,
  op: string,
  question: Json,
  deadline: number,
): Promise<Json | undefined> {
  await learn($);
  known.worker ??= await findWorker($);
  const { worker } = known;
  if (!worker) return undefined;
  const { url, token, ...way } = worker;
  try {
    const { status, text } = await $.http.fetch(`${url}/live/${op}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
        [DEADLINE_HEADER]: String(Math.ceil(deadline)),
      },
      body: JSON.stringify(question),
      ...way,
    });
    if (status === 401) known.worker = undefined;
    return status === 200 ? parsed(text) : undefined;
  } catch {
    // A worker that came back listens elsewhere.
    known.worker = undefined;
    return undefined;
  }
}

/** Tells the worker something that nothing waits for. */
export function tellLive($: Engine, op: string, question: Json): void {
  void askLive($, op, question, timeouts.event);
}
