// What an answering hook prints: the worker's answer, else the one that lies ready, else nothing.

import { readFileSync, writeSync } from "node:fs";
import path from "node:path";
import { type Home, workerSocket, workerStateFile } from "../home/index.ts";
import { endpointAt } from "../ipc/connect.ts";
import { isObject, isRunning, ownVersion, parseJson, SECOND, statIfThere } from "../lib/index.ts";
import type { CapturedEvent } from "../spool/index.ts";
import { askWorker } from "./ask.ts";
import { isRecent, setMark } from "./marks.ts";
import { loadFallback } from "./onDemand.ts";
import type { CapturedInput } from "./runHook.ts";
import { logTrouble, Trouble } from "./trouble.ts";

/** After a timeout the worker is not asked for a while, so that not every prompt waits. */
const ASK_AGAIN_AFTER = 15 * SECOND;

const silentMark = (home: Home) => path.join(home.state, "worker.silent");

/** Whether the recorded worker process is gone. Asking the system is cheaper than loading the socket client. */
function hasDied(home: Home) {
  const file = workerStateFile(home);
  if (!statIfThere(file)) return false;
  const state = parseJson(readFileSync(file, "utf8"));
  const pid = isObject(state) ? state.pid : undefined;
  return typeof pid === "number" && Number.isInteger(pid) && pid > 0 && !isRunning(pid);
}

/** A compaction takes its time anyway: the worker may take some of it to save what is about to leave the window. */
const COMPACTION_WITHIN_MS = 2_000;

const isCompactionEvent = ({ kind, payload }: CapturedEvent) =>
  kind === "pre-compact" || (kind === "session-start" && payload.source === "compact");

async function askInTime({ home, event, project }: CapturedInput, left: () => number) {
  const socket = workerSocket(home);
  const endpoint = endpointAt(socket);
  if (typeof endpoint === "string") return endpoint;
  if (hasDied(home)) return "absent";
  if (isRecent(silentMark(home), ASK_AGAIN_AFTER)) return "silent";
  if (left() === 0) return "late";
  const answer = await askWorker(socket, { event, project }, left());
  if (answer === "silent") setMark(silentMark(home));
  return answer;
}

function writeToStdout(text: string) {
  const bytes = Buffer.from(text, "utf8");
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(1, bytes, offset);
}

/** Asks the worker, starts it when there is none, and prints what there is to say. */
export async function answer(hook: string, input: CapturedInput, deadline: Deadline) {
  if (!input.isAllowed) {
    if (endpointAt(workerSocket(input.home)) !== "absent" && !hasDied(input.home)) return;
    (await loadFallback()).startWorkerOnce(input);
    return;
  }
  const patient = isCompactionEvent(input.event);
  // Tool events are answered only where the user enabled it, and then the answer is worth waiting for.
  const waits = patient || input.event.kind === "tool";
  const left = () => deadline(waits ? COMPACTION_WITHIN_MS : undefined);
  let answered = await askInTime(input, left);
  if (answered === "absent" && patient) {
    const { askStarting } = await loadFallback();
    answered = await askStarting(input, left, () => askInTime(input, left));
  }
  if (typeof answered === "object") {
    writeToStdout(answered.stdout);
    for (const line of answered.log) logTrouble(input.home, hook, ownVersion, new Trouble(line));
    return;
  }
  const { outputWithoutWorker, startWorkerOnce } = await loadFallback();
  writeToStdout(await outputWithoutWorker(hook, input));
  const problem = answered === "absent" ? startWorkerOnce(input) : `asked the worker: ${answered}`;
  if (problem !== undefined) throw new Trouble(problem);
}

const ANSWER_WITHIN_MS = 250;

/** Milliseconds that are left of so many, 0 when none are. */
type Deadline = (total?: number) => number;

export function startDeadline(): Deadline {
  // Not the time of day: that can jump.
  const start = process.hrtime();
  return (total = ANSWER_WITHIN_MS) => {
    const [seconds, nanoseconds] = process.hrtime(start);
    return Math.max(0, total - seconds * 1_000 - nanoseconds / 1_000_000);
  };
}
