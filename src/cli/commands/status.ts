// `throughline status`: what is installed, what runs and what waits, at one look.

import { workerSocket } from "../../home/index.ts";
import type { Facts } from "../../install/index.ts";
import { ask } from "../../ipc/index.ts";
import { isObject, type JsonObject, ownVersion } from "../../lib/index.ts";
import { type DamageSummary, damageSummaries } from "../../recovery/index.ts";
import { defineCommand } from "../command.ts";
import { factsHere, storeState } from "../installation.ts";
import { columns } from "../output.ts";
import { surroundings } from "../surroundings.ts";
import { counted, localMinute } from "../wording.ts";

/** What the worker says of itself; nothing when there is none. */
async function workerStatus(socket: string): Promise<JsonObject | undefined> {
  const reply = await ask(socket, "status", { timeoutMs: 2_000 });
  return typeof reply === "object" && reply.ok && isObject(reply.data) ? reply.data : undefined;
}

function size(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}

function queueText(queue: unknown): string {
  if (!isObject(queue)) return "empty";
  return `${queue.ready} ready, ${queue.leased} in work, ${queue.dead} given up`;
}

const databaseText = ({ bytes, file }: Facts["database"]): string =>
  bytes === 0 ? "none yet" : `${size(bytes)} in ${file}`;

/** What hooks cost the agent, as far as this worker has seen. */
function hooksText(times: unknown): string {
  if (!isObject(times)) return "not timed yet";
  return `half within ${times.p50} ms, 95 of 100 within ${times.p95} ms (the last ${times.count})`;
}

/** Which lane is chosen, and what the mod on it has done for this worker's sessions. */
function accountText(account: unknown): string {
  if (!isObject(account) || account.lastAt === null) return "the mod has not asked yet";
  const { events, results, compactions, saved } = account;
  const done = [
    counted(Number(events), "event"),
    counted(Number(results), "result"),
    counted(Number(compactions), "compaction"),
  ];
  return `${done.join(", ")}, about ${counted(Number(saved), "token")} saved`;
}

function laneText(mod: Facts["mod"], account: unknown): string {
  if (mod === undefined || mod.lane === "hooks") return "hooks";
  const about = [
    mod.lane,
    mod.folder === undefined ? "the mod is not installed" : accountText(account),
    ...(mod.trouble === undefined ? [] : [`at last without an answer: ${mod.trouble}`]),
  ];
  return about.join("; ");
}

/** Whether what happens in this folder is captured. */
function captureText({ paused, excludedFolder }: Facts, isInstalled: boolean): string {
  if (!isInstalled) return "off";
  if (paused) return "paused; `throughline resume` goes on";
  return excludedFolder === undefined ? "on" : `off in this folder: ${excludedFolder} is excluded`;
}

/** What of the project's file does not count here. */
function projectRows({ project }: Facts): string[][] {
  if (project === undefined) return [];
  const { file, untrusted, notProject, problems } = project;
  const said = [
    ...(untrusted.length > 0 ? [`not trusted, ignored: ${untrusted.join(", ")}`] : []),
    ...(notProject.length > 0 ? [`no project may set: ${notProject.join(", ")}`] : []),
    ...problems,
  ];
  return [["project file", `${file}: ${said.join("; ")}`]];
}

/** What could not be looked at, or not be used. */
function problemsOf({ failedChecks, config }: Facts): string[] {
  const failed = failedChecks.map(({ check, problem }) => `${check}: ${problem}`);
  return config === undefined ? failed : [...failed, config.what];
}

function installedText({ settings, plugin }: Facts): string {
  const where = [
    ...settings
      .filter(({ entries }) => entries.length > 0)
      .map(({ file, entries }) => `${entries.length} hooks in ${file}`),
    ...(plugin !== undefined && settings.some((one) => one.plugin) ? [`plugin ${plugin.version}`] : []),
  ];
  if (where.length > 0) return where.join(", ");
  const unreadable = settings.filter(({ problem }) => problem !== undefined).map(({ file }) => file);
  return unreadable.length > 0
    ? `unknown: ${unreadable.join(", ")} is not valid`
    : "nowhere; `throughline install` does it";
}

