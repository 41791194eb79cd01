// `throughline install`: our hooks in the settings of Claude Code, shown first and taken back by `uninstall`.
import { setSetting } from "../../config/index.ts";
import {
  carryOutInstall,
  hookTable,
  type PreparedInstall,
  prepareInstall,
  scopes,
} from "../../install/index.ts";
import { ThroughlineError } from "../../lib/index.ts";
import { defineCommand, type Report } from "../command.ts";
import { confirmed } from "../confirm.ts";
import { installRequest, type Lane, shownPlan } from "../installation.ts";
import { currentConfig, surroundings } from "../surroundings.ts";

const lanes: readonly Lane[] = ["auto", "hooks", "mods"];

function reportOn(prepared: PreparedInstall, more: object, lines: readonly string[]): Report {
  const { request, plan, state, notes, settings } = prepared;
  const data = {
    scope: request.scope,
    lane: request.modFolder === undefined ? "hooks" : "mods",
    file: settings.file,
    state,
    changes: plan.changes,
    notes,
  };
  return { data: { ...data, ...more }, text: [...lines, ...notes.map((note) => `note: ${note}`)].join("\n") };
}

const laneOf = (text: string | undefined): Lane | undefined => lanes.find((lane) => lane === text);

/** The choice is a setting like any other: it can be changed later without installing again. */
function chooseLane(lane: Lane | undefined): void {
  const { home, cwd } = surroundings();
  if (lane === undefined || lane === currentConfig().values.lane) return;
  setSetting({ home, cwd, scope: "user" }, "lane", lane);
}

const said: Readonly<Record<PreparedInstall["state"], string>> = {
  new: `installed: ${hookTable.length} hooks`,
  update: "brought up to date",
  current: "already installed",
};

export default defineCommand({
  args: {
    scope: {
      type: "enum",
      options: [...scopes],
      default: "user",
      description: "whose sessions: all of yours, everyone's in this folder, or yours in this folder",
    },
    lane: {
      type: "enum",
      options: [...lanes],
      description: "how events reach us: hooks, a mod inside Claude Code, or the mod where one works",
    },
    "dry-run": { type: "boolean", description: "show what would change and change nothing" },
    yes: { type: "boolean", alias: "y", description: "go ahead without asking" },
  },
  examples: [
    { line: "throughline install", does: "shows the change to ~/.claude/settings.json and asks" },
    { line: "throughline install --scope local --yes", does: "for this folder only, without asking" },
    { line: "throughline install --lane mods", does: "with the mod inside Claude Code, beside the hooks" },
    { line: "throughline install --dry-run", does: "looks and changes nothing" },
  ],
  async run({ args }) {
    const lane = laneOf(args.lane);
    if (lane !== undefined && lane !== "hooks" && args.scope !== "user") {
      throw new ThroughlineError(
        "usage",
        `Claude Code loads mods for the user alone, not for ${args.scope}`,
        {
          fix: `throughline install --lane ${lane}, without --scope`,
        },
      );
    }
    const prepared = prepareInstall(installRequest(args.scope, lane === undefined ? {} : { lane }));
    const { plan, settings, state } = prepared;
    const shown = shownPlan(settings.file, plan);
    if (args["dry-run"]) {
      const text = state === "current" ? `already installed in ${settings.file}` : shown;
      return reportOn(prepared, { dryRun: true }, [text]);
    }
    const question = {
      details: shown,
      question: `Change ${settings.file}?`,
      yes: args.yes === true,
      json: args.json === true,
    };
    const goOn = state === "current" || (await confirmed(question));
    if (!goOn) return reportOn(prepared, { installed: false }, ["nothing was changed"]);
    const { file, backup } = carryOutInstall(prepared, new Date());
    chooseLane(lane);
    return reportOn(prepared, { installed: true, ...(backup === undefined ? {} : { backup }) }, [
      ...(state === "current" || !args.yes ? [] : [shown]),
      `${said[state]} in ${file}`,
      ...(backup === undefined ? [] : [`backup: ${backup}`]),
      ...(state === "new"
        ? ["from the next session on everything is kept; `throughline doctor` checks it"]
        : []),
    ]);
  },
});
