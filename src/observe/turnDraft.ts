// The draft of a span of a turn: its title from a commit, the closing words, a task, or what was touched.

import {
  type Action,
  condensedMessage,
  errorLine,
  factsIn,
  failureName,
  fixesIn,
  headline,
  passedCount,
} from "../activity/index.ts";
import type { ObservationType } from "../lib/index.ts";
import { typeOfChange } from "./concepts.ts";
import { hasNoOrders, type TurnDraft } from "./draft.ts";
import type { TurnContext } from "./turnContext.ts";

const NARRATIVE = 1_200;
const WORD_FACTS = 5;
const NAMED_FILES = 3;

/** `isLast`: the closing words are about this span. */
export function mainDraft(actions: readonly Action[], context: TurnContext, isLast: boolean): TurnDraft {
  const changes = actions.filter(({ kind }) => kind === "change");
  const commit = actions.find(({ commit }) => commit !== undefined)?.commit;
  const words = isLast ? context.words : "";
  const touched = changes.flatMap(({ path = "", names }) => [
    path,
    ...(names?.added ?? []),
    ...(names?.changed ?? []),
  ]);
  const said = words === "" ? undefined : headline(words, [context.request, ...touched].join(" "));
  const type = typeOf(actions, [commit?.subject, context.request, context.before, said, words]);
  const narrative = condensedMessage(words, NARRATIVE);
  return {
    type,
    title: commit?.subject ?? said ?? titleOf(actions, context),
    plainTitle: [said, titleOf(actions, context)].find((text) => text !== undefined && hasNoOrders(text)),
    ...(commit !== undefined && said !== undefined ? { subtitle: said } : {}),
    ...(narrative === "" ? {} : { narrative }),
    actions,
    facts: factsOf(actions, context, words),
  };
}

function typeOf(actions: readonly Action[], texts: readonly (string | undefined)[]): ObservationType {
  const changes = actions.filter(({ kind }) => kind === "change");
  if (changes.length > 0) return typeOfChange(changes, texts);
  const commit = actions.some(({ kind }) => kind === "commit");
  if (commit) return typeOfChange([], texts);
  if (actions.some(({ alters }) => alters === true)) return "change";
  return "discovery";
}

const baseName = (path: string) => path.split(/[\\/]/).at(-1) ?? path;
const unique = (values: readonly string[]) => [...new Set(values)];

/** Used when the outcome was not said: the current task, or what was changed, run or read. */
function titleOf(actions: readonly Action[], { todos, phrases }: TurnContext): string {
  const changes = actions.filter(({ kind }) => kind === "change");
  const task = todos.find(({ status }) => status === "in_progress")?.text;
  if (changes.length > 0) return task ?? changeTitle(changes, actions, phrases);
  const run = actions.filter(({ kind }) => kind === "run" || kind === "check" || kind === "delegate");
  const [first] = run;
  if (first?.purpose !== undefined) {
    const failed = first.failed ? errorLine(first.output) : "";
    if (failed !== "") return phrases.fails(first.purpose, failed);
    return first.isDescribed === true ? first.purpose : phrases.run(first.purpose);
  }
  const files = unique(actions.flatMap(({ path }) => (path === undefined ? [] : [baseName(path)])));
  if (files.length > 0) return phrases.lookAt(files.slice(0, NAMED_FILES), files.length - NAMED_FILES);
  const searched = unique(actions.flatMap(({ query }) => query ?? []));
  if (searched.length > 0) return phrases.searchFor(searched.slice(0, 2));
  return actions.find(({ purpose }) => purpose !== undefined)?.purpose ?? actions[0]?.line ?? "";
}

/** Claude Code keeps plans in files whose names say nothing. */
const isPlan = (path: string) => /[\\/]\.claude[\\/]plans[\\/][^\\/]+\.md$/.test(path);

/** `calendar.js: parseClock, +serviceDay`, or the files alone. */
function changeTitle(
  changes: readonly Action[],
  actions: readonly Action[],
  phrases: TurnContext["phrases"],
): string {
  const files = unique(changes.map(({ path = "" }) => baseName(path)));
  const [only] = files;
  const names = unique(
    changes.flatMap(({ names }) => [
      ...(names?.added.map((name) => `+${name}`) ?? []),
      ...(names?.changed ?? []),
    ]),
  );
  const [heading] = changes.flatMap(({ path = "", names }) => (isPlan(path) ? (names?.added ?? []) : []));
  if (files.length === 1 && heading !== undefined) return phrases.plan(heading.replace(/^plan:\s*/i, ""));
  if (files.length === 1 && only !== undefined && names.length > 0)
    return `${only}: ${names.slice(0, 4).join(", ")}`;
  const shown = files.slice(0, NAMED_FILES);
  const isNew = changes.every(({ isNew }) => isNew === true);
  const title = (isNew ? phrases.create : phrases.edit)(shown, files.length - shown.length);
  return names.length === 0 || actions.length === 0 ? title : `${title} (${names.slice(0, 3).join(", ")})`;
}

function factsOf(actions: readonly Action[], { phrases }: TurnContext, words: string): string[] {
  const commits = actions.flatMap(({ commit }) =>
    commit ? [phrases.committed(commit.subject, commit.hash)] : [],
  );
  const fixes = fixesIn(actions).map(({ failed, files }) => {
    const { subject, message } = failureName(failed);
    return phrases.failedWith(subject, message, files);
  });
  const checks = actions.filter(({ check }) => check !== undefined);
  const lastOf = new Map(checks.map((action) => [action.check?.name ?? "", action] as const));
  const passed = [...lastOf].flatMap(([name, action]) =>
    action.failed ? [] : [phrases.passes(name, passedCount(action.output))],
  );
  const failures = actions
    .filter(({ kind, failed }) => kind === "run" && failed)
    .map(({ purpose = "", output }) => phrases.fails(purpose, errorLine(output)));
  return [
    ...factsIn(words, WORD_FACTS),
    ...fixes.slice(0, 2),
    ...commits,
    ...passed.slice(0, 2),
    ...failures.slice(0, 2),
  ];
}