function workerText(running: JsonObject | undefined, isInstalled: boolean): string {
  if (running !== undefined)
    return `process ${running.pid}, version ${running.version}, http://127.0.0.1:${running.port}`;
  return isInstalled ? "not running; it starts with the next session" : "not running";
}

/** What hooks could not write, and what was read from transcripts instead. */
function lossRows(losses: Facts["losses"]): string[][] {
  if (losses === undefined || losses.lost + losses.refilled === 0) return [];
  const { lost, refilled, pending } = losses;
  const open = pending === 0 ? "" : `; ${counted(pending, "event")} still to be looked for`;
  return [
    ["lost", `${counted(lost, "event")} not written by hooks, ${refilled} read from transcripts${open}`],
  ];
}

const troublesText = ({ count }: Facts["troubles"]): string =>
  count === 0 ? "quiet" : `${counted(count, "complaint")} in the last day`;

const sum = (counts: DamageSummary["salvaged"]): number =>
  Object.values(counts).reduce((all, count) => all + count, 0);

/** What was held, salvaged, rebuilt and is missing of each damaged database that is kept. */
function damageText({ at, state, share, held, salvaged, rebuilt, missing, problem }: DamageSummary): string {
  const rows = [
    `held ${held === null ? "unknown" : sum(held).toLocaleString("en-US")}`,
    `salvaged ${sum(salvaged).toLocaleString("en-US")}`,
    `rebuilt ${sum(rebuilt).toLocaleString("en-US")}`,
    `missing ${missing === null ? "unknown" : sum(missing).toLocaleString("en-US")}`,
  ].join(", ");
  const progress = state === "done" ? "" : `; ${state}, ${Math.floor(share * 100)} % read`;
  return `${localMinute(at)}: ${rows}${progress}${problem === null ? "" : `; ${problem}`}`;
}

function damageRows(damaged: readonly DamageSummary[]): string[][] {
  return damaged.flatMap((one, index) => [
    [index === 0 ? "damaged" : "", damageText(one)],
    ...one.notes.map((note) => ["", `not read in whole: ${note}`]),
    ["", `kept in ${one.folder}; delete it when you do not need it`],
  ]);
}

export default defineCommand({
  args: {},
  examples: [
    { line: "throughline status", does: "at one look" },
    { line: "throughline status --json", does: "the same for a program" },
  ],
  async run() {
    const facts = await factsHere({ deep: false });
    const running = await workerStatus(workerSocket(surroundings().home));
    // A worker's word is the newest; one that has seen no event yet, or is not there, leaves it to the database.
    const readable = facts.worker === "absent" || running?.version === ownVersion;
    const stored =
      readable && running?.lastEventAt == null ? await storeState(facts.database.file) : undefined;
    const queue = running?.queue ?? stored?.queue;
    const lastEventAt = running?.lastEventAt ?? stored?.lastEventAt;
    const installed = facts.settings.filter(({ entries }) => entries.length > 0);
    const plugin = facts.settings.some((one) => one.plugin) ? facts.plugin : undefined;
    const damaged = damageSummaries(surroundings().home);
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
    };
    const isInstalled = installed.length > 0 || plugin !== undefined;
    const rows = [
      ["version", ownVersion],
      ["installed", installedText(facts)],
      ["capture", captureText(facts, isInstalled)],
      ...projectRows(facts),
      ["worker", workerText(running, isInstalled)],
      ["lane", laneText(facts.mod, running?.mods)],
      ["hooks", hooksText(running?.hooks)],
      ["spool", `${counted(facts.spool.waiting, "event")} waiting`],
      ...lossRows(facts.losses),
      ["queue", queueText(queue)],
      ["last event", lastEventAt == null ? "none yet" : localMinute(String(lastEventAt))],
      ["database", databaseText(facts.database)],
      ...damageRows(damaged),
      ["hook log", troublesText(facts.troubles)],
      ...data.problems.map((problem) => ["problem", problem]),
    ];
    return { data, text: columns(rows) };
  },
});
