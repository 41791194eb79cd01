// `throughline install` and `uninstall`: our entries in Claude Code's settings, shown before they are written and removed exactly.

import { existsSync, rmdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setSetting } from "../../config/index.ts";
import {
  type Home,
  languageOf,
  listSessions,
  runtimeFile,
  spendingFolder,
  vaultFolder,
  workerSocket,
} from "../../home/index.ts";
import {
  carryOutInstall,
  carryOutUninstall,
  commandsToPlace,
  hookTable,
  type PreparedInstall,
  placeCommands,
  placedCommands,
  pluginIsOn,
  prepareUninstall,
  purgeData,
  type Removal,
  readReceipt,
  removeCommands,
  type Scope,
  scopes,
} from "../../install/index.ts";
import { ask } from "../../ipc/index.ts";
import {
  defined,
  errorText,
  present,
  removeFile,
  systemErrorCode,
  ThroughlineError,
} from "../../lib/index.ts";
import {
  cleanSnapshots,
  excludesSnapshots,
  includeSnapshots,
  journalIn,
  listSnapshots,
  pages,
  projectsIn,
  provenanceOf,
  referenceIn,
  snapshotFolder,
} from "../../snapshot/index.ts";
import { openVault } from "../../vault/index.ts";
import { choice, defineCommand, flag, type Report } from "../command.ts";
import { confirmed } from "../confirm.ts";
import { type CommandContext, commandContext, ownConfig } from "../context.ts";
import {
  claudePlacesOf,
  installRequest,
  type Lane,
  pingWorker,
  prepareAll,
  shownPlan,
} from "../installation.ts";
import { isInteractive } from "../terminal.ts";
import { offerModelWording } from "../wordingOffer.ts";
import { adaptersFor, agentNames, CLAUDE_CODE, installIntoAll } from "./agents/installInto.ts";
import { keepInVault } from "./snapshot.ts";
import { offerStatusLine } from "./statusline/offer.ts";

const lanes: readonly Lane[] = ["auto", "hooks", "mods"];

/** Reports on the hooks and on our entry among the MCP servers; `backups` are in the same order. */
function reportOn(
  [hooks, server]: ReturnType<typeof prepareAll>,
  backups: readonly (string | undefined)[],
  more: object,
  lines: readonly (string | false)[],
) {
  const about = ({ plan, state, settings }: PreparedInstall, backup: string | undefined) =>
    defined({ file: settings.file, state, changes: plan.changes, backup });
  const notes = present([hooks, server]).flatMap((prepared) => prepared.notes);
  return {
    data: {
      scope: hooks.request.scope,
      lane: hooks.lane,
      ...about(hooks, backups[0]),
      notes,
      ...(server && { server: about(server, backups[1]) }),
      ...more,
    },
    text: [...lines, ...notes.map((note) => `note: ${note}`)],
  };
}

const isNewLane = (lane: Lane | undefined): lane is Lane =>
  lane !== undefined && lane !== ownConfig().values.lane;

/** Saves the choice as a setting, which can be changed later without installing again. */
function chooseLane(lane: Lane | undefined) {
  if (!isNewLane(lane)) return false;
  const { file } = setSetting({ ...commandContext(), scope: "user" }, "lane", lane);
  return `set: lane ${lane} in ${file}`;
}

const entries = ({ lane }: PreparedInstall) =>
  lane === "mcp" ? "the tools for the model" : `${hookTable.length} hooks`;

function outcomeText(prepared: PreparedInstall) {
  const { state, settings } = prepared;
  if (state === "current") return `already installed in ${settings.file}`;
  return state === "new"
    ? `installed: ${entries(prepared)} in ${settings.file}`
    : `updated in ${settings.file}`;
}

