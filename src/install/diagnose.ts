// Derives findings from the facts about an installation, each with its fix.
import path from "node:path";
import { defined, errorText, present } from "../lib/index.ts";
import type { Facts, SettingsFacts } from "./facts.ts";
import { type Finding, type FindingId, findingKinds, type Repair } from "./findings.ts";

const BACKLOG_FILES = 1_000;
const BACKLOG_MINUTES = 15;
const LEAST_FREE_BYTES = 200 * 1024 * 1024;
const RESTART = "throughline worker stop && throughline worker start";

function found(id: FindingId, what: string, fix: string, repair?: Repair): Finding {
  const { severity } = findingKinds[id];
  return defined({ id, severity, what, fix, repair });
}

const startWorkerRepair: Repair = { do: "start-worker" };

/** A path quoted for a shell. */
const shellQuoted = (file: string) =>
  /^[\w./:@~+-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;

/** The command and repair that restore the entries of a settings file, also of another project. */
function reinstall({ scope, file }: Pick<SettingsFacts, "scope" | "file">): {
  command: string;
  repair: Repair;
} {
  const command = `throughline install --scope ${scope} --yes`;
  if (scope === "user") return { command, repair: { do: "install", scope } };
  const project = path.dirname(path.dirname(file));
  return { command: `cd ${shellQuoted(project)} && ${command}`, repair: { do: "install", scope, project } };
}

function* entriesGone(settings: SettingsFacts): Generator<Finding> {
  const { command, repair } = reinstall(settings);
  const { file, entries, missing } = settings;
  const withoutNode = entries.find(({ nodeThere }) => !nodeThere);
  const withoutBundle = entries.find(({ bundleThere }) => !bundleThere);
  const gone = (id: FindingId, program: string) =>
    found(id, `${file} runs ${program}, which does not exist`, command, repair);
  if (withoutNode) yield gone("node-gone", withoutNode.node);
  if (withoutBundle) yield gone("bundle-gone", withoutBundle.bundle);
  if (missing.length > 0)
    yield found("events-missing", `${file} has no entry for ${missing.join(", ")}`, command, repair);
}

function* inSettings({ settings, plugin, barredBy }: Facts): Generator<Finding> {
  for (const { file, problem, unread, disablesHooks } of settings) {
    if (problem) {
      const fix = `edit line ${problem.line} of ${file}`;
      yield found("settings-invalid", `${file}:${problem.line}: ${problem.what}`, fix);
    }
    if (unread) {
      const fix = `remove comments and trailing commas from ${file}`;
      yield found("settings-unread", `${file} is not plain JSON; Claude Code ignores it`, fix);
    }
    if (disablesHooks)
      yield found("hooks-disabled", `${file} sets disableAllHooks`, `remove disableAllHooks from ${file}`);
  }
  if (barredBy !== undefined) {
    yield found(
      "hooks-barred",
      `${barredBy} allows no other hooks`,
      `ask for our hooks to be added to ${barredBy}`,
    );
  }
  const installed = settings.filter(({ entries }) => entries.length > 0);
  const pluginOn = settings.some((one) => one.plugin);
  // An unreadable file may have our hooks: it has to be fixed first.
  const unknown = settings.some(({ problem }) => problem !== undefined);
  if (installed.length === 0 && !pluginOn && !unknown) {
    // Not repaired automatically: the user may have uninstalled on purpose.
    yield found("not-installed", "no settings file has our hooks", "throughline install");
  }
  for (const one of installed) yield* entriesGone(one);
  // Beside hooks in the user's own settings it does nothing.
  const isPluginAside = installed.some(({ scope }) => scope === "user");
  const places = present([...installed.map(({ file }) => file), pluginOn && !isPluginAside && "the plugin"]);
  if (places.length > 1) {
    const last = installed.at(-1)?.scope ?? "user";
    const fix = `throughline uninstall --scope ${last}`;
    yield found("installed-twice", `hooks are active in ${places.join(" and ")}`, fix);
  }
  if (pluginOn && plugin && !plugin.complete) {
    yield found(
      "plugin-incomplete",
      `${plugin.folder} has not got its program`,
      "claude plugin update throughline@throughline",
    );
  }
}

function* inVersions(facts: Facts): Generator<Finding> {
  const { version, plugin, runtime, worker, settings } = facts;
  const first = settings.find(({ entries }) => entries.length > 0);
  const { command, repair } = reinstall(first ?? { scope: "user", file: "" });
  if (plugin && plugin.version !== version) {
    const fix = "claude plugin update throughline@throughline";
    yield found("plugin-skew", `the plugin is ${plugin.version}, this program is ${version}`, fix);
  }
  if (facts.receipt === "unreadable") {
    const fix = `move ${facts.home.data}/install-receipt.json away, then ${command}`;
    yield found("receipt-unreadable", "the receipt of the installation cannot be read", fix);
  }
  // The plugin's worker writes it with the first session.
  if (first && (runtime === "none" || runtime === "unreadable")) {
    const state = runtime === "none" ? "missing" : "broken";
    yield found("runtime-missing", `${facts.home.state}/runtime.json is ${state}`, command, repair);
  }
  if (typeof runtime === "object") {
    if (!facts.workerProgramThere)
      yield found("worker-program-gone", `${runtime.worker.script} does not exist`, command, repair);
    if (runtime.version !== version)
      yield found("runtime-skew", `hooks start ${runtime.version}, this program is ${version}`, command);
  }
  if (typeof worker === "object" && worker.version !== version)
    yield found("worker-skew", `the worker is ${worker.version}, this program is ${version}`, RESTART);
}

function* inHome({ settings, home, homeVariable }: Facts): Generator<Finding> {
  for (const { file, entries, givesHome } of settings) {
    if (entries.length === 0 || givesHome === homeVariable) continue;
    const used = homeVariable ?? home.data;
    const written = givesHome ?? "the default folders";
    const fix =
      givesHome === undefined
        ? "throughline install --yes (to keep this home), or unset THROUGHLINE_HOME"
        : `export THROUGHLINE_HOME=${shellQuoted(givesHome)}`;
    yield found("home-differs", `hooks of ${file} write to ${written}, this program uses ${used}`, fix);
  }
}

function* inWorker(facts: Facts): Generator<Finding> {
  const { worker, workerState, spool } = facts;
  const command = "throughline worker start";
  if (worker === "foreign") {
    const pid = workerState ? ` (the last worker was process ${workerState.pid})` : "";
    yield found(
      "worker-foreign",
      `the program at ${facts.socket} does not answer as a worker${pid}`,
      command,
    );
  }
  if (worker === "absent" && facts.startFailure) {
    const { at, problem, fix } = facts.startFailure;
    const way = fix ?? "`throughline worker run` shows why, `throughline worker logs` shows its log";
    yield found("worker-dies", `the last worker failed at its start, ${at}: ${problem}`, way);
  } else if (worker === "absent" && (facts.socketLeft || workerState)) {
    yield found("worker-stale", "the last worker was killed and left its files", command, startWorkerRepair);
  } else if (worker === "absent" && spool.waiting > 0) {
    const what = `no worker is running, and ${spool.waiting} events are waiting`;
    yield found("worker-absent", what, command, startWorkerRepair);
  }
  const port = workerState?.port ?? 0;
  if (typeof worker === "object" && port !== 0 && facts.wantedPort !== 0 && port !== facts.wantedPort) {
    const fix = `throughline config set worker.port ${port}`;
    yield found("port-taken", `the viewer is on port ${port}, because ${facts.wantedPort} was in use`, fix);
  }
  if (facts.paused) yield found("paused", "capture is paused", "throughline resume");
  if (facts.excludedFolder !== undefined) {
    const fix = "see `throughline config get capture.exclude`; ignore this if it is intended";
    yield found("folder-excluded", `${facts.excludedFolder} is excluded from capture`, fix);
  }
}

function* inMod({ mod, settings }: Facts): Generator<Finding> {
  // Without an installation only that is reported.
  const isInstalled = settings.some(({ entries, plugin }) => entries.length > 0 || plugin);
  if (!mod || mod.lane === "hooks" || !isInstalled) return;
  if (mod.folder === undefined || mod.there === false) {
    const what =
      mod.folder === undefined
        ? "Claude Code does not know the folder of the mod"
        : `${mod.folder} does not exist`;
    yield found("mod-missing", what, `throughline install --lane ${mod.lane} --yes`);
  }
  if (mod.trouble !== undefined)
    yield found("mod-trouble", `the worker did not answer the mod, last: ${mod.trouble}`, RESTART);
}

function* inProject({ project }: Facts): Generator<Finding> {
  if (!project) return;
  const { file, trust, untrusted, notProject, problems } = project;
  if (untrusted.length > 0) {
    const isNever = trust === "linked" || trust === "foreign";
    const fix = isNever
      ? "set them in your own file: throughline config set KEY VALUE"
      : "throughline config trust";
    yield found("project-untrusted", `${file} is not trusted; ignored: ${untrusted.join(", ")}`, fix);
  }
  if (notProject.length > 0 || problems.length > 0) {
    const never = notProject.length > 0 && `a project cannot set ${notProject.join(", ")}`;
    const what = present([never, ...problems]).join("; ");
    yield found("project-ignored", `${file}: ${what}`, `remove it from ${file}`);
  }
}

function recovered({ folder, at, isDone, missing, problem }: NonNullable<Facts["damaged"]>): Finding {
  const rows =
    missing === undefined ? "the number of missing rows is not known" : `${missing} rows are missing`;
  const state = isDone ? rows : (problem ?? "its rows are being salvaged");
  const what = `the database was damaged (${at}) and set aside: ${state}`;
  return found("database-recovered", what, `see throughline status; then delete ${shellQuoted(folder)}`);
}

function* inStorage(facts: Facts): Generator<Finding> {
  const { home, spool, freeBytes, database, open, troubles } = facts;
  const folder = `${home.state}/spool`;
  if (!spool.writable)
    yield found("spool-unwritable", `${folder} is not writable`, `chmod u+rwx ${shellQuoted(folder)}`);
  if (spool.waiting >= BACKLOG_FILES || (spool.waiting > 0 && spool.oldestMinutes >= BACKLOG_MINUTES)) {
    const what = `${spool.waiting} events wait in the spool, the oldest for ${spool.oldestMinutes} minutes`;
    yield found("spool-backlog", what, "throughline worker start", startWorkerRepair);
  }
  if (spool.bad > 0) yield found("spool-bad", `${spool.bad} files were set aside`, `look into ${folder}/bad`);
  if (freeBytes !== undefined && freeBytes < LEAST_FREE_BYTES) {
    const left = Math.round(freeBytes / 1024 / 1024);
    yield found("disk-full", `${left} MB are free on the disk of ${home.data}`, "free space on that disk");
  }
  if (database.problem === "damaged") yield found("database-damaged", `${database.file} is damaged`, RESTART);
  if (typeof database.problem === "object")
    yield found("database-refused", database.problem.what, database.problem.fix);
  if (facts.damaged) yield recovered(facts.damaged);
  if (database.problem === "newer") {
    const fix = "npm install -g throughline@latest";
    yield found("database-newer", `${database.file} was written by a newer version`, fix);
  }
  if (open.length > 0) {
    const fix = "throughline doctor --fix";
    yield found("files-open", `others can read ${open.join(", ")}`, fix, { do: "close", paths: open });
  }
  if (troubles.count > 0) {
    const what = `hooks logged ${troubles.count} errors in the last day, last: ${troubles.last ?? ""}`;
    yield found("hook-troubles", what, `see ${home.state}/hook.log`);
  }
}

/** Failed work: events that were not written, failed jobs, a model that does not answer. */
function* inWork({ losses, jobs, provider, home }: Facts): Generator<Finding> {
  if (losses && losses.pending > 0) {
    const what = `hooks could not write ${losses.pending} events, the last at ${losses.lastAt ?? "an unknown time"}; their transcripts have not been read yet`;
    const fix = `free disk space and make ${home.state} writable, then throughline worker start`;
    yield found("events-lost", what, fix, startWorkerRepair);
  }
  if (jobs && jobs.dead > 0) {
    const why = jobs.lastError === undefined ? "" : `, the last because: ${jobs.lastError}`;
    yield found("jobs-given-up", `${jobs.dead} jobs failed${why}`, "throughline worker jobs --retry");
  }
  if (provider) yield found("provider-silent", provider.what, provider.fix);
}

function* inChecks({ failedChecks, config }: Facts): Generator<Finding> {
  if (config) yield found("config-invalid", config.what, config.fix);
  for (const { check, problem, fix } of failedChecks) {
    const way = fix ?? "fix what is named; otherwise report this line";
    yield found("check-failed", `${check} could not be checked: ${problem}`, way);
  }
}

const diagnoses: Readonly<Record<string, (facts: Facts) => Iterable<Finding>>> = {
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

/** All findings, problems first. Never throws: a check that throws is a finding itself. */
export function diagnose(facts: Facts): Finding[] {
  const all = Object.entries(diagnoses).flatMap(([name, part]) => {
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
