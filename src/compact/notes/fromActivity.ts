// Notes without a model: every section filled from what the messages themselves say.
import { type Activity, extractActivity } from "../../activity/index.ts";
import type { History } from "../../messages/index.ts";
import { defaultNotesBudget, type Fact, type NotesBudget, withFacts, withinBudget } from "./budget.ts";
import { clipText, codebaseFacts, fileFacts, oneLine, resultFacts, workFacts } from "./facts.ts";
import { makeNotes, type NoteSection, parseNotes, renderNotes } from "./template.ts";

interface ActivityUpdate {
  /** The page as it is now; empty when there is none yet. */
  readonly old: string;
  /** The conversation, or as much of its end as is at hand. Secrets are hidden already. */
  readonly history: History;
  /** Id of the message up to which the page has taken everything in. Unknown: nothing was. */
  readonly lastSummarizedId?: string | undefined;
  /** The session's title, when it has one. */
  readonly title?: string | undefined;
  readonly budget?: NotesBudget;
}

/** The page brought up to date. Earlier entries stay as far as there is room; Current State is always written anew. */
export function updateFromActivity(update: ActivityUpdate): string {
  const { old, history, lastSummarizedId, title, budget = defaultNotesBudget } = update;
  const before = parseNotes(old);
  const activity = extractActivity(history);
  const start = history.findIndex(({ id }) => id === lastSummarizedId) + 1;
  const facts = sectionFacts(history, activity);
  const notes = makeNotes((section) => {
    if (section === "Session Title") return notesTitle(title, before[section], activity);
    if (section === "Current State") return currentState(activity, before[section]);
    return withFacts(section, before[section], facts[section] ?? [], start);
  });
  return renderNotes(withinBudget(notes, budget));
}

function sectionFacts(history: History, activity: Activity): Partial<Record<NoteSection, Fact[]>> {
  return {
    "Task specification": taskFacts(activity),
    "Files and Functions": fileFacts(history, activity),
    Workflow: commandFacts(activity),
    "Errors & Corrections": errorFacts(activity),
    "Codebase and System Documentation": codebaseFacts(activity),
    Learnings: learningFacts(activity),
    "Key results": resultFacts(history),
    Worklog: workFacts(history, activity),
  };
}

const TITLE_WORDS = 10;
const TITLE_CHARACTERS = 80;

/** What the session was called last, what the page calls it, or how it began. */
function notesTitle(given: string | undefined, before: string, { inputs }: Activity) {
  if (given !== undefined && given.trim() !== "") return clipText(given, TITLE_CHARACTERS);
  if (before !== "") return before;
  const words = oneLine(inputs[0]?.text ?? "").split(" ");
  return clipText(words.slice(0, TITLE_WORDS).join(" "), TITLE_CHARACTERS);
}

const inTimeOrder = (facts: readonly Fact[]) => [...facts].sort((a, b) => a.at - b.at);

function taskFacts({ inputs, constraints, decisions, plan }: Activity) {
  const asked = inputs.map(({ at, text }) => ({ at, text: `- Asked: ${clipText(text, 500)}` }));
  // A sentence that stands in a request word for word needs no entry of its own.
  const isNew = (sentence: string) => !asked.some(({ text }) => text.includes(sentence));
  const rules = constraints.map(({ at, text }) => ({ at, sentence: oneLine(text), name: "Rule" }));
  const chosen = decisions
    .filter((saying) => saying.by === "user")
    .map(({ at, text }) => ({ at, sentence: oneLine(text), name: "Decided" }));
  const said = [...rules, ...chosen]
    .filter(({ sentence }) => isNew(sentence))
    .map(({ at, name, sentence }) => ({ at, text: `- ${name}: ${clipText(sentence, 300)}` }));
  const planned = plan
    ? [{ at: plan.at, key: "- Plan: ", text: `- Plan: ${clipText(plan.text, 1_500)}` }]
    : [];
  return inTimeOrder([...asked, ...said, ...planned]);
}

/** Looking around is no workflow. */
const looking = /^(?:cd|ls|cat|head|tail|grep|rg|find|sed -n|echo|pwd|wc|tree|which|file|stat)\b/;