/** What `--dry-run` prints below the changes themselves. */
function wouldDo(changing: readonly PreparedInstall[], lane: Lane | undefined) {
  return [
    ...changing.map((prepared) => {
      const does = prepared.state === "new" ? "install" : "update";
      return `would ${does}: ${entries(prepared)} in ${prepared.settings.file}`;
    }),
    isNewLane(lane) && `would set: lane ${lane} in your own settings`,
    "nothing was changed; without --dry-run it asks first, and `throughline uninstall` reverts it",
  ];
}

const nextSteps = [
  "sessions are captured from the next one on; `throughline doctor` checks the installation",
  "`throughline import` adds your past sessions, `throughline open` shows what is stored",
];

const install = defineCommand({
  args: {
    agent: choice(
      agentNames,
      "the agent to install into; all: every one that is on this machine",
      CLAUDE_CODE,
    ),
    trust: flag("let the agent run the hooks without a review of its own (Codex asks for one)"),
    scope: choice(
      scopes,
      "which sessions: all of yours, everyone's in this folder, or yours in this folder",
      "user",
    ),
    lane: choice(
      lanes,
      "how events are captured: by hooks, by hooks and the mod inside Claude Code, or (auto) by the mod where it works; hooks unless set",
    ),
    statusline: flag(
      "also a status line: window, cost, prompt cache, last compaction; below your own if you have one",
    ),
    "dry-run": flag("show what would change, without changing it"),
    yes: flag("do not ask", { short: "y" }),
  },
  examples: {
    "throughline install": "show the change to ~/.claude/settings.json and ask",
    "throughline install --scope local --yes": "for this folder only, without asking",
    "throughline install --lane mods": "with the mod inside Claude Code beside the hooks",
    "throughline install --dry-run": "show the changes only",
    "throughline install --agent codex --trust": "into Codex CLI, whose hooks run at once",
  },
  async run({ args }): Promise<Report> {
    const adapters = adaptersFor(args.agent);
    if (args.agent !== CLAUDE_CODE && args.agent !== "all") return installIntoAll(adapters, args);
    const report = await installIntoClaude(args);
    if (args.agent !== "all") return report;
    const others = await installIntoAll(adapters, args);
    return { data: { ...report.data, agents: others.data }, text: [...report.text, ...others.text] };
  },
});

interface InstallArguments {
  readonly scope: Scope;
  readonly lane: Lane | undefined;
  readonly statusline?: boolean;
  readonly "dry-run": boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

async function installIntoClaude(args: InstallArguments) {
  const { lane } = args;
  if (lane !== undefined && lane !== "hooks" && args.scope !== "user") {
    throw new ThroughlineError(
      "usage",
      `Claude Code loads mods only for scope user, not for ${args.scope}`,
      `throughline install --lane ${lane}, without --scope`,
    );
  }
  const hasStatusLine = args.statusline === true;
  const all = prepareAll(installRequest(args.scope, { ...defined({ lane }), hasStatusLine }));
  const changing = all.filter(({ state }) => state !== "current");
  const shown = changing.map(({ settings, plan }) => shownPlan(settings.file, plan));
  const { configFolder } = claudePlacesOf(commandContext());
  const commands = args.scope === "user" ? commandsToPlace(configFolder).length : 0;
  if (commands > 0) shown.push(`${commands} slash commands below ${path.join(configFolder, "commands")}`);
  if (args["dry-run"]) {
    const look = [...shown, ...wouldDo(changing, lane)];
    return reportOn(all, [], { dryRun: true }, shown.length === 0 ? all.map(outcomeText) : look);
  }
  const question = {
    details: shown.join("\n"),
    question: `Change ${changing.map(({ settings }) => settings.file).join(" and ") || configFolder}?`,
    yes: args.yes,
    json: args.json,
  };
  const isConfirmed = shown.length === 0 || (await confirmed(question));
  if (!isConfirmed) return reportOn(all, [], { installed: false }, ["nothing was changed"]);
  const backups = all.map((prepared) => carryOutInstall(prepared, new Date()).backup);
  if (commands > 0) placeCommands(configFolder);
  const chosen = chooseLane(lane);
  const asks = !args.yes && !args.json && isInteractive();
  const lined =
    asks &&
    args.scope === "user" &&
    !hasStatusLine &&
    all[0].state === "new" &&
    (await offerStatusLine(lane));
  const worded = asks ? await offerModelWording() : [];
  return reportOn(all, backups, { installed: true }, [
    ...(args.yes ? shown : []),
    ...all.flatMap((prepared, at) => [
      outcomeText(prepared),
      backups[at] !== undefined && `backup: ${backups[at]}`,
    ]),
    commands > 0 && "slash commands: /recall, /remember, /throughline:status and others",
    pluginIsOn(claudePlacesOf(commandContext()), all[0].request.home) &&
      "the plugin is enabled too: it does nothing while these hooks are there",
    chosen,
    lined,
    ...worded,
    ...(all[0].state === "new" ? nextSteps : []),
  ]);
}

function hasTraces(project: string) {
  try {
    return (
      listSnapshots(project, undefined).length > 0 ||
      pages.some((page) => referenceIn(project, page) !== undefined) ||
      excludesSnapshots(project)
    );
  } catch {
    // A folder that cannot be read has nothing that could be cleaned up.
    return false;
  }
}

/** Projects with a snapshot, a reference to one, or the line that keeps them out of git. */
function projectsWithSnapshots(home: Home) {
  return projectsIn(listSessions(home).map(({ folder }) => journalIn(folder))).filter(hasTraces);
}

function removeIfEmpty(folder: string) {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(systemErrorCode(error) ?? "")) throw error;
  }
}

