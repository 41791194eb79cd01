// `throughline uninstall`: exactly our entries out of the settings; data stays unless it is to go as well.
import { existsSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Home, runtimeFile, workerSocket } from "../../home/index.ts";
import {
  carryOutUninstall,
  pluginIsOn,
  prepareUninstall,
  purgeData,
  type Removal,
  readReceipt,
  type Scope,
  scopes,
} from "../../install/index.ts";
import { ask } from "../../ipc/index.ts";
import { defineCommand, type Report } from "../command.ts";
import { confirmed } from "../confirm.ts";
import { askForWorker, claudeHere, shownPlan } from "../installation.ts";
import { cleanProjects, projectsWithSnapshots } from "../projectSnapshots.ts";
import { surroundings } from "../surroundings.ts";

const STOPS_WITHIN_MS = 60_000;

/** Lets the worker finish and leave. False when it is still there. */
async function stopWorker(home: Home): Promise<boolean> {
  const socket = workerSocket(home);
  await ask(socket, "shutdown", { timeoutMs: STOPS_WITHIN_MS });
  const end = performance.now() + STOPS_WITHIN_MS;
  while (typeof (await askForWorker(socket)) === "object") {
    if (performance.now() > end) return false;
    await sleep(50);
  }
  return true;
}

function planText(
  removals: readonly Removal[],
  projects: readonly string[],
  purged: readonly string[],
): string {
  const files = removals
    .filter(({ plan }) => plan.after !== plan.before)
    .map(({ settings, plan, deletes }) =>
      deletes
        ? `${shownPlan(settings.file, plan)}\nthe file was ours alone and goes`
        : shownPlan(settings.file, plan),
    );
  const data = purged.map((folder) => `delete ${folder} and everything in it`);
  const snapshots = projects.map((project) => `clean up the snapshots in ${project}`);
  return [...files, ...snapshots, ...data].join("\n");
}

const outcomes = {
  restored: "is as it was before",
  deleted: "is gone; it was ours alone",
  edited: "has our entries no more; what you changed is kept",
  unchanged: "had nothing of ours any more",
} as const;

export default defineCommand({
  args: {
    scope: {
      type: "enum",
      options: [...scopes, "all"],
      default: "all",
      description: "which installation to take back",
    },
    "purge-data": { type: "boolean", description: "also delete everything that was ever kept" },
    "dry-run": { type: "boolean", description: "show what would change and change nothing" },
    yes: { type: "boolean", alias: "y", description: "go ahead without asking" },
  },
  examples: [
    { line: "throughline uninstall", does: "takes every installation back, after asking; data stays" },
    { line: "throughline uninstall --scope local --yes", does: "only that of this folder" },
    { line: "throughline uninstall --purge-data", does: "data goes too, after a word is typed" },
  ],
  async run({ args }): Promise<Report> {
    const around = surroundings();
    const { home } = around;
    const claude = claudeHere(around);
    const chosen: readonly Scope[] =
      args.scope === "all" ? scopes : scopes.filter((scope) => scope === args.scope);
    const removals = prepareUninstall({ home, claude, scopes: chosen });
    const doomed = args["purge-data"] ? [home.config, home.data, home.state] : [];
    const { folders, installations } = readReceipt(home);
    const keepsRunning = installations.length > removals.filter(({ installation }) => installation).length;
    const keepRuntime = keepsRunning || pluginIsOn(claude, home);
    const projects = keepRuntime ? [] : projectsWithSnapshots(home);
    const shown = planText(removals, projects, doomed);
    const changes = removals.map(({ settings, plan }) => ({ file: settings.file, changes: plan.changes }));
    if (args["dry-run"])
      return {
        data: { dryRun: true, files: changes, projects, delete: doomed },
        text: shown || "nothing to do",
      };
    if (removals.length + doomed.length + projects.length === 0) {
      return { data: { files: [], deleted: [] }, text: "nothing of ours is installed" };
    }
    const word = args["purge-data"] ? { word: "delete" } : {};
    const question = args["purge-data"] ? "Uninstall, and delete all data for good?" : "Uninstall?";
    if (
      !(await confirmed({
        details: shown,
        question,
        yes: args.yes === true,
        json: args.json === true,
        ...word,
      }))
    ) {
      return { data: { files: [], deleted: [] }, text: "nothing was changed" };
    }
    // With it hooks of open sessions would start a worker again behind the one that leaves.
    if (args["purge-data"]) rmSync(runtimeFile(home), { force: true });
    const stopped = keepRuntime && doomed.length === 0 ? true : await stopWorker(home);
    const cleaned = await cleanProjects(home, projects);
    const done = carryOutUninstall(home, removals, new Date(), { keepRuntime });
    const deleted = args["purge-data"] ? purgeData(home, folders) : [];
    return {
      data: { files: done, projects, deleted, workerStopped: stopped },
      text: [
        ...done.map(({ file, outcome }) => `${file} ${outcomes[outcome]}`),
        ...done.flatMap(({ backup }) => (backup === undefined ? [] : [`backup: ${backup}`])),
        ...cleaned,
        ...deleted.map((folder) => `deleted ${folder}`),
        ...(existsSync(home.data) ? [`what was kept stays in ${home.data}; --purge-data deletes it`] : []),
        ...(stopped ? [] : ["the worker did not leave in time; `throughline worker stop` tries again"]),
      ].join("\n"),
    };
  },
});
