// A turn turned into observations, without a model: one for each piece of work and for each choice, none for an echo.

import {
  type Action,
  answersIn,
  optionsChosen,
  planHeading,
  planOf,
  shortened,
  type ToolCall,
} from "../activity/index.ts";
import { defined, isObject } from "../lib/index.ts";
import { draftOf } from "./draft.ts";
import type { ObservedTurn } from "./model.ts";
import { summaryOf } from "./summary.ts";
import type { Turn } from "./turn.ts";
import { mainDraft, NARRATIVE } from "./turnDraft.ts";
import { undoingIn } from "./undone.ts";
import { isWorthRemembering } from "./worth.ts";

export function observeTurn(turn: Turn): ObservedTurn {
  const decisions = [...turn.fresh.flatMap((action) => answerDraft(action, turn)), ...choiceDraft(turn)];
  const decided = new Set(decisions.flatMap(({ sources }) => sources));
  const work = turn.fresh.filter(({ id }) => !decided.has(id));
  const spans = isWorthRemembering(turn) ? spansOf(work) : [];
  const mains = spans.map((actions, at) => mainDraft(actions, turn, at === spans.length - 1));
  const observations = [...mains, ...decisions].filter(({ sources }) => sources.length > 0);
  const summary = summaryOf(turn, observations);
  return { observations, ...defined({ summary, undoes: undoingIn(turn) }) };
}

/** A commit closes a span that changed something; what follows without changing anything belongs to the last. */
function spansOf(actions: readonly Action[]) {
  const spans: Action[][] = [[]];
  const changes = (span: readonly Action[] = []) => span.some(({ kind }) => kind === "change");
  for (const action of actions) {
    spans.at(-1)?.push(action);
    if (action.kind === "commit" && changes(spans.at(-1))) spans.push([]);
  }
  const rest = spans.pop() ?? [];
  const last = spans.at(-1);
  if (!last || changes(rest)) spans.push(rest);
  else last.push(...rest);
  return spans;
}

/** A question that was answered, a plan that was approved. */
function answerDraft(action: Action, turn: Turn) {
  if (action.kind !== "decide" || action.outcome !== "ok") return [];
  const { calls, phrases } = turn;
  const base = {
    type: "decision" as const,
    actions: [action],
    sources: [action.id],
    evidence: [action.resultRow ?? action.row, action.row],
  };
  if (action.tool === "ExitPlanMode") {
    const text = planOf(calls)?.text ?? "";
    const narrative = shortened(text, NARRATIVE);
    const titles = [phrases.plan(planHeading(text)), planHeading(text)];
    return [draftOf({ ...base, titles, narrative, facts: [] }, turn)];
  }
  const answers = answersIn(action);
  const [first] = answers;
  if (!first) return [];
  const facts = answers.map(({ question, answer }) => phrases.decided(question, answer));
  const chosen = optionName(first.answer);
  const label = labelOf(calls.find(({ id }) => id === action.id));
  const titles = [
    phrases.chosen(first.question, chosen),
    label && `${label}: ${chosen}`,
    chosen,
    first.question,
  ];
  return [draftOf({ ...base, titles, narrative: facts.join("\n"), facts }, turn)];
}

/** What the agent called its first question in a word or two. */
function labelOf(call: ToolCall | undefined) {
  const [first] = Array.isArray(call?.input.questions) ? call.input.questions : [];
  return isObject(first) && typeof first.header === "string" ? first.header : "";
}

/** An option without its number and without praise. */
const optionName = (option: string) =>
  option
    .replace(/^(?:(?:option|方案|选项)\s*\w+\s*[:：.、—-]|[A-Z][.)、])\s*(?=\S)/i, "")
    .replace(/\s*(?:[(（](?:recommended|推荐)[)）]|✅.*)\s*$/iu, "");

/** What the user chose among options that the assistant had numbered. */
function choiceDraft(turn: Turn) {
  const { before, request, rows, fresh, words, phrases } = turn;
  const chosen = optionsChosen(before, request);
  // Told once: with the first calls of the turn, or at its end where there are none.
  if (chosen.length === 0 || rows.request === undefined || (fresh.length === 0 && words === "")) return [];
  const draft = {
    type: "decision" as const,
    titles: chosen.map((option) => optionName(option.split("\n")[0] ?? "")),
    subtitles: [phrases.chose(shortened(request, 120))],
    narrative: shortened(chosen.join("\n\n"), NARRATIVE),
    actions: [],
    sources: [rows.request],
    evidence: [rows.request, rows.before ?? ""].filter(Boolean),
    facts: [],
  };
  return [draftOf(draft, turn)];
}
