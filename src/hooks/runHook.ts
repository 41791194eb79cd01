// What every hook does first: read the payload, ask whether it may be captured, hide what is private, write the event.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import {
  type CaptureRules,
  type Home,
  isExcludedWork,
  lossFile,
  type RuntimeState,
  receiptFile,
  resolveHome,
  spoolFolder,
} from "../home/index.ts";
import { type JsonObject, makeFolder, ownVersion } from "../lib/index.ts";
import { type CapturedEvent, captureEvent, writeEvent } from "../spool/index.ts";
import { discardInput, readPayload } from "./input.ts";
import { loadAgentPayload, loadFallback } from "./onDemand.ts";
import { isCapturedByMod, isPaused, isSwitchedOff, narrowedIn, readRuntime, rulesNow } from "./permission.ts";
import { logTrouble, Trouble } from "./trouble.ts";

export interface CapturedInput {
  readonly home: Home;
  readonly runtime: Partial<RuntimeState> | undefined;
  readonly event: CapturedEvent;
  /** The folder that the agent was started in, where it says so; else where the event happened. */
  readonly project: string;
  /** What user and project have switched off. */
  readonly rules: Pick<CaptureRules, "snapshot" | "inject">;
  /** False while it cannot be known whether the folder is excluded: then nothing is said, and a worker only started. */
  readonly isAllowed: boolean;
}

/** A relative home would put the person's words into whatever folder the agent happens to be in. */
export function absoluteHome() {
  const { env, platform } = process;
  // What homedir() says too, without loading node:os for it.
  const homeFolder = platform !== "win32" && env.HOME ? env.HOME : homedir();
  const home = resolveHome({ env, platform, homeFolder });
  return path.isAbsolute(home.state) ? home : undefined;
}

/**
 * Whether there is a state folder to write into. Where everything was purged it is not made again by a session that is
 * still open: only for an installation whose receipt is there, or by a new session, which a purge leaves no hooks.
 */
function hasState(home: Home, { hook_event_name: name, source }: JsonObject) {
  if (existsSync(home.state)) return true;
  const isNew = name === "SessionStart" && source === "startup";
  if (!isNew && !existsSync(receiptFile(home))) return false;
  makeFolder(home.state);
  return true;
}

function eventOf(payload: JsonObject, startedIn: string | undefined) {
  const pid = process.env.CLAUDE_PID;
  // Whose process it is tells the worker when an agent is gone that could not say so; where it was started, whose
  // project it works on after it has gone elsewhere.
  const also = {
    ...(pid && { agent_pid: Number(pid) }),
    ...(startedIn && startedIn !== payload.cwd && { project_dir: startedIn }),
  };
  const event = captureEvent(
    { ...payload, ...also },
    {
      lane: "hooks",
      writer: ownVersion,
      now: Date.now(),
      took: Math.round(process.uptime() * 1_000),
    },
  );
  if (event === undefined) throw new Trouble("no event that is captured");
  return event;
}

/** Marks an event that cannot be written, so that the worker reads it from the transcript, and says why in the log. */
async function lose(home: Home, hook: string, payload: JsonObject, reason: unknown) {
  const { markLoss } = await loadFallback();
  markLoss(lossFile(home), payload, Date.now());
  logTrouble(home, hook, ownVersion, reason);
}

type ReadPayload = (payload: JsonObject) => JsonObject;

/** Captures the event on stdin. Undefined when there is nothing to capture, or it may not be. */
async function captureFromStdin(
  home: Home,
  hook: string,
  inOurForm: ReadPayload | undefined,
): Promise<CapturedInput | undefined> {
  const given = readPayload();
  const payload = inOurForm === undefined ? given : inOurForm(given);
  if (isCapturedByMod(process.env, payload.session_id) || !hasState(home, payload)) return undefined;
  const runtime = readRuntime(home);
  if (isPaused(home, runtime)) return undefined;
  const { CLAUDE_PROJECT_DIR: startedIn } = process.env;
  const event = eventOf(payload, startedIn);
  // An agent that does not say where it is runs its hooks there.
  const folders = [event.cwd ?? process.cwd(), startedIn];
  const rules = await rulesNow(home, process.env, runtime);
  if (rules !== undefined && isExcludedWork(folders, rules.exclude)) return undefined;
  const project = await narrowedIn(folders);
  if (project === undefined) return undefined;
  const input = { home, runtime, event, project: startedIn || event.cwd || "" };
  if (rules === undefined) {
    // The folder may be excluded: only the session is marked, and the worker decides when it reads the transcript.
    await lose(
      home,
      hook,
      payload,
      new Trouble("the settings cannot be read: the event is left to the transcript"),
    );
    return { ...input, rules: project, isAllowed: false };
  }
  try {
    writeEvent(spoolFolder(home), event);
  } catch (error) {
    // The agent is answered all the same, and a worker is started that fills the gap.
    await lose(home, hook, payload, error);
  }
  const { snapshot, inject } = rules;
  const both = { snapshot: snapshot && project.snapshot, inject: inject && project.inject };
  return { ...input, rules: both, isAllowed: true };
}

/** Everything is written; what Node would still tidy up on its way out, the system tidies up faster. */
function leave() {
  // What exit() ends with, without what it does before for listeners that a hook does not have.
  const { reallyExit } = process as { reallyExit?: (this: NodeJS.Process, code: number) => never };
  if (reallyExit === undefined) process.exit(0);
  reallyExit.call(process, 0);
}

/**
 * Runs a hook: captures, then does what else there is to do. Whatever goes wrong ends in the hook log,
 * with exit code 0 and nothing on stdout.
 */
export async function runHook(name: string, then?: (input: CapturedInput) => Promise<void>) {
  let home: Home | undefined;
  try {
    // The command names an agent that is not Claude Code.
    const inOurForm = process.argv[2] && (await loadAgentPayload()).enterAgent(process.argv, process.env);
    home = isSwitchedOff(process.env) ? undefined : absoluteHome();
    const input =
      home === undefined ? discardInput() : await captureFromStdin(home, name, inOurForm || undefined);
    if (input !== undefined) await then?.(input);
  } catch (error) {
    if (home !== undefined) logTrouble(home, name, ownVersion, error);
  }
  leave();
}
