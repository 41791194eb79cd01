// Reports events to the worker before any command hook runs; events that the worker does not accept go to the hook.
import type { ClassicEvent, ClassicResult, Engine, Json, Next } from "./engine.ts";
import { ask, isObject, isSilent, known, noteTrouble, parsed, stateFolder, tell, textIn } from "./worker.js";

/** So many events may be on their way at once. Behind them the agent waits. */
const MOST_UNDERWAY = 8;
const HAND_OVER_MS = 5_000;

const events = {
  /** The session whose events command hooks leave to the mod: the worker took the last one. */
  taken: "",
  /** Events on their way to the command hooks. */
  leaving: 0,
  underway: new Set<Promise<unknown>>(),
};

/** Command hooks read this when they start: an event of the named session was taken already. */
async function callTaken($: Engine, session: string) {
  if (events.taken === session) return;
  events.taken = session;
  await $.env.set("THROUGHLINE_TAKEN", session === "" ? undefined : session);
}

type NextHook = Next<ClassicEvent, ClassicResult>;

// Function declarations: Claude Code follows `$` past an import into nothing else, and refuses to load the module.

/** Lets the hooks have an event. Meanwhile nothing is called taken, or they would leave this one too. */
async function leaveToHooks($: Engine, e: ClassicEvent, next: NextHook): Promise<ClassicResult> {
  await callTaken($, "");
  events.leaving += 1;
  try {
    return await next(e);
  } finally {
    events.leaving -= 1;
  }
}

/** While a session begins the engine does not know its id yet; its events do. */
function remember(e: ClassicEvent) {
  known.session = e.session_id;
  known.transcript = textIn(e.transcript_path);
  known.prompt = textIn(e.prompt_id);
}

interface Heard {
  readonly result: ClassicResult;
  /** What the worker answered to the event. */
  readonly told: Json | undefined;
}

/** Reports an event, and waits: one that could not be reported is the command hook's. */
export async function reportWaiting($: Engine, e: ClassicEvent, next: NextHook, more?: Json): Promise<Heard> {
  remember(e);
  const told = await ask($, "event", { payload: e, at: Date.now(), ...more });
  if (!told) return { result: await leaveToHooks($, e, next), told };
  // Claude Code puts the name of the mod before it. After a compaction the line stands where the summary is.
  const message = textIn(told.message).replace(/^Throughline(?:: |：)/, "");
  if (message !== "" && e.source !== "compact") $.ui.log(message);
  // With one on its way to them the hooks write this one too, under the same id.
  if (events.leaving === 0) await callTaken($, e.session_id);
  return { result: await next(e), told };
}

/** The program of the command hook, beside the worker's own. */
async function hookProgram($: Engine) {
  const { worker } = parsed(await $.fs.read(`${await stateFolder($)}/runtime.json`)) ?? {};
  const { node, script } = isObject(worker) ? worker : {};
  const folder = /^(.*)[\\/][^\\/]+$/.exec(textIn(script))?.[1];
  return folder === undefined || textIn(node) === ""
    ? undefined
    : [textIn(node), `${folder}/hooks/capture.cjs`];
}

/** An event that the hooks have left to us and the worker did not take: what they would have run is run here. */
async function handOver($: Engine, e: ClassicEvent) {
  await callTaken($, "");
  const env = {
    THROUGHLINE_TAKEN: "",
    CLAUDE_PROJECT_DIR: known.project,
    ...(known.pid !== 0 && { CLAUDE_PID: String(known.pid) }),
  };
  try {
    const program = await hookProgram($);
    if (!program) throw new Error("it is not known where the hook is");
    await $.process.run(program, { stdin: JSON.stringify(e), env, timeoutMs: HAND_OVER_MS });
  } catch (error) {
    await noteTrouble($, `an event was left to the transcript: ${String(error)}`);
  }
}

/** Resolves when every event has arrived somewhere. */
export async function settled(): Promise<void> {
  await Promise.all(events.underway);
}

/** Reports an event and goes on at once, where the worker took the one before. */
export async function report(
  $: Engine,
  e: ClassicEvent,
  next: NextHook,
  more?: Json,
): Promise<ClassicResult> {
  if (events.taken !== e.session_id || isSilent()) return (await reportWaiting($, e, next, more)).result;
  remember(e);
  const sending = tell($, "event", { payload: e, at: Date.now(), ...more })
    .then((told) => (told ? undefined : handOver($, e)))
    .finally(() => events.underway.delete(sending));
  events.underway.add(sending);
  if (events.underway.size >= MOST_UNDERWAY) await settled();
  return next(e);
}

/** The same for what comes after others: they arrive first. */
export async function reportInTurn(
  $: Engine,
  e: ClassicEvent,
  next: NextHook,
  more?: Json,
): Promise<ClassicResult> {
  await settled();
  return report($, e, next, more);
}
