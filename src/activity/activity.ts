// The one reader of sessions: what happened in a conversation, from its messages alone and without a model.
import { defined, firstCharacters, GrowingReaders, singleLine } from "../lib/index.ts";
import {
  beginsTurn,
  type History,
  type HistoryItem,
  stoppingPoint,
  textOf,
  typedCommand,
  userWords,
} from "../messages/index.ts";
import { type Action, actionOf, errorLine } from "./actions.ts";
import { parseAgentSummary } from "./agentSummary.ts";
import type { SummedUp } from "./agentWords.ts";
import { isPureAcceptance } from "./choices.ts";
import { type Dialogue, dialogueOf, followDialogue } from "./exchanges.ts";
import { type Plan, planOf, type Todo, todosOf, writesLists } from "./tasks.ts";
import { callReaderOf, exitCode, type FileAction, rowOf, type ToolCall } from "./toolCall.ts";

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
  /** A command that only looks and ends with a code found nothing, something else, or failed: the code is told. */
  readonly outcome: Action["outcome"] | `exit ${number}`;
  /** The line of its output that says most: an error, or the last one. */
  readonly tells: string;
}

/** A task given to a subagent, how it ended, and what it reported, in one line. */
interface Delegation {
  readonly at: number;
  readonly task: string;
  /** Started: it runs in the background, and what came of it is not told here. */
  readonly outcome: Action["outcome"] | "started";
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
  const done = folder === undefined ? actionReaders.of(history) : new ActionReader(folder);
  done.read(history);
  const { inputs: read, command, summaryAt } = inputReaders.of(history);
  const inputs = [...read];
  const { listing, ...doings } = done.current();
  const plan = planOf(listing);
  const last = inputs.at(-1);
  const agentSummary = agentSummaryAt(summaryAt, history, inputs);
  return {
    ...dialogueOf(history),
    inputs,
    ...doings,
    todos: todosOf(listing),
    ...(plan && { plan }),
    ...(agentSummary && { agentSummary }),
    ...(command && { lastCommand: command }),
    ...(last && { lastRequest: { ...last, ...defined({ ended: endOfTurn(history, last.at) }) } }),
  };
}

/** What was done, but for who said it. */
type Doings = Pick<Activity, "actions" | "files" | "commands" | "delegations">;

/**
 * Reads actions call by call. A call is read again when it was open before; what was made of the calls before the first open
 * one is kept.
 */
class ActionReader {
  items: History = [];
  readonly #actions: Action[] = [];
  readonly #calls: ToolCall[] = [];
  readonly #folder: string | undefined;
  /** How many calls at the beginning were answered, and what came of them. */
  #settled = 0;
  readonly #files = new Map<string, FileActivity>();
  readonly #commands: CommandRun[] = [];
  readonly #delegations: Delegation[] = [];
  readonly #listing: ToolCall[] = [];

  constructor(folder?: string) {
    this.#folder = folder;
  }

  read(history: History): void {
    if (history === this.items) return;
    const { calls } = callReaderOf(history);
    for (let at = this.#settled; at < calls.length; at++) {
      const call = calls[at] as ToolCall;
      if (this.#calls[at] === call) continue;
      this.#calls[at] = call;
      this.#actions[at] = actionOf(call, this.#folder);
    }
    for (; this.#settled < calls.length && this.#calls[this.#settled]?.outcome !== "open"; this.#settled++) {
      const action = this.#actions[this.#settled] as Action;
      const call = this.#calls[this.#settled] as ToolCall;
      addFile(this.#files, action);
      this.#commands.push(...commandRun(action));
      this.#delegations.push(...delegation(action));
      if (writesLists(call)) this.#listing.push(call);
    }
    this.items = history;
  }

  current(): Doings & { readonly listing: readonly ToolCall[] } {
    const open = this.#actions.slice(this.#settled);
    const files = new Map(this.#files);
    for (const action of open) addFile(files, action);
    return {
      actions: [...this.#actions],
      files: [...files.values()],
      commands: [...this.#commands, ...open.flatMap(commandRun)],
      delegations: [...this.#delegations, ...open.flatMap(delegation)],
      listing: [...this.#listing, ...this.#calls.slice(this.#settled).filter(writesLists)],
    };
  }
}

const actionReaders = new GrowingReaders<HistoryItem, ActionReader>(() => new ActionReader());

/** Reads a person's words message by message: a history that grew is read from where it ended. */
class InputReader {
  items: History = [];
  readonly inputs: UserInput[] = [];
  /** The last command that was typed without arguments. */
  command: UserInput | undefined;
  /** Index of the agent's newest summary, -1 without one. */
  summaryAt = -1;

  read(history: History): void {
    for (let at = this.items.length; at < history.length; at++) {
      const item = history[at] as HistoryItem;
      const text = userWords(item);
      if (text !== "") this.inputs.push({ at, row: rowOf(item, 0), text });
      const command = typedCommand(item);
      if (item.compactSummary) this.summaryAt = at;
      if (command?.args === "") this.command = { at, row: rowOf(item, 0), text: `/${command.name}` };
    }
    this.items = history;
  }
}

const inputReaders = new GrowingReaders<HistoryItem, InputReader>(() => new InputReader());

/** All user inputs, oldest first. */
export const inputsIn = (history: History): readonly UserInput[] => [...inputReaders.of(history).inputs];

/** Reads what was added to a conversation since it was last read: the next reader finds it read. */
export function followActivity(history: History): void {
  actionReaders.of(history);
  inputReaders.of(history);
  followDialogue(history);
}

function agentSummaryAt(at: number, history: History, inputs: readonly UserInput[]): SummedUp | undefined {
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
  const turn = history.slice(at);
  const next = turn.findIndex((item, index) => index > 0 && beginsTurn(item));
  return endAt(next < 0 ? turn : turn.slice(0, next));
}

/** Files stand in the order of their last actions. */
function addFile(files: Map<string, FileActivity>, { path, fileAction: action, outcome, at }: Action) {
  if (path === undefined || action === undefined || outcome === "failed" || outcome === "refused") return;
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

const LONGEST_LINE = 240;
const LONGEST_REPORT = 600;

function commandRun(action: Action) {
  return action.command === undefined ? [] : readRun(action, action.command);
}

function readRun({ outcome, output, failed, at }: Action, command: string): CommandRun[] {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !exitCode.test(line));
  const tells = failed ? errorLine(output) : (lines.at(-1) ?? "");
  // A search that finds nothing ends with a code and did not fail; a pipe hides the code of a check that did.
  const code = Number(exitCode.exec(output)?.[1] ?? 1);
  const looked = code === 1 && lines.length === 0 ? "ok" : (`exit ${code}` as const);
  const ended = failed ? "failed" : outcome === "failed" ? looked : outcome;
  return [{ at, command, outcome: ended, tells: firstCharacters(tells, LONGEST_LINE) }];
}

/** Claude Code's words around a subagent's: whose they are, and how to go on talking to it. */
const frame = /^\[Subagent hand-back\].*$|^agentId: [\s\S]*/gm;
/** Claude Code's answer to a task that it put into the background. */
const launched = /^Async agent launched\b/;

function delegation({ kind, query, outcome, output, at }: Action): Delegation[] {
  if (kind !== "delegate") return [];
  if (outcome === "ok" && launched.test(output))
    return [{ at, task: query ?? "", outcome: "started", report: "" }];
  const report = singleLine(output.replace(frame, ""));
  return [{ at, task: query ?? "", outcome, report: firstCharacters(report, LONGEST_REPORT) }];
}
