// `throughline install`: our hooks in the settings of Claude Code, shown first and taken back by `uninstall`.
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
import { installRequest, shownPlan } from "../installation.ts";

function reportOn(prepared: PreparedInstall, more: object, lines: readonly string[]): Report {
  const { request, plan, state, notes, settings } = prepared;
  const data = {
    scope: request.scope,
    lane: "hooks",
    file: settings.file,
    state,
    changes: plan.changes,
    notes,
  };
  return { data: { ...data, ...more }, text: [...lines, ...notes.map((note) => `note: ${note}`)].join("\n") };
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
      options: ["auto", "hooks", "mods"],
      default: "auto",
      description: "how events reach us; auto takes the best there is",
    },
    "dry-run": { type: "boolean", description: "show what would change and change nothing" },
    yes: { type: "boolean", alias: "y", description: "go ahead without asking" },
  },
  examples: [
    { line: "throughline install", does: "shows the change to ~/.claude/settings.json and asks" },
    { line: "throughline install --scope local --yes", does: "for this folder only, without asking" },
    { line: "throughline install --dry-run", does: "looks and changes nothing" },
  ],
  async run({ args }) {
    if (args.lane === "mods") {
      throw new ThroughlineError("usage", "the lane mods is not available yet", {
        fix: "throughline install --lane hooks, which works with every version of Claude Code",
      });
    }
    const prepared = prepareInstall(installRequest(args.scope));
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
