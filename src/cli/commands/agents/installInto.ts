// The part of `throughline install` and `status` that is about agents other than Claude Code.
import { homedir } from "node:os";
import { type AgentAdapter, type AgentState, agents } from "../../../agents/index.ts";
import { carryOutInstall, type PreparedInstall, prepareEdit } from "../../../install/index.ts";
import { defined, present } from "../../../lib/index.ts";
import { confirmed } from "../../confirm.ts";
import { type CommandContext, commandContext } from "../../context.ts";
import { installRequest, shownPlan } from "../../installation.ts";
import { serverProgram } from "../../package.ts";
import { isInteractive } from "../../terminal.ts";

export const CLAUDE_CODE = "claude-code";

/** What `--agent` takes. */
export const agentNames = [CLAUDE_CODE, ...agents.map(({ name }) => name), "all"] as const;

const placeOf = ({ env }: Pick<CommandContext, "env">) => ({ env, homeFolder: env.HOME || homedir() });

/** The adapters that a name stands for: `all` for those whose agent is on this machine. */
export function adaptersFor(name: string | undefined): readonly AgentAdapter[] {
  const place = placeOf(commandContext());
  if (name === "all") return agents.filter((agent) => agent.state(place).isThere);
  return agents.filter((agent) => agent.name === name);
}

interface AgentArguments {
  readonly "dry-run": boolean;
  readonly trust: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

function preparedFor(adapter: AgentAdapter, trust: boolean): PreparedInstall[] {
  const context = commandContext();
  const { home, runtime, program, env } = installRequest("user");
  const request = {
    ...placeOf(context),
    ...{ home, runtime, program, trust, server: serverProgram(env) },
    ...defined({ homeVariable: env.THROUGHLINE_HOME }),
  };
  return adapter.edits(request).map((edit) => prepareEdit({ home, runtime }, edit));
}

const shownPlans = (prepared: readonly PreparedInstall[]) =>
  prepared
    .filter(({ state }) => state !== "current")
    .map(({ settings, plan }) => shownPlan(settings.file, plan));

/** Asks whether the agent may run the hooks without its own review; only a terminal or `--trust` says yes. */
async function isTrusted({ trust }: AgentAdapter, args: AgentArguments) {
  if (trust === undefined || args.trust) return args.trust;
  if (args.yes || args.json || !isInteractive()) return false;
  const { explanation: details, question } = trust;
  return confirmed({ details, question, yes: false, json: false, isOffByDefault: true });
}

const outcomeOf = ({ state, settings }: PreparedInstall) =>
  state === "current" ? `already installed in ${settings.file}` : `installed in ${settings.file}`;

function reportOf(
  { name, title }: AgentAdapter,
  prepared: readonly PreparedInstall[],
  more: object,
  text: readonly (string | false)[],
) {
  const files = prepared.map(({ settings, state, plan }) => ({
    ...{ file: settings.file, state, changes: plan.changes },
  }));
  const notes = prepared.flatMap((one) => one.notes);
  return {
    data: { agent: name, files, notes, ...more },
    text: present([...text.filter(Boolean), ...notes.map((note) => `note: ${note}`)]).map(
      (line) => `${title}: ${line}`,
    ),
  };
}

/** Installs into one agent: shows the changes, asks, asks for trust, and writes. */
async function installInto(adapter: AgentAdapter, args: AgentArguments) {
  const first = preparedFor(adapter, args.trust);
  const shown = shownPlans(first);
  if (args["dry-run"]) {
    const look = [...shown, "nothing was changed; without --dry-run it asks first"];
    return reportOf(adapter, first, { dryRun: true }, shown.length === 0 ? first.map(outcomeOf) : look);
  }
  const changing = first.filter(({ state }) => state !== "current");
  const files = changing.map(({ settings }) => settings.file).join(" and ");
  const question = {
    details: shown.join("\n"),
    question: `Change ${files}?`,
    yes: args.yes,
    json: args.json,
  };
  if (changing.length > 0 && !(await confirmed(question)))
    return reportOf(adapter, first, { installed: false }, ["nothing was changed"]);
  const trust = await isTrusted(adapter, args);
  const all = trust === args.trust ? first : preparedFor(adapter, trust);
  const backups = all.map((prepared) => carryOutInstall(prepared, new Date()).backup);
  const { hooks, trusted } = adapter.state(placeOf(commandContext()));
  return reportOf(adapter, all, { installed: true, hooks, trusted }, [
    ...all.map(outcomeOf),
    ...present(backups).map((file) => `backup: ${file}`),
    hooks > trusted && adapter.trust !== undefined && adapter.trust.byHand,
  ]);
}

/** One report for all of them. */
export async function installIntoAll(adapters: readonly AgentAdapter[], args: AgentArguments) {
  const reports = [];
  for (const adapter of adapters) reports.push(await installInto(adapter, args));
  return { data: reports.map(({ data }) => data), text: reports.flatMap(({ text }) => text) };
}

function stateText({ hooks, trusted, server, plugin, problem }: AgentState) {
  if (problem !== undefined) return problem;
  if (plugin) return server ? "plugin, tools" : "plugin";
  if (hooks === 0 && !server) return "not installed";
  const tools = server ? "tools" : "no tools";
  const waiting = hooks > trusted ? `; ${hooks - trusted} not trusted by the agent yet` : "";
  return `${hooks} hooks, ${tools}${waiting}`;
}

/** The agents that are on this machine or have our entries, with a row for each. */
export function agentStates() {
  const place = placeOf(commandContext());
  const states = agents
    .map((agent) => agent.state(place))
    .filter((one) => one.isThere || one.hooks > 0 || one.plugin);
  return { states, rows: states.map((one) => [one.name, stateText(one)]) };
}
