// A turn turned into observations, without a model: one for each piece of work and for each choice, none for an echo.

import { type Action, answersIn, optionsChosen, planHeading, shortened } from "../activity/index.ts";
import { defined } from "../lib/index.ts";
import { observationOf, type TurnDraft } from "./draft.ts";
import type { ObservedTurn, TurnToObserve } from "./model.ts";
import { summaryOf } from "./summary.ts";
import { type TurnContext, turnContextOf } from "./turnContext.ts";
import { mainDraft, NARRATIVE } from "./turnDraft.ts";
import { isWorthRemembering } from "./worth.ts";

export function observeTurn(turn: TurnToObserve): ObservedTurn {
  const context = turnContextOf(turn);
  const decisions = [
    ...context.fresh.flatMap((action) => answerDraft(action, context)),
    ...choiceDraft(context),
  ];
  const decided = new Set(decisions.flatMap(({ actions }) => actions));
  const work = context.fresh.filter((action) => !decided.has(action));
  const spans = isWorthRemembering(context) ? spansOf(work) : [];
  const mains = spans.map((actions, at) => mainDraft(actions, context, at === spans.length - 1));
  const observations = [...mains, ...decisions]
    .filter(({ sources }) => sources.length > 0)
    .map((draft) => observationOf(draft, context));
  const summary = summaryOf(context, observations);
  return { observations, ...defined({ summary }) };
}

/** A commit closes a span that changed something; what follows without changing anything belongs to the last. */
function spansOf(actions: readonly Action[]): Action[][] {
  const spans: Action[][] = [[]];
  const changes = (span: readonly Action[] = []) => span.some(({ kind }) => kind === "change");
  for (const action of actions) {
    spans.at(-1)?.push(action);
    if (action.kind === "commit" && changes(spans.at(-1))) spans.push([]);
  }
  const rest = spans.pop() ?? [];
  const last = spans.at(-1);
  if (last === undefined || changes(rest)) spans.push(rest);
  else last.push(...rest);
  return spans;
}

/** A question that was answered, a plan that was approved. */
function answerDraft(action: Action, { plan, phrases }: TurnContext): TurnDraft[] {
  if (action.kind !== "decide" || action.outcome !== "ok") return [];
  const base = {
    type: "decision" as const,
    actions: [action],
    sources: [action.id],
    evidence: [action.resultRow ?? action.row, action.row],
  };
  if (action.tool === "ExitPlanMode") {
    const text = plan?.text ?? "";
    const narrative = shortened(text, NARRATIVE);
    return [{ ...base, titles: [phrases.plan(planHeading(text)), planHeading(text)], narrative, facts: [] }];
  }
  const answers = answersIn(action);
  const [first] = answers;
  if (first === undefined) return [];
  const facts = answers.map(({ question, answer }) => phrases.decided(question, answer));
  const titles = [phrases.chosen(first.question, first.answer), first.answer, first.question];
  return [{ ...base, titles, narrative: facts.join("\n"), facts }];
}

/** What the user chose among options that the assistant had numbered. */
function choiceDraft({ before, request, rows, fresh, words, phrases }: TurnContext): TurnDraft[] {
  const chosen = optionsChosen(before, request);
  // Told once: with the first calls of the turn, or at its end where there are none.
  if (chosen.length === 0 || rows.request === undefined || (fresh.length === 0 && words === "")) return [];
  return [
    {
      type: "decision",
      titles: chosen.map((option) => option.split("\n")[0] ?? ""),
      subtitles: [phrases.chose(shortened(request, 120))],
      narrative: shortened(chosen.join("\n\n"), NARRATIVE),
      actions: [],
      sources: [rows.request],
      evidence: [rows.request, rows.before ?? ""].filter(Boolean),
      facts: [],
    },
  ];
}
