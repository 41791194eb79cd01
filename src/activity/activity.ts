// The one reader of sessions: what happened in a conversation, from its messages alone and without a model.
import { defined, firstCharacters } from "../lib/index.ts";
import {
  beginsTurn,
  type History,
  stoppingPoint,
  textOf,
  typedCommand,
  userWords,
} from "../messages/index.ts";
import { type Action, actionOf, errorLine } from "./actions.ts";
import { parseAgentSummary } from "./agentSummary.ts";
import type { SummedUp } from "./agentWords.ts";
import { isPureAcceptance } from "./choices.ts";
import { type Dialogue, dialogueOf } from "./exchanges.ts";
import { type Plan, planOf, type Todo, todosOf } from "./tasks.ts";
import { callsIn, exitCode, type FileAction, rowOf } from "./toolCall.ts";

/** A person's own words. */
interface UserInput {
  /** Index of the message that holds them, and its row. */
  readonly at: number;
  readonly row: string;
  readonly text: string;
}

/** Everything that was done with one file. */
export interface FileActivity {
  readonly path: string;
  readonly reads: number;
  readonly edits: number;
  /** Written as a whole: created, or replaced. */
  readonly writes: number;
  readonly lastAction: FileAction;
  /** Index of the message of the last action. */
  readonly lastAt: number;
}

/** A command that was run in a shell. */
interface CommandRun {
  readonly at: number;
  readonly command: string;
  readonly outcome: Action["outcome"];
  /** The line of its output that says most: an error, or the last one. */
  readonly tells: string;
}

/** A task given to a subagent, how it ended, and what it reported, in one line. */
interface Delegation {
  readonly at: number;
  readonly task: string;
  readonly outcome: Action["outcome"];
  readonly report: string;
}

export interface Activity extends Dialogue {
  /** All user inputs, oldest first. */
  readonly inputs: readonly UserInput[];
  /** Every tool call, oldest first. */
  readonly actions: readonly Action[];
  /** By last action, oldest first. */
  readonly files: readonly FileActivity[];
  readonly commands: readonly CommandRun[];
  /** The list as it stands at the end. */
  readonly todos: readonly Todo[];
  readonly plan?: Plan;
  readonly delegations: readonly Delegation[];
  /** The agent's newest summary of what was compacted. */
  readonly agentSummary?: SummedUp;
  /** The last command that was typed without any words and became a prompt. */
  readonly lastCommand?: UserInput;
  /** The last request, and how its turn ended; absent while it is worked on. */
  readonly lastRequest?: UserInput & { readonly ended?: TurnEnd };
}

/** The assistant spoke last, or the user stopped it. */
export type TurnEnd = "answered" | "stopped";

interface ReadOptions {
  /** The working folder: paths below it are written relative to it. */
  readonly folder?: string;
}

/** By history: a compaction reads the same one several times. */
const knownActivities = new WeakMap<History, { readonly length: number; readonly activity: Activity }>();

export function readActivity(history: History, { folder }: ReadOptions = {}): Activity {
  const known = folder === undefined ? knownActivities.get(history) : undefined;
  if (known?.length === history.length) return known.activity;
  const activity = activityOf(history, folder);
  if (folder === undefined) knownActivities.set(history, { length: history.length, activity });
  return activity;
}

function activityOf(history: History, folder: string | undefined): Activity {
  const calls = callsIn(history);
  const actions = calls.map((call) => actionOf(call, folder));
  const inputs = inputsIn(history);
  const plan = planOf(calls);
  const last = inputs.at(-1);
  const agentSummary = agentSummaryIn(history, inputs);
  const command = lastCommandIn(history);
  return {
    ...dialogueOf(history, calls),
    inputs,
    actions,
    files: filesOf(actions),
    commands: actions.flatMap(commandRun),
    todos: todosOf(calls),
    ...(plan && { plan }),
    delegations: actions.flatMap(delegation),
    ...(agentSummary && { agentSummary }),
    ...(command && { lastCommand: command }),
    ...(last && { lastRequest: { ...last, ...defined({ ended: endOfTurn(history, last.at) }) } }),
  };
}

function inputsIn(history: History): UserInput[] {
  return history.flatMap((item, at) => {
    const text = userWords(item);
    return text === "" ? [] : [{ at, row: rowOf(item, 0), text }];
  });
}

function lastCommandIn(history: History): UserInput | undefined {
  const at = history.findLastIndex((item) => typedCommand(item)?.args === "");
  const item = history[at];
  const command = item && typedCommand(item);
  return command && { at, row: rowOf(item, 0), text: `/${command.name}` };
}

function agentSummaryIn(history: History, inputs: readonly UserInput[]): SummedUp | undefined {
  const at = history.findLastIndex(({ compactSummary }) => compactSummary);
  const item = history[at];
  const parts = item && parseAgentSummary(textOf(item.message.content));
  if (!parts) return undefined;
  const isAsked = inputs.some((input) => input.at > at && !isPureAcceptance(input.text));
  const isEnded = endAt(history.slice(at + 1)) !== undefined;
  return { at, row: rowOf(item, 0), parts, isOvertaken: isAsked || isEnded };
}

function endAt(history: History): TurnEnd | undefined {
  const point = stoppingPoint(history);
  return point === "answered" || point === "stopped" ? point : undefined;
}

/** How the turn ended that a message began; a later command or notification begins another. */
function endOfTurn(history: History, at: number): TurnEnd | undefined {
  const next = history.findIndex((item, index) => index > at && beginsTurn(item));
  return endAt(next < 0 ? history.slice(at) : history.slice(at, next));
}

function filesOf(actions: readonly Action[]) {
  const files = new Map<string, FileActivity>();
  for (const { path, fileAction: action, outcome, at } of actions) {
    if (path === undefined || action === undefined || outcome === "failed" || outcome === "refused") continue;
    const known = files.get(path) ?? { path, reads: 0, edits: 0, writes: 0, lastAction: action, lastAt: 0 };
    files.delete(path);
    files.set(path, {
      ...known,
      reads: known.reads + Number(action === "read"),
      edits: known.edits + Number(action === "edited"),
      writes: known.writes + Number(action === "written"),
      lastAction: action,
      lastAt: at,
    });
  }
  return [...files.values()];
}

const LONGEST_LINE = 240;
const LONGEST_REPORT = 600;

const knownRuns = new WeakMap<Action, CommandRun[]>();

function commandRun(action: Action) {
  if (action.command === undefined) return [];
  const runs = knownRuns.get(action) ?? readRun(action, action.command);
  knownRuns.set(action, runs);
  return runs;
}

function readRun({ outcome, output, failed, at }: Action, command: string): CommandRun[] {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !exitCode.test(line));
  const tells = failed ? errorLine(output) : (lines.at(-1) ?? "");
  // A search that finds nothing ends with a code and did not fail; a pipe hides the code of a check that did.
  const ended = failed ? "failed" : outcome === "failed" ? "ok" : outcome;
  return [{ at, command, outcome: ended, tells: firstCharacters(tells, LONGEST_LINE) }];
}

/** Claude Code's words around a subagent's: whose they are, and how to go on talking to it. */
const frame = /^\[Subagent hand-back\].*$|^agentId: [\s\S]*/gm;

function delegation({ kind, query, outcome, output, at }: Action): Delegation[] {
  if (kind !== "delegate") return [];
  const report = output.replace(frame, "").replace(/\s+/g, " ").trim();
  return [{ at, task: query ?? "", outcome, report: firstCharacters(report, LONGEST_REPORT) }];
}
