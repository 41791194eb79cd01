// What a hook does when no worker answers or has read the settings: print the prepared answer, start a worker, mark a loss,
// read the settings. A bundle of its own, loaded on demand.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { answerFile, type Home, type RuntimeState, runtimeFile } from "../home/index.ts";
import { startWorker } from "../ipc/startWorker.ts";
import { isObject, parseJson, SECOND, statIfThere } from "../lib/index.ts";
import type { CapturedEvent } from "../spool/index.ts";
import type { Answer } from "./ask.ts";
import { isRecent, setMark } from "./marks.ts";
import type { CapturedInput } from "./runHook.ts";

export { projectRules, userRules } from "../home/index.ts";
export { newProof } from "../ipc/proof.ts";
export { markLoss } from "../spool/index.ts";

/** The worker of the package that this hook is part of. */
function ownWorker(): RuntimeState["worker"] | undefined {
  const script = path.join(__dirname, "..", "worker.js");
  return existsSync(script) ? { node: process.execPath, script } : undefined;
}

const isThere = ({ node, script }: RuntimeState["worker"]) => existsSync(node) && existsSync(script);

/** Returns the reason why no worker could be started. */
function startWorkerNow({ home, runtime }: CapturedInput) {
  // A runtime.json that is damaged, or names what has moved, is written anew by a worker. Without any nothing is installed, but for
  // the plugin, which installs nothing.
  const isOurs = existsSync(runtimeFile(home)) || process.env.CLAUDE_PLUGIN_ROOT !== undefined;
  const known = runtime?.worker && isThere(runtime.worker) ? runtime.worker : undefined;
  const worker = known ?? (isOurs ? ownWorker() : undefined) ?? runtime?.worker;
  if (!worker) return "runtime.json does not say how to start one";
  return startWorker(worker) ? undefined : `cannot start ${worker.node}`;
}

/** A worker that has just been started is not started again, also when it could not stay. */
const START_AGAIN_AFTER = 10 * SECOND;

/** Returns the reason why no worker could be started. */
export function startWorkerOnce(input: CapturedInput) {
  const mark = path.join(input.home.state, "worker.started");
  if (isRecent(mark, START_AGAIN_AFTER)) return undefined;
  setMark(mark);
  return startWorkerNow(input);
}

/** The answer that the worker prepared for such an event in this folder, by source of the session start or kind. */
function readyAnswer(home: Home, project: string, { kind, payload }: CapturedEvent) {
  const file = answerFile(home, project);
  if (!statIfThere(file)) return "";
  const ready = parseJson(readFileSync(file, "utf8"));
  const said =
    isObject(ready) && isObject(ready.stdout) ? ready.stdout[`${payload.source ?? kind}`] : undefined;
  return String(said ?? "");
}

/** The output without a worker: the snapshot decision when a session starts, else the prepared answer. */
export async function outputWithoutWorker(hook: string, input: CapturedInput) {
  const { home, project, event, rules } = input;
  if (event.kind === "session-start" && rules.snapshot) {
    const { snapshotOutput } = await import("./snapshotFallback.ts");
    const said = snapshotOutput(hook, input);
    if (said !== "") return said;
  }
  return rules.inject ? readyAnswer(home, project, event) : "";
}

const ASK_EVERY_MS = 50;

/** Starts a worker and asks it as soon as it answers. */
export async function askStarting(
  input: CapturedInput,
  left: () => number,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  if (startWorkerOnce(input) !== undefined) return "absent";
  while (left() > ASK_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    const answer = await ask();
    if (answer !== "absent") return answer;
  }
  return "absent";
}