function commandFacts({ commands }: Activity): Fact[] {
  return commands.flatMap(({ at, command, outcome, tells }) => {
    const line = oneLine(command).replace(/^cd [^&;]+(?:&&|;)\s*/, "");
    if (outcome === "open" || line === "" || looking.test(line)) return [];
    const key = `- \`${clipText(line, 160)}\`: `;
    return [{ at, key, text: `${key}${outcome}${tells === "" ? "" : `, ${clipText(tells, 140)}`}` }];
  });
}

/** How people begin when something was not what they meant. */
const correcting =
  /^(?:no\b|nope|not (?:like|what|that)|wrong|stop\b|wait\b|actually|that'?s not|you (?:forgot|missed|broke)|don'?t|undo|revert)|^(?:不对|不是|错了|别|不要|等等|等下|等一下|停|撤销)/i;

function errorFacts({ failures, inputs }: Activity) {
  const failed = failures.map(({ at, attempt, error, fixedBy }) => {
    const key = `- ${clipText(attempt, 140)} failed: ${clipText(error, 180)}; `;
    return {
      at,
      key,
      text: `${key}${fixedBy === undefined ? "not seen fixed" : `fixed: ${clipText(fixedBy, 200)}`}`,
    };
  });
  // The first words of a session correct nothing.
  const corrected = inputs
    .slice(1)
    .filter(({ text }) => correcting.test(text))
    .map(({ at, text }) => ({ at, text: `- The user corrected: ${clipText(text, 300)}` }));
  return inTimeOrder([...failed, ...corrected]);
}

function learningFacts({ decisions, failures }: Activity) {
  const decided = decisions
    .filter((saying) => saying.by === "assistant")
    .map(({ at, text }) => ({ at, text: `- Chosen: ${clipText(text, 240)}` }));
  const attempts = new Map<string, { readonly at: number; readonly count: number }>();
  for (const { at, attempt, fixedBy } of failures) {
    if (fixedBy === undefined) attempts.set(attempt, { at, count: (attempts.get(attempt)?.count ?? 0) + 1 });
  }
  const hopeless = [...attempts].flatMap(([attempt, { at, count }]) => {
    const key = `- Avoid: ${clipText(attempt, 140)} `;
    return count < 2 ? [] : [{ at, key, text: `${key}(failed ${count} times)` }];
  });
  return inTimeOrder([...decided, ...hopeless]);
}

const LAST_CHANGED = 5;
const TO_DO = 12;

function currentState(activity: Activity, before: string) {
  const { openRequest, todos, commands, files, failures, lastWords } = activity;
  const changed = files.filter(({ lastDeed }) => lastDeed !== "read").slice(-LAST_CHANGED);
  const doing = todos.filter(({ status }) => status === "in_progress");
  const waiting = todos.filter(({ status }) => status === "pending");
  const command = commands.at(-1);
  const open = failures.filter(({ fixedBy }) => fixedBy === undefined).at(-1);
  const asked = openRequest
    ? `- Asked${openRequest.answered ? " and answered" : ""}: ${clipText(openRequest.text, 700)}`
    : carried(before);
  const lines = [
    asked,
    ...doing.map(({ text }) => `- Doing: ${clipText(text, 200)}`),
    ...waiting.slice(0, TO_DO).map(({ text }) => `- To do: ${clipText(text, 160)}`),
    waiting.length > TO_DO ? `- To do: ${waiting.length - TO_DO} more` : "",
    changed.length > 0
      ? `- Changed last: ${changed.map(({ path }) => `\`${clipText(path, 200)}\``).join(", ")}`
      : "",
    command ? `- Last command: \`${clipText(command.command, 200)}\`, ${command.outcome}` : "",
    open ? `- Failed last, not seen fixed: ${clipText(open.attempt, 160)}: ${clipText(open.error, 200)}` : "",
    lastWords ? `- Said last: ${clipText(lastWords.text, 700)}` : "",
    `- Next: ${noteOfNextStep(doing[0]?.text, waiting[0]?.text, openRequest)}`,
  ];
  return lines.filter((line) => line !== "").join("\n");
}

/** The request of a turn that began before everything at hand. */
function carried(before: string) {
  return before.split("\n").find((line) => line.startsWith("- Asked")) ?? "";
}

function noteOfNextStep(
  doing: string | undefined,
  waiting: string | undefined,
  request: Activity["openRequest"],
) {
  const task = doing ?? waiting;
  if (task !== undefined) return clipText(task, 200);
  if (request?.answered) return "the request was answered; what comes next is the user's to say";
  return "go on with what was asked";
}