/** Removes the snapshots, one line per project; their bytes stay in the vault. A failure does not stop the others. */
async function cleanProjects(home: Home, projects: readonly string[]) {
  if (projects.length === 0) return [];
  const vault = openVault(vaultFolder(home));
  const language = languageOf("auto", process.env);
  const cleanOne = async (project: string) => {
    try {
      cleanSnapshots({
        project,
        language,
        ...(await provenanceOf(home, project)),
        keep: keepInVault(vault),
      });
      includeSnapshots(project);
      removeIfEmpty(snapshotFolder(project));
      return `cleaned up the snapshots in ${project}`;
    } catch (error) {
      return `the snapshots in ${project} could not be cleaned up: ${errorText(error)}`;
    }
  };
  return Promise.all(projects.map(cleanOne));
}

const STOPS_WITHIN_MS = 60_000;

/** Lets the worker finish and exit. False when it is still running. */
async function stopWorker(home: Home) {
  const socket = workerSocket(home);
  await ask(socket, "shutdown", { timeoutMs: STOPS_WITHIN_MS });
  const end = performance.now() + STOPS_WITHIN_MS;
  while (typeof (await pingWorker(socket)) === "object") {
    if (performance.now() > end) return false;
    await sleep(50);
  }
  return true;
}

/** Ours, and the transcripts that Claude Code keeps of model sessions. */
async function dataFolders({ home, env }: Pick<CommandContext, "home" | "env">) {
  const { sessionTranscripts } = await import("../../models/index.ts");
  return [home.config, home.data, home.state, ...sessionTranscripts(spendingFolder(home), env)];
}

function planText(removals: readonly Removal[], projects: readonly string[], purged: readonly string[]) {
  const files = removals
    .filter(({ plan }) => plan.after !== plan.before)
    .map(({ settings, plan, deletes }) => {
      const changes = shownPlan(settings.file, plan);
      return deletes ? `${changes}\nthe file has only our entries and is deleted` : changes;
    });
  const data = purged.map((folder) => `delete ${folder} and everything in it`);
  const snapshots = projects.map((project) => `clean up the snapshots in ${project}`);
  return [...files, ...snapshots, ...data].join("\n");
}

