// What an answering hook prints: the worker's answer, else the one that lies ready, else nothing.
import { lstatSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import {
  answerFile,
  type Home,
  isObject,
  parseJson,
  SECOND,
  systemErrorCode,
  workerSocket,
  workerStateFile,
} from "../lib/index.ts";
import type { CapturedEvent } from "../spool/index.ts";
import type { Answer } from "./ask.ts";
import type { Deadline } from "./deadline.ts";
import type { Taken } from "./take.ts";
import { logTrouble, Trouble } from "./trouble.ts";
import { ownVersion } from "./version.ts";

/** A worker that has just been started is not started again, also when it could not stay. */
const START_AGAIN_AFTER = 10 * SECOND;
/** Whoever kept one hook waiting is left alone for a while, so that not every prompt waits. */
const ASK_AGAIN_AFTER = 15 * SECOND;

const startedMark = (home: Home): string => path.join(home.state, "worker.started");
const silentMark = (home: Home): string => path.join(home.state, "worker.silent");

function isRecent(mark: string, within: number): boolean {
  const age = Date.now() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY);
  return Math.abs(age) < within;
}

const setMark = (mark: string): void => writeFileSync(mark, "1", { mode: 0o600 });

/** Whether something of ours can listen there. A socket of somebody else would put words into the model's mouth. */
function socketState(socket: string): "there" | "absent" | "foreign" {
  if (process.platform === "win32") return "there";
  const found = lstatSync(socket, { throwIfNoEntry: false });
  if (found === undefined) return "absent";
  return process.getuid === undefined || found.uid === process.getuid() ? "there" : "foreign";
}

/** Whether the worker that left its name here is gone: asking the system is cheaper than loading what asks a socket. */
function hasDied(home: Home): boolean {
  const file = workerStateFile(home);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return false;
  const state = parseJson(readFileSync(file, "utf8"));
  const pid = isObject(state) ? state.pid : undefined;
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return systemErrorCode(error) === "ESRCH";
  }
}

async function askInTime({ home, event }: Taken, deadline: Deadline): Promise<Answer> {
  const socket = workerSocket(home);
  const state = socketState(socket);
  if (state !== "there") return state;
  if (hasDied(home)) return "absent";
  if (isRecent(silentMark(home), ASK_AGAIN_AFTER)) return "silent";
  if (deadline.left() === 0) return "late";
  const { askWorker } = await import("./ask.ts");
  const answer = await askWorker(socket, event, deadline.left());
  if (answer === "silent") setMark(silentMark(home));
  return answer;
}

async function startWorkerOnce({ home, runtime }: Taken): Promise<void> {
  if (isRecent(startedMark(home), START_AGAIN_AFTER)) return;
  setMark(startedMark(home));
  if (runtime?.worker === undefined)
    throw new Trouble("no worker is running and runtime.json does not say how to start one");
  const { startWorker } = await import("../worker/start.ts");
  if (!startWorker(runtime.worker))
    throw new Trouble(`the worker could not be started: ${runtime.worker.node}`);
}

/** What the worker has left for this kind of event in this folder. */
function readyAnswer(home: Home, project: string, kind: CapturedEvent["kind"]): string {
  const file = answerFile(home, project);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return "";
  const ready = parseJson(readFileSync(file, "utf8"));
  const said = isObject(ready) && isObject(ready.stdout) ? ready.stdout[kind] : undefined;
  return typeof said === "string" ? said : "";
}

function print(text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(1, bytes, offset);
}

/** Asks the worker, starts it when there is none, and prints what there is to say. */
export async function answer(hook: string, taken: Taken, deadline: Deadline): Promise<void> {
  const answered = await askInTime(taken, deadline);
  if (typeof answered === "object") return print(answered.stdout);
  print(readyAnswer(taken.home, taken.project, taken.event.kind));
  if (answered === "absent") return startWorkerOnce(taken);
  logTrouble(taken.home, hook, ownVersion, new Trouble(`the worker did not answer (${answered})`));
}
