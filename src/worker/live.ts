// The live window in the worker: its engine with the worker's settings, lane, spool and answers.
import type { Environment, Home, IsExcluded } from "../home/index.ts";
import type { HookAnswer } from "../inject/index.ts";
import { BoundedMap, systemClock as clock, errorText, MINUTE, SECOND } from "../lib/index.ts";
import { compactionEvents, type LiveHandlers, makeLiveHandlers, sweepRecords } from "../live/index.ts";
import type { Logger } from "../log/index.ts";
import { laneChoice, takesMods } from "../mods/index.ts";
import { readableSettings, userSettings } from "../settings/index.ts";
import type { CapturedEvent } from "../spool/index.ts";

interface LiveWorkerParts {
  readonly home: Home;
  readonly env: Environment;
  readonly version: string;
  readonly log: Logger;
  readonly isExcluded: IsExcluded;
  readonly answer: (event: CapturedEvent, project: string) => Promise<HookAnswer>;
}

/** Every request asks for the settings of its folder: reading files each time would be felt, a second is not. */
const REMEMBERED_MS = SECOND;
const REMEMBERED_FOLDERS = 50;
const SWEEP_AFTER_MS = 5 * MINUTE;

function folderSettings(home: Home, env: Environment) {
  const read = (project: string) => ({
    at: clock.now(),
    values: readableSettings({ home, cwd: project, env }) ?? userSettings(home, env),
  });
  const known = new BoundedMap<string, ReturnType<typeof read>>(REMEMBERED_FOLDERS);
  return (project: string) => {
    const last = known.get(project);
    if (last && clock.now() - last.at < REMEMBERED_MS) return last.values;
    const fresh = read(project);
    known.set(project, fresh);
    return fresh.values;
  };
}

export function makeLive({ home, env, version, log, isExcluded, answer }: LiveWorkerParts): LiveHandlers {
  const lane = laneChoice(home, env);
  // A worker rarely runs for a day: once each time is enough.
  setTimeout(() => {
    try {
      const deleted = sweepRecords(home, clock.now());
      if (deleted > 0) log.info({ deleted }, "live.records-swept");
    } catch (error) {
      log.warn({ problem: errorText(error) }, "live.records-not-swept");
    }
  }, SWEEP_AFTER_MS).unref();
  return makeLiveHandlers({
    ...{ home, clock, log, isExcluded },
    events: compactionEvents({ home, version, clock, answer }),
    settings: folderSettings(home, env),
    // `claude-code/2.1.325`
    takesMods: (client) => takesMods(lane(), client?.split("/").at(-1)),
  });
}
