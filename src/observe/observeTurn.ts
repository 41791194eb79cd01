// A turn's calls turned into observations, without a model: few, each with a title that says what happened.

import {
  type Action,
  answersIn,
  type Fix,
  failureName,
  fixesIn,
  plain,
  planHeading,
  shortened,
  stillFailing,
} from "../activity/index.ts";
import { defined } from "../lib/index.ts";
import { observationOf, type TurnDraft } from "./draft.ts";
import type { ObservedTurn, TurnToObserve } from "./model.ts";
import { summaryOf } from "./summary.ts";
import { type TurnContext, turnContextOf } from "./turnContext.ts";
import { mainDraft } from "./turnDraft.ts";

const MOST_FIXES = 3;
const NARRATIVE = 1_200;

export function observeTurn(turn: TurnToObserve): ObservedTurn {
  const context = turnContextOf(turn);
  const drafts = turnDrafts(context, turn.reported === true).filter(({ actions }) => actions.length > 0);
  const observations = drafts.map((draft) => observationOf(draft, context.request, context.phrases));
  const summary = summaryOf(context, observations);
  return { observations, ...defined({ summary }) };
}

/** Every fresh action is in exactly one draft. */
function turnDrafts(context: TurnContext, reported: boolean): TurnDraft[] {
  const free = new Set(context.fresh);
  const take = (actions: readonly Action[]) => actions.filter((action) => free.delete(action));
  const apart = [
    ...context.fresh
      .filter(({ kind }) => kind === "decide")
      .flatMap((action) => decisionDraft(action, context, take)),
    ...researchDraft(context, take),
    ...(reported ? [] : context.fresh.flatMap((action) => reportDraft(action, context, take))),
    ...fixesIn(context.actions)
      .filter(isMentioned)
      .slice(0, MOST_FIXES)
      .map((fix) => fixDraft(fix, context, take)),
    ...stillFailing(context.actions).flatMap((action) => failureDraft(action, context, take)),
  ].filter(({ actions }) => actions.length > 0);
  const spans = spansOf(context.fresh.filter((action) => free.has(action)));
  // What only looked, or wrote the test that then failed, belongs to the change that it was for.
  const host = apart.findLast(({ type }) => type === "bugfix");
  const [only] = spans;
  if (host !== undefined && only !== undefined && spans.length === 1 && only.every(isPreparation))
    return apart.map((draft) => (draft === host ? joined(draft, only, context) : draft));
  const mains = spans.map((actions, at) => mainDraft(actions, context, at === spans.length - 1));
  return [...mains, ...apart].sort((a, b) => placeOf(a, context) - placeOf(b, context));
}

const placeOf = ({ actions }: TurnDraft, { fresh }: TurnContext): number => {
  const [first] = actions;
  return first === undefined ? 0 : fresh.indexOf(first);
};

const isPreparation = ({ kind, path = "", alters }: Action) =>
  kind === "change"
    ? /(^|[/._-])(tests?|specs?|__tests__)([/._-]|$)/i.test(path)
    : kind !== "commit" && alters !== true;

/** A commit closes a span; what follows without doing anything belongs to the last. */
function spansOf(actions: readonly Action[]): Action[][] {
  const spans: Action[][] = [[]];
  for (const action of actions) {
    spans.at(-1)?.push(action);
    if (action.kind === "commit") spans.push([]);
  }
  const rest = spans.pop() ?? [];
  const last = spans.at(-1);
  if (last === undefined || rest.some(({ kind }) => kind === "change")) spans.push(rest);
  else last.push(...rest);
  return spans.filter((span) => span.length > 0);
}

/** The steps of one's own work that went wrong for a moment are not worth a title; a test that failed is. */
const isMentioned = ({ failed, isOlder }: Fix) => isOlder || isTest(failed);

const isTest = ({ check }: Action): boolean =>
  check?.classes.includes("test") === true && check.why?.isTest === true;

type Take = (actions: readonly Action[]) => Action[];

