// `throughline status`, and `pause` and `resume` of the capture.
import { pause, resume, workerSocket } from "../../home/index.ts";
import type { Facts } from "../../install/index.ts";
import { ask } from "../../ipc/index.ts";
import { isObject, type JsonObject, ownVersion, present } from "../../lib/index.ts";
import { type DamageSummary, damageSummaries } from "../../recovery/index.ts";
import { defineCommand } from "../command.ts";
import { commandContext } from "../context.ts";
import { installationFacts, storeState } from "../installation.ts";
import { columns, counted, formatNumber, localMinute, sumOf } from "../output.ts";
import { agentStates } from "./agents/installInto.ts";

/** The worker's own status; undefined when there is none. */
async function workerStatus(socket: string) {
  const reply = await ask(socket, "status", { timeoutMs: 2_000 });
  return typeof reply === "object" && reply.ok && isObject(reply.data) ? reply.data : undefined;
}

function size(bytes: number) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}

function queueText(queue: unknown) {
  if (!isObject(queue)) return "empty";
  return `${queue.ready} ready, ${queue.leased} running, ${queue.dead} failed`;
}

const databaseText = ({ bytes, file }: Facts["database"]) =>
  bytes === 0 ? "none yet" : `${size(bytes)} in ${file}`;

/** The time that hooks took, as measured by this worker. */
function hooksText(times: unknown) {
  if (!isObject(times)) return "not timed yet";
  return `p50 ${times.p50} ms, p95 ${times.p95} ms (last ${times.count})`;
}

/** What the mod has done in this worker's sessions. */
function accountText(account: unknown) {
  if (!isObject(account) || account.lastAt === null) return "no request from the mod yet";
  const count = (field: string, one: string) => counted(Number(account[field]), one);
  const done = [count("events", "event"), count("results", "result"), count("compactions", "compaction")];
  return `${done.join(", ")}, about ${count("saved", "token")} saved`;
}

function laneText(mod: Facts["mod"], account: unknown) {
  if (!mod || mod.lane === "hooks") return "hooks";
  return present([
    mod.lane,
    mod.folder === undefined ? "the mod is not installed" : accountText(account),
    mod.trouble && `last failure: ${mod.trouble}`,
  ]).join("; ");
}

/** Whether this folder is captured. */
function captureText({ paused, excludedFolder }: Facts, isInstalled: boolean) {
  if (!isInstalled) return "off";
  if (paused) return "paused; `throughline resume` continues";
  return excludedFolder === undefined ? "on" : `off in this folder: ${excludedFolder} is excluded`;
}

/** Values of the project's file that are ignored. */
function projectRow({ project }: Facts) {
  if (!project) return undefined;
  const { file, untrusted, notProject, problems } = project;
  const said = present([
    untrusted.length > 0 && `not trusted, ignored: ${untrusted.join(", ")}`,
    notProject.length > 0 && `a project cannot set: ${notProject.join(", ")}`,
    ...problems,
  ]);
  return ["project file", `${file}: ${said.join("; ")}`];
}

/** Failed checks, and a broken configuration. */
const problemsOf = ({ failedChecks, config }: Facts) =>
  present([...failedChecks.map(({ check, problem }) => `${check}: ${problem}`), config?.what]);

function installedText({ settings, plugin }: Facts) {
  const where = present([
    ...settings.map(({ file, entries }) => entries.length > 0 && `${entries.length} hooks in ${file}`),
    settings.some((one) => one.plugin) && plugin && `plugin ${plugin.version}`,
  ]);
  if (where.length > 0) return where.join(", ");
  const unreadable = settings.filter(({ problem }) => problem !== undefined).map(({ file }) => file);
  return unreadable.length > 0
    ? `unknown: ${unreadable.join(", ")} is not valid`
    : "no; run `throughline install`";
}

function workerText(running: JsonObject | undefined, isInstalled: boolean) {
  if (running) return `process ${running.pid}, version ${running.version}, http://127.0.0.1:${running.port}`;
  return isInstalled ? "not running; it starts with the next session" : "not running";
}

/** Events that hooks could not write, and how many were recovered from transcripts. */
function lossRow(losses: Facts["losses"]) {
  if (!losses || losses.lost + losses.refilled === 0) return undefined;
  const { lost, refilled, pending } = losses;
  const open = pending === 0 ? "" : `; ${counted(pending, "event")} still to be recovered`;
  return [
    "lost",
    `${counted(lost, "event")} not written by hooks, ${refilled} recovered from transcripts${open}`,
  ];
}

