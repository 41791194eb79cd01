// `throughline install`: our hooks in the settings of Claude Code and our tools among its servers, shown first and taken back by `uninstall`.
import { setSetting } from "../../config/index.ts";
import { carryOutInstall, hookTable, type PreparedInstall, scopes } from "../../install/index.ts";
import { ThroughlineError } from "../../lib/index.ts";
import { defineCommand, type Report } from "../command.ts";
import { confirmed } from "../confirm.ts";
import { installRequest, type Lane, preparedFor, shownPlan } from "../installation.ts";
import { ownConfig, surroundings } from "../surroundings.ts";

const lanes: readonly Lane[] = ["auto", "hooks", "mods"];

interface Done {
  readonly prepared: PreparedInstall;
  readonly backup?: string | undefined;
}

const about = ({ prepared: { plan, state, settings }, backup }: Done): object => ({
  file: settings.file,
  state,
  changes: plan.changes,
  ...(backup === undefined ? {} : { backup }),
});

/** `server` is our entry among the MCP servers. */
function reportOn(
  [first, server]: readonly [Done, ...Done[]],
  more: object,
  lines: readonly string[],
): Report {
  const { request, lane } = first.prepared;
  const notes = [first, ...(server === undefined ? [] : [server])].flatMap(({ prepared }) => prepared.notes);
  const data = { scope: request.scope, lane, ...about(first), notes };
  return {
    data: { ...data, ...(server === undefined ? {} : { server: about(server) }), ...more },
    text: [...lines, ...notes.map((note) => `note: ${note}`)].join("\n"),
  };
}

const laneOf = (text: string | undefined): Lane | undefined => lanes.find((lane) => lane === text);

const isAnother = (lane: Lane | undefined): lane is Lane =>
  lane !== undefined && lane !== ownConfig().values.lane;

/** The choice is a setting like any other: it can be changed later without installing again. */
function chooseLane(lane: Lane | undefined): string[] {
  if (!isAnother(lane)) return [];
  const { home, cwd } = surroundings();
  const { file } = setSetting({ home, cwd, scope: "user" }, "lane", lane);
  return [`set: lane ${lane} in ${file}`];
}

const entries = ({ lane }: PreparedInstall): string =>
  lane === "mcp" ? "the tools for the model" : `${hookTable.length} hooks`;

function said(prepared: PreparedInstall): string {
  const { state, settings } = prepared;
  if (state === "current") return `already installed in ${settings.file}`;
  return state === "new"
    ? `installed: ${entries(prepared)} in ${settings.file}`
    : `brought up to date in ${settings.file}`;
}

/** What a look says below the change itself, which is long. */
function wouldDo(changing: readonly PreparedInstall[], lane: Lane | undefined): string[] {
  return [
    ...changing.map((prepared) => {
      const does = prepared.state === "new" ? "install" : "bring up to date";
      return `would ${does}: ${entries(prepared)} in ${prepared.settings.file}`;
    }),
    ...(isAnother(lane) ? [`would set: lane ${lane} among your own settings`] : []),
    "nothing was changed; without --dry-run it asks first, and `throughline uninstall` takes it back",
  ];
}

const nextSteps = [
  "from the next session on everything is kept; `throughline doctor` checks it",
  "`throughline import` brings in the sessions that you had before, `throughline open` shows what is kept",
];

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
      description:
        "how events reach us: hooks alone, the mod inside Claude Code as well, or (auto) the mod where it works; hooks unless set",
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
    const all = preparedFor(installRequest(args.scope, lane === undefined ? {} : { lane }));
    const planned = all.map((prepared) => ({ prepared })) as [Done, ...Done[]];
    const changing = all.filter(({ state }) => state !== "current");
    const shown = changing.map(({ settings, plan }) => shownPlan(settings.file, plan));
    if (args["dry-run"]) {
      const look = [...shown, ...wouldDo(changing, lane)];
      return reportOn(planned, { dryRun: true }, shown.length === 0 ? all.map(said) : look);
    }
    const question = {
      details: shown.join("\n"),
      question: `Change ${changing.map(({ settings }) => settings.file).join(" and ")}?`,
      yes: args.yes === true,
      json: args.json === true,
    };
    const goOn = changing.length === 0 || (await confirmed(question));
    if (!goOn) return reportOn(planned, { installed: false }, ["nothing was changed"]);
    const done = all.map((prepared) => ({
      prepared,
      backup: carryOutInstall(prepared, new Date()).backup,
    })) as [Done, ...Done[]];
    const chosen = chooseLane(lane);
    return reportOn(done, { installed: true }, [
      ...(args.yes ? shown : []),
      ...done.flatMap(({ prepared, backup }) => [
        said(prepared),
        ...(backup === undefined ? [] : [`backup: ${backup}`]),
      ]),
      ...chosen,
      ...(all[0].state === "new" ? nextSteps : []),
    ]);
  },
});
