// One worker process: reads the settings, opens what the worker works with, and runs it to its end.
import { existsSync } from "node:fs";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import type { Config } from "../config/index.ts";
import {
  configStamp,
  currentExclusion,
  databaseFile,
  type Home,
  type RuntimeChange,
  type RuntimeState,
  resolveHome,
  restoreJournal,
  updateRuntime,
  userRules,
  workerLog,
} from "../home/index.ts";
import { makeMemoryHandlers, settingsAccess } from "../http/index.ts";
import { inspectAside, makeAccountant, makeWindowHandlers, tracesOf } from "../inspector/index.ts";
import { errorText, MINUTE, ownVersion, SECOND, systemClock } from "../lib/index.ts";
import { type Logger, openLog } from "../log/index.ts";
import { makeModsHandlers } from "../mods/index.ts";
import type { MakeRecovery } from "../recovery/index.ts";
import { redactValue, timeLimit } from "../redact/index.ts";
import { readableSettings, snapshotSettings, userSettings } from "../settings/index.ts";
import type { Store } from "../store/index.ts";
import { roomsOf } from "./compose.ts";
import type { EngineOptions } from "./engine.ts";
import { makeBackups } from "./jobs/backup.ts";
import { runWorker, type WorkerExit } from "./worker.ts";

const LOG_BYTES = 5 * 1024 * 1024;
const LOGS_KEPT = 3;
/** Of processor time, for one event or message: some 25 MB of text in which every line holds a secret. */
const REDACTION_MS = 5 * SECOND;

interface WorkerSettings {
  readonly values: Config["worker"];
  /** What was wrong with the files. */
  readonly problem?: string;
}

const fallback: Config["worker"] = { port: 37_777, idleMinutes: 30, logLevel: "info" };

/** A mistake in a file must not end capture: what is excluded is read apart from everything else. */
function readSettings(home: Home): WorkerSettings {
  try {
    return { values: userSettings(home, process.env).worker };
  } catch (error) {
    return { values: fallback, problem: errorText(error) };
  }
}

/** What hooks may go by, with the stamp of the files it was read from. Undefined where they cannot be read. */
function captureNow(home: Home): RuntimeChange["capture"] {
  // Before reading: should the files change meanwhile, the stamp is not theirs and hooks read them.
  const config = configStamp(home);
  const rules = userRules(home, process.env);
  return config === undefined || rules === undefined ? undefined : { excluded: rules.exclude, config };
}

export interface ProcessOptions {
  readonly program: RuntimeState["worker"];
  /** For tests of old and new workers side by side. */
  readonly version?: string;
}

/** What the page is made of, what it asks about windows, and the backups; their programs lie beside the worker's own. */
function faceOf(
  home: Home,
  store: Store,
  script: string,
  log: Logger,
): Pick<EngineOptions, "viewerFolder" | "windows" | "memories" | "accountant" | "backups" | "env"> {
  const beside = (name: string): string => path.join(path.dirname(path.resolve(script)), name);
  const inspector = inspectAside(beside(`inspector${path.extname(script)}`));
  return {
    viewerFolder: beside("viewer"),
    windows: makeWindowHandlers({ home, env: process.env, store, inspector }),
    accountant: makeAccountant({
      ...{ store, clock: systemClock, log },
      draw: async (session) => inspector.account(await tracesOf({ home, env: process.env, store }, session)),
    }),
    memories: makeMemoryHandlers({ home, env: process.env }),
    backups: makeBackups({
      ...{ home, clock: systemClock, log },
      script: beside(`backup${path.extname(script)}`),
      settings: () => readableSettings({ home, env: process.env })?.store,
    }),
    env: process.env,
  };
}

/** Opens the store, a new one in the place of a damaged one, and what brings back the rows of that. */
async function openRecovered(parts: {
  readonly home: Home;
  readonly log: Logger;
  readonly script: string;
  readonly onDamage: () => void;
}): Promise<{ readonly store: Store; readonly recovery: MakeRecovery }> {
  const { home, log } = parts;
  const [{ isAsClosed, markDamaged, readHeld }, { makeRecovery, openOrRecover }] = await Promise.all([
    import("../store/index.ts"),
    import("../recovery/index.ts"),
  ]);
  // Between the two halves of a restore there may be no data folder at all.
  if (existsSync(restoreJournal(home))) await (await import("../backup/index.ts")).finishRestore(home);
  const file = databaseFile(home);
  const wasAsClosed = isAsClosed(file, readHeld(file));
  let isKnown = false;
  const onDamage = (reason: string): void => {
    if (isKnown) return;
    isKnown = true;
    log.error({ problem: reason }, "store.damaged");
    markDamaged(file, reason);
    parts.onDamage();
  };
  const store = await openOrRecover({
    ...{ home, log, now: () => systemClock.now() },
    options: {
      notice: (event, facts) => log.warn(facts, event),
      onDamage: (error) => onDamage(error.message),
    },
  });
  const script = path.resolve(parts.script);
  const program = path.join(path.dirname(script), `salvage${path.extname(script)}`);
  const recovery = makeRecovery({
    ...{ home, log, script: program, clock: systemClock, isAsClosed: wasAsClosed, onDamage },
  });
  return { store, recovery };
}

/**
 * Half as much again as is in use may be taken before memory is cleared, not four times as much: a process that stays
 * all day in the background has time, and others need the memory. A Node that does not know this goes on as it would.
 */
const growSlowly = (): void => setFlagsFromString("--heap-growing-percent=50");

export async function runProcess({ program, version = ownVersion }: ProcessOptions): Promise<WorkerExit> {
  growSlowly();
  const home = resolveHome();
  const { values, problem } = readSettings(home);
  const settingsFor = snapshotSettings(home, process.env);
  const runtime = (): RuntimeChange => {
    const { enabled, hours, language } = settingsFor();
    const snapshot = { enabled, hours, language };
    return { version, capture: captureNow(home), worker: program, snapshot };
  };
  const equip = async (
    log: Logger,
    onDamage: () => void,
  ): Promise<Omit<EngineOptions, "home" | "version" | "log">> => {
    if (problem !== undefined) log.error({ problem }, "settings.unreadable");
    const onChange = (): void => void updateRuntime(home, runtime());
    onChange();
    const isExcluded = currentExclusion(home, process.env, onChange);
    const { store, recovery } = await openRecovered({ home, log, script: program.script, onDamage });
    return {
      store,
      redact: (payload) => redactValue(payload, timeLimit(REDACTION_MS)).value,
      ...roomsOf({ home, env: process.env, store, isExcluded, log }),
      mods: (duties) =>
        makeModsHandlers({
          home,
          env: process.env,
          version,
          clock: systemClock,
          log,
          isExcluded,
          ...duties,
        }),
      recovery,
      isExcluded,
      settings: settingsAccess({ home, env: process.env, onChange }),
      port: values.port,
      ...faceOf(home, store, program.script, log),
    };
  };
  return runWorker({
    home,
    version,
    idleMs: values.idleMinutes * MINUTE,
    capture: () => captureNow(home),
    program: { node: program.node, script: path.resolve(program.script) },
    log: () =>
      openLog({
        file: workerLog(home),
        level: values.logLevel,
        maxBytes: LOG_BYTES,
        keep: LOGS_KEPT,
        redact: (record) => redactValue(record).value,
      }),
    equip,
  });
}