const troublesText = ({ count }: Facts["troubles"]) =>
  count === 0 ? "no errors" : `${counted(count, "error")} in the last day`;

/** Rows of a damaged database: how many it had, were salvaged, were rebuilt and are missing. */
function damageText({ at, state, share, held, salvaged, rebuilt, missing, problem }: DamageSummary) {
  const rows = Object.entries({ had: held, salvaged, rebuilt, missing })
    .map(([name, counts]) => `${name} ${counts === null ? "unknown" : formatNumber(sumOf(counts))}`)
    .join(", ");
  const progress = state === "done" ? "" : `; ${state}, ${Math.floor(share * 100)} % read`;
  return `${localMinute(at)}: ${rows}${progress}${problem === null ? "" : `; ${problem}`}`;
}

function damageRows(damaged: readonly DamageSummary[]) {
  return damaged.flatMap((one, index) => [
    [index === 0 ? "damaged" : "", damageText(one)],
    ...one.notes.map((note) => ["", `not read completely: ${note}`]),
    ["", `kept in ${one.folder}; delete it when you no longer need it`],
  ]);
}

const status = defineCommand({
  examples: { "throughline status": "an overview", "throughline status --json": "the same, for a program" },
  async run() {
    const facts = await installationFacts({ deep: false });
    const running = await workerStatus(workerSocket(commandContext().home));
    // The worker is the most recent source; the database is read when it has seen no event yet or is not running.
    const readable = facts.worker === "absent" || running?.version === ownVersion;
    const stored =
      readable && running?.lastEventAt == null ? await storeState(facts.database.file) : undefined;
    const queue = running?.queue ?? stored?.queue;
    const lastEventAt = running?.lastEventAt ?? stored?.lastEventAt;
    const installed = facts.settings.filter(({ entries }) => entries.length > 0);
    const plugin = facts.settings.some((one) => one.plugin) ? facts.plugin : undefined;
    const damaged = damageSummaries(commandContext().home);
    const agents = agentStates();
    const data = {
      version: ownVersion,
      installed: installed.map(({ scope, file, entries }) => ({ scope, file, hooks: entries.length })),
      plugin: plugin ?? null,
      mod: facts.mod ?? null,
      paused: facts.paused,
      excluded: facts.excludedFolder !== undefined,
      losses: facts.losses ?? null,
      problems: problemsOf(facts),
      worker: running ?? null,
      queue: queue ?? null,
      lastEventAt: lastEventAt ?? null,
      spool: facts.spool,
      database: facts.database,
      damaged,
      troubles: facts.troubles,
      project: facts.project ?? null,
      agents: agents.states,
    };
    const isInstalled = installed.length > 0 || plugin !== undefined;
    const rows = present([
      ["version", ownVersion],
      ["installed", installedText(facts)],
      ...agents.rows,
      ["capture", captureText(facts, isInstalled)],
      projectRow(facts),
      ["worker", workerText(running, isInstalled)],
      ["lane", laneText(facts.mod, running?.mods)],
      ["hooks", hooksText(running?.hooks)],
      ["spool", `${counted(facts.spool.waiting, "event")} waiting`],
      lossRow(facts.losses),
      ["queue", queueText(queue)],
      ["last event", lastEventAt == null ? "none yet" : localMinute(String(lastEventAt))],
      ["database", databaseText(facts.database)],
      ...damageRows(damaged),
      ["hook log", troublesText(facts.troubles)],
      ...data.problems.map((problem) => ["problem", problem]),
    ]);
    return { data, text: columns(rows) };
  },
});

const pauseCommand = defineCommand({
  examples: { "throughline pause": "capture nothing until `throughline resume`" },
  run() {
    const { changed, since } = pause(commandContext().home);
    const text = changed
      ? "paused; `throughline resume` continues"
      : `already paused since ${localMinute(since)}`;
    return { data: { paused: true, changed, since }, text };
  },
});

const resumeCommand = defineCommand({
  examples: { "throughline resume": "capture from now on; the pause stays unrecorded" },
  run() {
    const { changed, since } = resume(commandContext().home);
    const text = changed
      ? `capture resumed; it was paused since ${localMinute(since ?? "")}`
      : "capture was not paused";
    return { data: { paused: false, changed, since: since ?? null }, text };
  },
});

export default { status, pause: pauseCommand, resume: resumeCommand };
