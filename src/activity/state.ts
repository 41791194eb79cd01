// The state a session is in at the end of a conversation: plan mode, the plan in force, skills, tasks in the background.

import { defined } from "../lib/index.ts";
import { blocksOf, type History, type HistoryItem, isText } from "../messages/index.ts";
import { planOf, todosOf } from "./tasks.ts";
import { callsIn, type ToolCall, textField } from "./toolCall.ts";

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
  const calls = callsIn(history);
  const notes = notesOf(history);
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

const knownNotes = new WeakMap<HistoryItem, ClientNotes | "none">();

/** Read from a message once. Most messages have none. */
function notesIn(item: HistoryItem): ClientNotes | undefined {
  let known = knownNotes.get(item);
  if (known === undefined) {
    known = readNotes(item);
    knownNotes.set(item, known);
  }
  return known === "none" ? undefined : known;
}

function readNotes({ message }: HistoryItem): ClientNotes | "none" {
  const texts = blocksOf(message).flatMap((block) => (isText(block) ? [block.text] : []));
  const endedTasks = texts.flatMap((text) => {
    if (!text.includes("<task-notification>") || !ended.test(text)) return [];
    return /<task-id>(.+?)<\/task-id>/.exec(text)?.[1] ?? [];
  });
  if (message.role === "assistant") return endedTasks.length === 0 ? "none" : { skills: [], endedTasks };
  const words = texts.flatMap((text) => planWord(text, message.role === "system") ?? []);
  const skills = texts.flatMap((text) => {
    const folder = skillOpening.exec(text)?.[1]?.trim();
    return folder === undefined ? [] : [{ folder, text }];
  });
  if (words.length + skills.length + endedTasks.length === 0) return "none";
  return { skills, endedTasks, ...defined({ planMode: words.at(-1) }) };
}

function planWord(text: string, isSystem: boolean) {
  const said = isSystem ? text : [...text.matchAll(reminder)].map(([, inner]) => inner).join("\n");
  if (/\bPlan mode is (?:still )?active\b/.test(said)) return true;
  return /\bexited plan mode\b/i.test(said) ? false : undefined;
}

type NotesAt = readonly (ClientNotes & { readonly at: number })[];

function notesOf(history: History): NotesAt {
  return history.flatMap((item, at) => {
    const notes = notesIn(item);
    return notes ? [{ ...notes, at }] : [];
  });
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

function runningTasks(notes: NotesAt, calls: readonly ToolCall[]) {
  const running = new Map<string, RunningTask>();
  for (const call of calls) {
    if (call.outcome !== "ok") continue;
    const asked = textField(call, "task_id", "bash_id", "shell_id", "agentId");
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

/** Empty for calls that started none. */
const knownStarts = new WeakMap<ToolCall, string>();

/** The task that a call put into the background, asked to or by the client because it took long; read once. */
function startedBy(call: ToolCall) {
  const { name, output } = call;
  if (!/^(?:Task|Agent|Bash|PowerShell)$/.test(name)) return undefined;
  let known = knownStarts.get(call);
  if (known === undefined) {
    const isBackground = /background/i.test(output.slice(0, 1_000));
    known = (isBackground ? started.exec(output)?.slice(1).find(Boolean) : undefined) ?? "";
    knownStarts.set(call, known);
  }
  return known === "" ? undefined : known;
}
