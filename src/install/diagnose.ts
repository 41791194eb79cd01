// What is wrong with an installation, told from facts alone; every finding says how it is put right.
import path from "node:path";
import { errorText } from "../lib/index.ts";
import type { EntryFacts, Facts, SettingsFacts } from "./facts.ts";
import { type Finding, type FindingId, findingKinds, type Repair } from "./findings.ts";

const BACKLOG_FILES = 1_000;
const BACKLOG_MINUTES = 15;
const LEAST_FREE_BYTES = 200 * 1024 * 1024;

function found(id: FindingId, what: string, fix: string, repair?: Repair): Finding {
  const { severity } = findingKinds[id];
  return { id, severity, what, fix, ...(repair === undefined ? {} : { repair }) };
}

/** A path as a shell takes it. */
const quoted = (file: string): string =>
  /^[\w./:@~+-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;

/** The way back to good entries in a settings file, also in that of a project elsewhere. */
function reinstall({ scope, file }: Pick<SettingsFacts, "scope" | "file">): {
  command: string;
  repair: Repair;
} {
  const command = `throughline install --scope ${scope} --yes`;
  if (scope === "user") return { command, repair: { do: "install", scope } };
  const project = path.dirname(path.dirname(file));
  return { command: `cd ${quoted(project)} && ${command}`, repair: { do: "install", scope, project } };
}

function* entriesGone(settings: SettingsFacts): Generator<Finding> {
  const { command, repair } = reinstall(settings);
  const first = (gone: (entry: EntryFacts) => boolean): EntryFacts | undefined => settings.entries.find(gone);
  const withoutNode = first(({ nodeThere }) => !nodeThere);
  if (withoutNode) {
    yield found(
      "node-gone",
      `${settings.file} runs ${withoutNode.node}, which is not there`,
      command,
      repair,
    );
  }
  const withoutBundle = first(({ bundleThere }) => !bundleThere);
  if (withoutBundle) {
    yield found(
      "bundle-gone",
      `${settings.file} runs ${withoutBundle.bundle}, which is not there`,
      command,
      repair,
    );
  }
  if (settings.missing.length > 0) {
    const events = settings.missing.join(", ");
    yield found("events-missing", `${settings.file} has no entry for ${events}`, command, repair);
  }
}

function* inSettings({ settings, plugin, barredBy }: Facts): Generator<Finding> {
  for (const { file, problem, unread, disablesHooks } of settings) {
    if (problem !== undefined) {
      const fix = `edit line ${problem.line} of ${file}`;
      yield found("settings-invalid", `${file}:${problem.line}: ${problem.what}`, fix);
    }
    if (unread) {
      const fix = `take comments and trailing commas out of ${file}`;
      yield found("settings-unread", `${file} holds more than plain JSON; Claude Code ignores it`, fix);
    }
    if (disablesHooks) {
      yield found("hooks-disabled", `${file} sets disableAllHooks`, `take disableAllHooks out of ${file}`);
    }
  }
  if (barredBy !== undefined) {
    yield found(
      "hooks-barred",
      `${barredBy} lets no other hooks run`,
      `ask for our hooks to be added to ${barredBy}`,
    );
  }
  const installed = settings.filter(({ entries }) => entries.length > 0);
  const pluginOn = settings.some((one) => one.plugin);
  // What stands in a file that cannot be read is not known: first it has to be put right.
  const unknown = settings.some(({ problem }) => problem !== undefined);
  if (installed.length === 0 && !pluginOn && !unknown) {
    // Not repaired by itself: whoever uninstalled meant it.
    yield found("not-installed", "no settings file has our hooks", "throughline install");
  }
  for (const one of installed) yield* entriesGone(one);
  const places = [...installed.map(({ file }) => file), ...(pluginOn ? ["the plugin"] : [])];
  if (places.length > 1) {
    const last = installed.at(-1)?.scope ?? "user";
    const fix = `throughline uninstall --scope ${last}`;
    yield found("installed-twice", `hooks are in force from ${places.join(" and ")}`, fix);
  }
  if (pluginOn && plugin !== undefined && !plugin.complete) {
    yield found(
      "plugin-incomplete",
      `${plugin.folder} has no programs`,
      "npm run build, then install the plugin again",
    );
  }
}

function* inVersions(facts: Facts): Generator<Finding> {
  const { version, plugin, runtime, worker, settings } = facts;
  const first = settings.find(({ entries }) => entries.length > 0);
  const { command, repair } = reinstall(first ?? { scope: "user", file: "" });
  const installed = settings.some(({ entries, plugin: on }) => on || entries.length > 0);
  if (plugin !== undefined && plugin.version !== version) {
    const fix = "claude plugin update throughline@throughline";
    yield found("plugin-skew", `the plugin is ${plugin.version}, this program ${version}`, fix);
  }
  if (facts.receipt === "unreadable") {
    const fix = `move ${facts.home.data}/install-receipt.json away, then ${command}`;
    yield found("receipt-unreadable", "the receipt of the installation cannot be read", fix);
  }
  if (installed && (runtime === "none" || runtime === "unreadable")) {
    const state = runtime === "none" ? "missing" : "broken";
    yield found("runtime-missing", `${facts.home.state}/runtime.json is ${state}`, command, repair);
  }
  if (typeof runtime === "object") {
    if (!facts.workerProgramThere) {
      yield found("worker-program-gone", `${runtime.worker.script} is not there`, command, repair);
    }
    if (runtime.version !== version) {
      yield found("runtime-skew", `hooks start ${runtime.version}, this program is ${version}`, command);
    }
  }
  if (typeof worker === "object" && worker.version !== version) {
    const fix = "throughline worker stop && throughline worker start";
    yield found("worker-skew", `the worker is ${worker.version}, this program ${version}`, fix);
  }
}

function* inHome({ settings, home, homeVariable }: Facts): Generator<Finding> {
  for (const { file, entries, givesHome } of settings) {
    if (entries.length === 0 || givesHome === homeVariable) continue;
    const here = homeVariable === undefined ? home.data : homeVariable;
    const there = givesHome ?? "the usual folders";
    const fix =
      givesHome === undefined
        ? "throughline install --yes (to keep this home), or unset THROUGHLINE_HOME"
        : `export THROUGHLINE_HOME=${quoted(givesHome)}`;
    yield found(
      "home-differs",
      `hooks of ${file} keep their events in ${there}, this program looks at ${here}`,
      fix,
    );
  }
}

function* inWorker(facts: Facts): Generator<Finding> {
  const { worker, workerState, spool } = facts;
  const start: Repair = { do: "start-worker" };
  const command = "throughline worker start";
  if (worker === "foreign") {
    const pid = workerState === undefined ? "" : ` (the last worker was process ${workerState.pid})`;
    yield found(
      "worker-foreign",
      `what listens at ${facts.socket} does not answer as a worker${pid}`,
      command,
    );
  }
  if (worker === "absent" && facts.startFailure !== undefined) {
    const { at, problem, fix } = facts.startFailure;
    const way = fix ?? "`throughline worker run` shows why, `throughline worker logs` what it did before";
    yield found("worker-dies", `the last worker ended at its start, ${at}: ${problem}`, way);
  } else if (worker === "absent" && (facts.socketLeft || workerState !== undefined)) {
    yield found("worker-stale", "the last worker ended without clearing up", command, start);
  } else if (worker === "absent" && spool.waiting > 0) {
    yield found("worker-absent", `no worker runs, and ${spool.waiting} events wait`, command, start);
  }
  const port = workerState?.port ?? 0;
  if (typeof worker === "object" && port !== 0 && facts.wantedPort !== 0 && port !== facts.wantedPort) {
    const fix = `throughline config set worker.port ${port}`;
    yield found("port-taken", `the web page is on port ${port}, because ${facts.wantedPort} was taken`, fix);
  }
  if (facts.paused) yield found("paused", "capture is paused", "throughline resume");
  if (facts.excludedFolder !== undefined) {
    const fix = "see `throughline config get capture.exclude`; leave it if it is meant";
    yield found("folder-excluded", `nothing is captured in ${facts.excludedFolder}: it is excluded`, fix);
  }
}

function* inMod({ mod, settings }: Facts): Generator<Finding> {
  // Where nothing is installed, that is the one thing to say.
  const isInstalled = settings.some(({ entries, plugin }) => entries.length > 0 || plugin);
  if (mod === undefined || mod.lane === "hooks" || !isInstalled) return;
  if (mod.folder === undefined || mod.there === false) {
    const what =
      mod.folder === undefined ? "Claude Code is not told of the mod" : `${mod.folder} is not there`;
    yield found("mod-missing", what, `throughline install --lane ${mod.lane} --yes`);
  }
  if (mod.trouble !== undefined) {
    const fix = "throughline worker stop && throughline worker start";
    yield found("mod-trouble", `the mod was left without an answer, at last: ${mod.trouble}`, fix);
  }
}

function* inProject({ project }: Facts): Generator<Finding> {
  if (project === undefined) return;
  const { file, trust, untrusted, notProject, problems } = project;
  if (untrusted.length > 0) {
    const isNever = trust === "linked" || trust === "foreign";
    const fix = isNever
      ? "set them in your own file: throughline config set KEY VALUE"
      : "throughline config trust";
    yield found("project-untrusted", `${file} is not trusted; ignored: ${untrusted.join(", ")}`, fix);
  }
  if (notProject.length > 0 || problems.length > 0) {
    const what = [
      ...(notProject.length > 0 ? [`no project may set ${notProject.join(", ")}`] : []),
      ...problems,
    ];
    yield found("project-ignored", `${file}: ${what.join("; ")}`, `take it out of ${file}`);
  }
}

function recovered({ folder, at, isDone, missing, problem }: NonNullable<Facts["damaged"]>): Finding {
  const rows =
    missing === undefined ? "how many rows are missing is not known" : `${missing} rows are missing`;
  const state = isDone ? rows : (problem ?? "its rows are being brought back");
  const what = `the database was damaged (${at}) and set aside: ${state}`;
  return found("database-recovered", what, `look at throughline status; then delete ${quoted(folder)}`);
}

function* inStorage(facts: Facts): Generator<Finding> {
  const { home, spool, freeBytes, database, open, troubles } = facts;
  const folder = `${home.state}/spool`;
  if (!spool.writable)
    yield found("spool-unwritable", `${folder} cannot be written to`, `chmod u+rwx ${quoted(folder)}`);
  if (spool.waiting >= BACKLOG_FILES || (spool.waiting > 0 && spool.oldestMinutes >= BACKLOG_MINUTES)) {
    const what = `${spool.waiting} events wait in the spool, the oldest for ${spool.oldestMinutes} minutes`;
    yield found("spool-backlog", what, "throughline worker start", { do: "start-worker" });
  }
  if (spool.bad > 0) yield found("spool-bad", `${spool.bad} files were put aside`, `look into ${folder}/bad`);
  if (freeBytes !== undefined && freeBytes < LEAST_FREE_BYTES) {
    const left = Math.round(freeBytes / 1024 / 1024);
    yield found("disk-full", `${left} MB are left where ${home.data} is`, "make room on that disk");
  }
  if (database.problem === "damaged") {
    const fix = "throughline worker stop && throughline worker start";
    yield found("database-damaged", `${database.file} is damaged`, fix);
  }
  if (typeof database.problem === "object") {
    yield found("database-refused", database.problem.what, database.problem.fix);
  }
  if (facts.damaged !== undefined) yield recovered(facts.damaged);
  if (database.problem === "newer") {
    const fix = "npm install -g throughline@latest";
    yield found("database-newer", `${database.file} was written by a newer version`, fix);
  }
  if (open.length > 0) {
    const fix = "throughline doctor --fix";
    yield found("files-open", `others can read ${open.join(", ")}`, fix, { do: "close", paths: open });
  }
  if (troubles.count > 0) {
    const what = `hooks complained ${troubles.count} times in the last day, at last: ${troubles.last ?? ""}`;
    yield found("hook-troubles", what, `see ${home.state}/hook.log`);
  }
}

/** What could not be done: events that were not written, work that was given up, a model that does not answer. */
function* inWork({ losses, jobs, provider, home }: Facts): Generator<Finding> {
  if (losses !== undefined && losses.pending > 0) {
    const what = `hooks could not write ${losses.pending} events, the last at ${losses.lastAt ?? "an unknown time"}; their transcripts are not read yet`;
    yield found("events-lost", what, `make room and ${home.state} writable, then throughline worker start`, {
      do: "start-worker",
    });
  }
  if (jobs !== undefined && jobs.dead > 0) {
    const why = jobs.lastError === undefined ? "" : `, the last because: ${jobs.lastError}`;
    yield found("jobs-given-up", `${jobs.dead} jobs were given up${why}`, "throughline worker jobs --retry");
  }
  if (provider !== undefined) yield found("provider-silent", provider.what, provider.fix);
}

function* inChecks({ failedChecks, config }: Facts): Generator<Finding> {
  if (config !== undefined) yield found("config-invalid", config.what, config.fix);
  for (const { check, problem, fix } of failedChecks) {
    const way = fix ?? "put right what is named; if there is nothing, report this line";
    yield found("check-failed", `${check} could not be checked: ${problem}`, way);
  }
}

const parts: Readonly<Record<string, (facts: Facts) => Iterable<Finding>>> = {
  checks: inChecks,
  settings: inSettings,
  versions: inVersions,
  home: inHome,
  worker: inWorker,
  mod: inMod,
  project: inProject,
  storage: inStorage,
  work: inWork,
};

/** Everything that is wrong, what matters most first. Never throws: a part that does is a finding itself. */
export function diagnose(facts: Facts): Finding[] {
  const all = Object.entries(parts).flatMap(([name, part]) => {
    try {
      return [...part(facts)];
    } catch (error) {
      return [found("check-failed", `${name} could not be checked: ${errorText(error)}`, "report this line")];
    }
  });
  return [
    ...all.filter(({ severity }) => severity === "problem"),
    ...all.filter(({ severity }) => severity === "warning"),
  ];
}
