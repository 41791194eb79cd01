// The state a session is in at the end of a conversation: plan mode, the plan in force, skills, tasks in the background.

import { defined, GrowingReaders } from "../lib/index.ts";
import { blocksOf, type History, type HistoryItem, isText } from "../messages/index.ts";
import { planOf, todosOf, writesLists } from "./tasks.ts";
import { callReaderOf, type ToolCall, textField } from "./toolCall.ts";

/** Instructions that were loaded into the conversation by name. */
export interface InvokedSkill {
  readonly name: string;
  /** Its instructions, where they are known. */
  readonly content?: string;
}

/** A task or agent that runs in the background. */
export interface RunningTask {
  readonly id: string;
  /** What it is about, in a few words. */
  readonly about: string;
}

export interface SessionState {
  /** The plan that is followed, or worked on in plan mode. One whose tasks are all done is not in force any more. */
  readonly plan?: string;
  readonly planMode: boolean;
  /** The one invoked last first. */
  readonly skills: readonly InvokedSkill[];
  /** Started in the background and not seen to end. */
  readonly tasks: readonly RunningTask[];
}

export function sessionState(history: History): SessionState {
  const { notes, calls } = stateReaders.of(history).current();
  const planMode = isPlanning(notes, calls);
  const plan = planInForce(calls, planMode);
  return {
    planMode,
    skills: skillsOf(notes, calls),
    tasks: runningTasks(notes, calls),
    ...defined({ plan }),
  };
}

/** What a client's own texts in a message say of the session's state. */
interface ClientNotes {
  /** Plan mode was said to be on or off; the last word of the message. */
  readonly planMode?: boolean;
  /** Instructions that were loaded, each with the folder of its skill. */
  readonly skills: readonly { readonly folder: string; readonly text: string }[];
  /** Tasks in the background that were reported to have ended. */
  readonly endedTasks: readonly string[];
}

/** Most messages have none. */
function readNotes({ message }: HistoryItem): ClientNotes | undefined {
  const texts = blocksOf(message).flatMap((block) => (isText(block) ? [block.text] : []));
  const endedTasks = texts.flatMap((text) => {
    if (!text.includes("<task-notification>") || !ended.test(text)) return [];
    return /<task-id>(.+?)<\/task-id>/.exec(text)?.[1] ?? [];
  });
  if (message.role === "assistant") return endedTasks.length === 0 ? undefined : { skills: [], endedTasks };
  const words = texts.flatMap((text) => planWord(text, message.role === "system") ?? []);
  const skills = texts.flatMap((text) => {
    const folder = skillOpening.exec(text)?.[1]?.trim();
    return folder === undefined ? [] : [{ folder, text }];
  });
  if (words.length + skills.length + endedTasks.length === 0) return undefined;
  return { skills, endedTasks, ...defined({ planMode: words.at(-1) }) };
}

function planWord(text: string, isSystem: boolean) {
  const said = isSystem ? text : [...text.matchAll(reminder)].map(([, inner]) => inner).join("\n");
  if (/\bPlan mode is (?:still )?active\b/.test(said)) return true;
  return /\bexited plan mode\b/i.test(said) ? false : undefined;
}

type NotesAt = readonly (ClientNotes & { readonly at: number })[];

/** Reads what tells of the state message by message: a history that grew is read from where it ended. */
class StateReader {
  items: History = [];
  readonly #notes: (ClientNotes & { readonly at: number })[] = [];
  /** How many calls at the beginning were answered; of these, those that tell. */
  #settled = 0;
  readonly #calls: ToolCall[] = [];
  #open: readonly ToolCall[] = [];