function fixDraft({ failed, actions, files }: Fix, { phrases, words }: TurnContext, take: Take): TurnDraft {
  const { subject, message } = failureName(failed);
  const named = /\s/.test(subject) && !/[>/]/.test(subject) ? `"${subject}"` : subject;
  return {
    type: "bugfix",
    title: isTest(failed) ? phrases.fixTest(named, message) : phrases.fix(named, message),
    plainTitle: phrases.fix(failed.check?.name ?? "", ""),
    actions: take(actions),
    facts: [phrases.failedWith(subject, message, files)],
    narrative: words === "" ? undefined : shortened(mentioning(words, [subject, ...files]), NARRATIVE),
  };
}

/** The sentences that name one of these. */
function mentioning(words: string, names: readonly string[]): string {
  const stems = names.map((name) => name.split("/").at(-1) ?? name).filter((name) => name.length > 3);
  return words
    .split("\n")
    .filter((line) => stems.some((stem) => line.includes(stem)))
    .map(plain)
    .join("\n");
}

/** The draft of a fix that is all that was done in the turn; in the words of the end, where the failure was our own. */
function joined(draft: TurnDraft, more: readonly Action[], context: TurnContext): TurnDraft {
  const actions = context.fresh.filter((action) => draft.actions.includes(action) || more.includes(action));
  const main = mainDraft(actions, context, true);
  const isOwn = more.some(({ kind }) => kind === "change") && context.words !== "";
  return {
    ...main,
    type: "bugfix",
    title: isOwn ? main.title : draft.title,
    ...(isOwn || context.words === "" ? {} : { subtitle: main.title }),
    facts: [...draft.facts, ...main.facts],
  };
}

function failureDraft(action: Action, { phrases }: TurnContext, take: Take): TurnDraft[] {
  const { subject, message } = failureName(action);
  const name = action.check?.name ?? "";
  const what = [subject === name ? "" : subject, message].filter(Boolean).join(": ");
  const titles = { title: phrases.fails(name, what), plainTitle: phrases.fails(name, "") };
  return [{ type: "discovery", ...titles, actions: take([action]), facts: [] }];
}

function researchDraft({ fresh, phrases }: TurnContext, take: Take): TurnDraft[] {
  const actions = take(fresh.filter(({ kind, failed }) => kind === "research" && !failed));
  const [first] = actions;
  if (first === undefined) return [];
  const narrative = shortened(
    actions.map(({ query, output }) => `${query}\n${shortened(output, 500)}`).join("\n\n"),
    NARRATIVE,
  );
  return [{ type: "discovery", title: phrases.lookUp(first.query ?? ""), actions, narrative, facts: [] }];
}

/** Too short for a report: it was only started. */
const SHORTEST_REPORT = 80;

function reportDraft(action: Action, { phrases }: TurnContext, take: Take): TurnDraft[] {
  if (action.kind !== "delegate" || action.failed || action.output.length < SHORTEST_REPORT) return [];
  const title = phrases.subagent(action.query ?? "");
  return [
    {
      type: "discovery",
      title,
      actions: take([action]),
      narrative: shortened(action.output, NARRATIVE),
      facts: [],
    },
  ];
}

/** A question that was answered, a plan that was approved. */
function decisionDraft(action: Action, { plan, phrases }: TurnContext, take: Take): TurnDraft[] {
  if (action.outcome !== "ok") return [];
  if (action.tool === "ExitPlanMode") {
    const text = plan?.text ?? "";
    const title = phrases.plan(planHeading(text));
    return [
      { type: "decision", title, actions: take([action]), narrative: shortened(text, NARRATIVE), facts: [] },
    ];
  }
  const answers = answersIn(action);
  const [first] = answers;
  if (first === undefined) return [];
  const facts = answers.map(({ question, answer }) => phrases.decided(question, answer));
  const title = phrases.chosen(first.question, first.answer);
  return [{ type: "decision", title, actions: take([action]), facts }];
}
