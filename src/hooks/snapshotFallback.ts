// The hook's output about a project's snapshot when a session starts and no worker answers. A bundle of its own: only such a
// start loads it.
import path from "node:path";
import { languageOf, leftSnapshots } from "../home/index.ts";
import { makeFolder, ownVersion, replaceFile } from "../lib/index.ts";
import {
  isFirstEncounter,
  readSnapshotKey,
  readSource,
  startOutput,
  startSession,
} from "../snapshot/decide.ts";
import type { CapturedInput } from "./runHook.ts";
import { logTrouble, Trouble } from "./trouble.ts";

/** The hours of validity where runtime.json sets none. */
const HOURS = 2;

/** What the hook prints; empty when there is nothing to load and nothing was cleaned up. */
function decideWithoutWorker(hook: string, { home, runtime, event, project }: CapturedInput) {
  const rules = runtime?.snapshot;
  if (rules?.enabled === false || !path.isAbsolute(project)) return "";
  const now = Date.now();
  const left = leftSnapshots(home);
  const report = startSession({
    project,
    session: event.session,
    source: readSource(event.payload.source),
    now,
    hours: rules?.hours ?? HOURS,
    language: rules?.language ?? languageOf("auto", process.env),
    key: readSnapshotKey(home),
    // Git would have to be asked whose a foreign snapshot is: that is left to the worker, and the file stays until then.
    tracked: undefined,
    isFirstSight: (file) => isFirstEncounter(home, file),
    // The vault is the worker's: it takes in what lies here when it starts.
    keep: (bytes, { name }) => {
      makeFolder(left);
      replaceFile(path.join(left, `${now}-${process.pid}-${name}`), bytes, undefined);
    },
  });
  if (report.decision.reason === "nothing") return "";
  for (const line of report.lines) logTrouble(home, hook, ownVersion, new Trouble(line));
  return startOutput(report);
}

/** What became of a snapshot when a session starts. */
export function snapshotOutput(hook: string, input: CapturedInput) {
  try {
    return decideWithoutWorker(hook, input);
  } catch (error) {
    // A snapshot that cannot be read or removed must not keep a worker from being started.
    logTrouble(input.home, hook, ownVersion, error);
    return "";
  }
}