  read(history: History): void {
    for (let at = this.items.length; at < history.length; at++) {
      const notes = readNotes(history[at] as HistoryItem);
      if (notes) this.#notes.push({ ...notes, at });
    }
    const { calls } = callReaderOf(history);
    for (; this.#settled < calls.length && calls[this.#settled]?.outcome !== "open"; this.#settled++) {
      const call = calls[this.#settled] as ToolCall;
      if (tellsState(call)) this.#calls.push(call);
    }
    this.#open = calls.slice(this.#settled);
    this.items = history;
  }

  current() {
    return { notes: [...this.#notes], calls: [...this.#calls, ...this.#open] };
  }
}

const stateReaders = new GrowingReaders<HistoryItem, StateReader>(() => new StateReader());

function tellsState(call: ToolCall) {
  return (
    /^(?:EnterPlanMode|Skill)$/.test(call.name) ||
    writesLists(call) ||
    textField(call, ...taskFields) !== undefined ||
    startedBy(call) !== undefined
  );
}

const reminder = /<system-reminder>([\s\S]*?)<\/system-reminder>/g;

/** By the tools that turn it on and off, and by the client's own reminders: the latest word counts. */
function isPlanning(notes: NotesAt, calls: readonly ToolCall[]) {
  const words: { readonly at: number; readonly on: boolean }[] = [];
  for (const call of calls) {
    if (call.outcome !== "ok") continue;
    if (call.name === "EnterPlanMode") words.push({ at: call.at, on: true });
    if (call.name === "ExitPlanMode") words.push({ at: call.at, on: false });
  }
  for (const { at, planMode } of notes) if (planMode !== undefined) words.push({ at, on: planMode });
  return words.sort((a, b) => a.at - b.at).at(-1)?.on ?? false;
}

function planInForce(calls: readonly ToolCall[], planMode: boolean) {
  const plan = planOf(calls);
  if (!plan || !(plan.approved || planMode)) return undefined;
  const since = todosOf(calls.filter(({ at }) => at > plan.at));
  const isDone = since.length > 0 && since.every(({ status }) => status === "completed");
  return isDone ? undefined : plan.text;
}

const skillOpening = /^Base directory for this skill: (.+)/;

/** A plugin's skill is called by a longer name than that of its folder. */
const shortName = (name: string) => name.split(/[:/\\]/).at(-1) ?? name;

/** By calls of the tool, and by the instructions that a client loads when a person names a skill. */
function skillsOf(notes: NotesAt, calls: readonly ToolCall[]) {
  const found: (InvokedSkill & { readonly at: number })[] = [];
  for (const call of calls) {
    const name =
      call.name === "Skill" && call.outcome === "ok" ? textField(call, "skill", "command") : undefined;
    if (name !== undefined) found.push({ at: call.at, name });
  }
  for (const { at, skills } of notes)
    for (const { folder, text } of skills) found.push({ at, name: shortName(folder), content: text });
  const skills = new Map<string, InvokedSkill>();
  for (const { name, content } of found.sort((a, b) => a.at - b.at)) {
    const known = skills.get(shortName(name));
    const full = known && known.name.length > name.length ? known.name : name;
    const text = content ?? known?.content;
    skills.delete(shortName(name));
    skills.set(shortName(name), { name: full, ...defined({ content: text }) });
  }
  return [...skills.values()].reverse();
}

const started = /\bagentId: (\w[\w-]*)|\bin (?:the )?background with ID: (\w[\w-]*)/i;
const ended = /<status>(?:completed|failed|killed|stopped|cancelled)<\/status>/;

/** Fields of a call that name a task. */
const taskFields = ["task_id", "bash_id", "shell_id", "agentId"] as const;

function runningTasks(notes: NotesAt, calls: readonly ToolCall[]) {
  const running = new Map<string, RunningTask>();
  for (const call of calls) {
    if (call.outcome !== "ok") continue;
    const asked = textField(call, ...taskFields);
    if (asked !== undefined && saysEnded(call)) running.delete(asked);
    const id = startedBy(call);
    if (id !== undefined)
      running.set(id, { id, about: textField(call, "description", "command", "prompt") ?? call.name });
  }
  for (const { endedTasks } of notes) for (const id of endedTasks) running.delete(id);
  return [...running.values()];
}

const saysEnded = ({ name, output }: ToolCall) =>
  /^(?:KillShell|KillBash|TaskStop)$/.test(name) || ended.test(output);

/** The task that a call put into the background, asked to or by the client because it took long. */
function startedBy({ name, output }: ToolCall) {
  if (!/^(?:Task|Agent|Bash|PowerShell)$/.test(name)) return undefined;
  const isBackground = /background/i.test(output.slice(0, 1_000));
  return isBackground ? started.exec(output)?.slice(1).find(Boolean) : undefined;
}
