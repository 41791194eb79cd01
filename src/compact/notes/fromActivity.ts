// Notes without a model: every section filled from what the messages themselves say.
import {
  type Activity,
  condensed,
  failureName,
  fixesIn,
  readActivity,
  type Statements,
  statementsOf,
  stillFailing,
  tasksInForce,
} from "../../activity/index.ts";
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
export function updateFromActivity(update: ActivityUpdate) {
  const { old, history, lastSummarizedId, title, budget = defaultNotesBudget } = update;
  const before = parseNotes(old);
  const activity = readActivity(history);
  const start = history.findIndex(({ id }) => id === lastSummarizedId) + 1;
  const facts = sectionFacts(history, activity);
  const notes = makeNotes((section) => {
    if (section === "Session Title") return notesTitle(title, before[section], activity);
    if (section === "Current State") return currentState(activity, statementsOf(activity), before[section]);
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

const LONGEST_ANSWERED = 240;

/** Every reply with what it answers, and what was chosen by it. */
function taskFacts({ exchanges, plan }: Activity) {
  const asked = exchanges.flatMap(({ at, reply, proposal, chosen, reversal }) => {
    const answered =
      !proposal || reply.length > LONGEST_ANSWERED
        ? ""
        : ` (answering: ${clipText(condensed(proposal.text, LONGEST_ANSWERED, reply), LONGEST_ANSWERED)})`;
    return [
      ...(reply === "" ? [] : [{ at, text: `- Asked: ${clipText(reply, 500)}${answered}` }]),
      ...(reversal !== undefined
        ? []
        : chosen.map((text) => ({ at, text: `- Agreed: ${clipText(text, 300)}` }))),
    ];
  });
  const planned = plan
    ? [{ at: plan.at, key: "- Plan: ", text: `- Plan: ${clipText(plan.text, 1_500)}` }]
    : [];
  return inTimeOrder([...asked, ...planned]);
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

/** Checks that failed, how they came to pass, and calls that the user stopped with words of their own. */
function errorFacts({ actions, exchanges }: Activity) {
  const keyOf = (failed: Activity["actions"][number]) => {
    const { subject, message } = failureName(failed);
    return `- ${clipText([subject, message].filter(Boolean).join(": "), 300)}; `;
  };
  const failing = stillFailing(actions).map((failed) => {
    const key = keyOf(failed);
    return { at: failed.at, key, text: `${key}failed when it was last run` };
  });
  const fixed = fixesIn(actions).map(({ failed, actions: part, files }) => {
    const key = keyOf(failed);
    const at = part.at(-1)?.at ?? failed.at;
    return { at, key, text: `${key}passed after changes in ${clipText(files.join(", "), 200)}` };
  });
  const refused = exchanges.flatMap(({ at, reply, proposal }) =>
    proposal?.kind === "call"
      ? [{ at, text: `- The user stopped ${clipText(proposal.text, 140)}: ${clipText(reply, 300)}` }]
      : [],
  );
  return inTimeOrder([...failing, ...fixed, ...refused]);
}

/** Commands that failed more than once and never worked. */
function learningFacts({ commands }: Activity) {
  const runs = new Map<string, { readonly at: number; readonly failed: number }>();
  const worked = new Set(commands.flatMap(({ command, outcome }) => (outcome === "ok" ? [command] : [])));
  for (const { at, command, outcome } of commands)
    if (outcome === "failed" && !worked.has(command))
      runs.set(command, { at, failed: (runs.get(command)?.failed ?? 0) + 1 });
  return [...runs].flatMap(([command, { at, failed }]) => {
    const key = `- \`${clipText(command, 140)}\` failed `;
    return failed < 2 ? [] : [{ at, key, text: `${key}${failed} times and was not seen to work` }];
  });
}

const LAST_CHANGED = 5;
const TO_DO = 12;

function currentState(activity: Activity, { next, failing, current }: Statements, before: string) {
  const { lastRequest, commands, files, texts } = activity;
  const todos = tasksInForce(activity);
  const changed = files.filter(({ lastAction }) => lastAction !== "read").slice(-LAST_CHANGED);
  const waiting = todos.filter(({ status }) => status === "pending");
  const [command, said] = [commands.at(-1), texts.at(-1)];
  const asked = lastRequest
    ? `- Asked${lastRequest.ended ? ` and ${lastRequest.ended}` : ""}: ${clipText(lastRequest.text, 700)}`
    : carried(before);
  const lines = [
    asked,
    ...todos
      .filter(({ status }) => status === "in_progress")
      .map(({ text }) => `- Doing: ${clipText(text, 200)}`),
    ...waiting.slice(0, TO_DO).map(({ text }) => `- To do: ${clipText(text, 160)}`),
    waiting.length > TO_DO ? `- To do: ${waiting.length - TO_DO} more` : "",
    changed.length > 0
      ? `- Changed last: ${changed.map(({ path }) => `\`${clipText(path, 200)}\``).join(", ")}`
      : "",
    command ? `- Last command: \`${clipText(command.command, 200)}\`, ${command.outcome}` : "",
    ...failing.map(({ text }) => `- Failed when it was last run: ${clipText(text, 300)}`),
    said ? `- Said last: ${clipText(said.text, 700)}` : "",
    current ? `- The agent's words, at the compaction: ${clipText(current.text, 300)}` : "",
    ...[...next.slice(0, 1), ...next.slice(1).filter(({ by }) => by === "agent")].map(
      ({ text, by }) => `- Next${by === "agent" ? " (the agent's words)" : ""}: ${clipText(text, 200)}`,
    ),
  ];
  return lines.filter((line) => line !== "").join("\n");
}

/** The request of a turn that began before everything at hand. */
function carried(before: string) {
  return before.split("\n").find((line) => line.startsWith("- Asked")) ?? "";
}