const outcomes = {
  restored: "was restored to its state before",
  deleted: "was deleted; it had only our entries",
  edited: "was edited: our entries were removed, your changes are kept",
  unchanged: "had none of our entries",
} as const;

const uninstall = defineCommand({
  args: {
    scope: choice([...scopes, "all"], "which installation to remove", "all"),
    agent: choice(agentNames, "remove it from this agent only", "all"),
    "purge-data": flag("also delete all stored data"),
    "dry-run": flag("show what would change, without changing it"),
    yes: flag("do not ask", { short: "y" }),
  },
  examples: {
    "throughline uninstall": "remove every installation, after asking; data is kept",
    "throughline uninstall --scope local --yes": "only the one of this folder",
    "throughline uninstall --purge-data": "delete the data too, after you type a word",
  },
  async run({ args }): Promise<Report> {
    const context = commandContext();
    const { home } = context;
    const claude = claudePlacesOf(context);
    const chosen: readonly Scope[] =
      args.scope === "all" ? scopes : scopes.filter((scope) => scope === args.scope);
    const agent = args.agent === "all" ? undefined : args.agent;
    const removals = prepareUninstall({ home, claude, scopes: chosen, ...defined({ agent }) });
    const deletedFolders = args["purge-data"] ? await dataFolders(context) : [];
    const { folders, installations } = readReceipt(home);
    const keepsRunning = installations.length > removals.filter(({ installation }) => installation).length;
    const keepRuntime = keepsRunning || pluginIsOn(claude, home);
    const projects = keepRuntime ? [] : projectsWithSnapshots(home);
    const commands = chosen.includes("user") ? placedCommands(claude.configFolder) : [];
    const shown = [planText(removals, projects, deletedFolders), ...commands.map((file) => `delete ${file}`)]
      .filter((text) => text !== "")
      .join("\n");
    const changes = removals.map(({ settings, plan }) => ({ file: settings.file, changes: plan.changes }));
    if (args["dry-run"])
      return {
        data: { dryRun: true, files: changes, projects, delete: deletedFolders },
        text: shown || "nothing to do",
      };
    if (removals.length + deletedFolders.length + projects.length + commands.length === 0) {
      return { data: { files: [], deleted: [] }, text: "nothing is installed" };
    }
    const { yes, json, "purge-data": isPurge } = args;
    const question = isPurge
      ? { question: "Uninstall, and delete all data permanently?", word: "delete" }
      : { question: "Uninstall?" };
    if (!(await confirmed({ details: shown, ...question, yes, json })))
      return { data: { files: [], deleted: [] }, text: "nothing was changed" };
    // Without this file hooks of open sessions do not start another worker.
    if (isPurge) removeFile(runtimeFile(home));
    const stopped = keepRuntime && deletedFolders.length === 0 ? true : await stopWorker(home);
    const cleaned = await cleanProjects(home, projects);
    // First: a folder that the installation made is deleted with the settings file in it, when nothing else is left there.
    if (commands.length > 0) removeCommands(claude.configFolder);
    const done = carryOutUninstall(home, removals, new Date(), { keepRuntime });
    if (isPurge)
      (await import("../../models/index.ts")).removeSessionTranscripts(spendingFolder(home), context.env);
    const deleted = isPurge ? purgeData(home, folders) : [];
    return {
      data: { files: done, projects, deleted, workerStopped: stopped },
      text: [
        ...done.map(({ file, outcome }) => `${file} ${outcomes[outcome]}`),
        ...done.map(({ backup }) => backup && `backup: ${backup}`),
        commands.length > 0 && `deleted ${commands.length} slash commands`,
        ...cleaned,
        ...deleted.map((folder) => `deleted ${folder}`),
        existsSync(home.data) && `the data stays in ${home.data}; --purge-data deletes it`,
        !stopped && "the worker did not exit in time; `throughline worker stop` tries again",
      ],
    };
  },
});

export default { install, uninstall };
