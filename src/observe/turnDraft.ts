// The draft of a span of a turn: its title from a commit, the closing words, a check that was repaired, a task, or what was touched.
import {
  type Action,
  condensedMessage,
  errorLine,
  factsIn,
  failureName,
  lacksSubject,
  openingIn,
  passedCount,
  questionsIn,
  type Report,
  reportsIn,
  saysDone,
  shortened,
  stillFailing,
  suggests,
  todosOf,
  topicIn,
} from "../activity/index.ts";
import { planInRequest } from "../lib/index.ts";
import { typeOf } from "./concepts.ts";
import { draftOf, TITLE, unique } from "./draft.ts";
import type { ObservationDraft } from "./model.ts";
import { fixesOf, type Turn } from "./turn.ts";
import { markUndone } from "./undone.ts";

export const NARRATIVE = 1_200;
const WORD_FACTS = 5;
const NAMED_FILES = 3;
const NAMES_A_FILE = 8;

/** `isLast`: the closing words are about this span. */
export function mainDraft(actions: readonly Action[], turn: Turn, isLast: boolean): ObservationDraft {
  const { rows } = turn;
  // What was told of before explains words that come later.
  const told = actions.length > 0 ? actions : turn.actions;
  const commits = actions.flatMap(({ commit }) => commit?.subject ?? []);
  const words = isLast ? turn.words : "";
  const reports = words === "" ? [] : reportsOf(told, turn);
  const isChange = told.some(({ kind }) => kind === "change");
  const worthOf = ({ title, standing }: Report) => standing + (isChange && saysDone(title) ? SAID_DONE : 0);
  const whole = reports
    .filter(({ title, isOpening }) => !isOpening && !(isChange && suggests(title)))
    .toSorted((a, b) => worthOf(b) - worthOf(a));
  const topic = whole.filter(({ standing }) => standing >= TOPIC).length;
  const said = whole.map(({ title }) => title).toSpliced(topic, 0, topicIn(words) ?? "");
  const type = typeOf(told, turn);
  const isAnswer = type === "discovery" && topicIn(words) === undefined;
  const titles = [...commits, ...planNames(turn, words), ...withSubject(said, told)];
  const draft = {
    type,
    titles,
    names: [
      ...repairTitles(told, turn),
      ...withPurpose(actionTitles(told, turn), turn, titles.some(Boolean)),
      ...askedTitle(turn),
    ],
    subtitles: reports.flatMap(({ text, isSupposed }) => (isSupposed ? [] : [text])),
    narrative: narrativeOf(words, actions, turn),
    facts: factsOf(actions, turn, words),
    actions,
    sources: actions.length > 0 ? actions.map(({ id }) => id) : [rows.words ?? ""].filter(Boolean),
    evidence: evidenceOf(actions, isLast ? rows.words : undefined),
  };
  const plainly = draftOf(draft, turn);
  const answer = isAnswer && whole.find(({ title }) => title.startsWith(plainly.title.slice(0, OPENING)));
  const answered = answer ? withQuestion(answer, turn) : [];
  const made =
    answered.length === 0 ? plainly : draftOf({ ...draft, titles: [...answered, ...titles] }, turn);
  const isDone = actions.some(({ kind, outcome }) => kind === "change" && outcome === "ok");
  const isTakenBack = isDone && made.filesModified.length === 0;
  return isTakenBack && commits.length === 0 ? markUndone(made, turn.phrases) : made;
}

/** A sentence that says less than this is understood less by itself than what the answer said it explains. */
const TOPIC = 2.2;

/** Where something was changed, a sentence that says what was done counts so much more. */
const SAID_DONE = 0.8;

/** "Splits by the separator" is said of what was changed. */
function withSubject(titles: readonly string[], actions: readonly Action[]) {
  const [file] = unique(actions.map(({ kind, path = "" }) => (kind === "change" ? baseName(path) : "")));
  return titles
    .map((title) => (file === undefined ? title : title.replace(/^(?:after|now)[:：]\s+/i, "")))
    .flatMap((title) => (file !== undefined && lacksSubject(title) ? [`${file}: ${title}`, title] : [title]));
}

/** Where the assistant did not say what came of it, what was asked for says what files and commands alone do not. */
function withPurpose(titles: readonly string[], { request, phrases }: Turn, isTold: boolean) {
  const said = isTold ? undefined : openingIn(request);
  const known = titles.filter((title) => title !== "");
  return [...(said ? known.map((title) => phrases.askedFor(title, said)) : []), ...known];
}

/** A sentence that is understood less than this by itself gets the question that it answers, or gives way to it. */
const ALONE = 1;
const FRAGMENT = -0.9;
/** A title that is a part of a sentence opens with so many of its characters. */
const OPENING = 20;

/** What answers a question is no title without it, where it hardly stands by itself: the question then says more. */
function withQuestion({ title, standing }: Report, { request, phrases }: Turn) {
  const asked = standing < ALONE ? questionsIn(request) : [];
  return [
    ...asked.map((question) => phrases.askedFor(title.replace(/[.。]$/, ""), question)),
    ...(standing < FRAGMENT ? asked.map((question) => phrases.asked(question)) : []),
  ].filter((one) => Array.from(one).length <= TITLE);
}

/** The last resort: nothing was done, and no sentence of the answer may be a title. */
function askedTitle({ actions, request, phrases }: Turn) {
  const [first] = request.split("\n");
  return actions.length > 0 || !first ? [] : [phrases.asked(first)];
}

/** The name of the plan that was given and carried out: nothing of it is left open, and nothing fails. */
function planNames(turn: Turn, words: string) {
  const name = planInRequest(turn.request);
  const isOpen = todosOf(turn.calls).some(({ status }) => status !== "completed");
  if (name === undefined || words === "" || isOpen || stillFailing(turn.actions).length > 0) return [];
  return turn.actions.some(({ kind }) => kind === "change") ? [name] : [];
}

/** The closing words, then commits, checks and changes, the latest first. */
function evidenceOf(actions: readonly Action[], words: string | undefined) {
  const told = (["commit", "check", "change"] as const).flatMap((kind) =>
    actions.filter((action) => action.kind === kind).map(({ resultRow, row }) => resultRow ?? row),
  );
  return unique([words ?? "", ...told.slice(0, 4)]);
}

const causeClaim =
  /^(?:found it|root cause|the (?:root )?cause|smoking gun|culprit)|^(?:根因|找到(?:原因|问题)了?)/i;
/** Names a fault: a finding once something was changed for it, a guess before. */
const faultClaim =
  /^(?:the|this is the) (?:actual |real )?(?:bug|issue|problem|culprit)\b(?:[^.:]{0,30}\b(?:is|was|lies)\b|\s*[—–-])|^问题(?:出)?在/i;
const hedge =
  /\b(?:might be|may be|(?:is|are|most|very) likely|probably|i suspect)\b|可能是|应该是|估计是|大概是/i;

/** Sentences of the closing words; a cause that no check or change has confirmed is called a suspicion. */
export function reportsOf(actions: readonly Action[], turn: Turn) {
  const { request, words, phrases } = turn;
  const touched = actions.flatMap(({ kind, path = "", names }) =>
    kind === "change" ? [path, ...(names?.added ?? []), ...(names?.changed ?? [])] : [],
  );
  const isConfirmed =
    fixesOf(actions, turn).length > 0 || /^(?:confirmed|verified|已确认|确认了)/i.test(words);
  const isChanged = actions.some(({ kind }) => kind === "change");
  const isGuess = (text: string) =>
    hedge.test(text) || (!isConfirmed && (causeClaim.test(text) || (!isChanged && faultClaim.test(text))));
  const marked = (text: string) => (isGuess(text) ? phrases.suspected(text) : text);
  return reportsIn(words, [request, ...touched].join(" ")).map((report) => ({
    ...report,
    text: marked(report.text),
    title: marked(report.title),
  }));
}

/** Checks of these actions that no later one of the turn settles. While a turn goes on, what follows may settle them. */
const failingIn = (actions: readonly Action[], turn: Turn) =>
  turn.goesOn ? [] : stillFailing(turn.actions).filter((action) => actions.includes(action));

/** A message at the end; else what a subagent reported or a page said, what was changed, and what fails. */
function narrativeOf(words: string, actions: readonly Action[], turn: Turn) {
  if (words !== "") return condensedMessage(words, NARRATIVE);
  const told = actions.filter(
    ({ kind, failed }) => !failed && (kind === "research" || (kind === "delegate" && !turn.reported)),
  );
  const texts = told.map(({ query = "", output }) => `${query}\n${shortened(output, 500)}`);
  const failing = failingIn(actions, turn).map((action) => failureText(action, turn.phrases));
  return shortened([...texts, ...changesIn(actions), ...failing].join("\n"), NARRATIVE);
}

/** Each file with the names that were touched in it. */
function changesIn(actions: readonly Action[]) {
  const byPath = new Map<string, string[]>();
  for (const { kind, path, names } of actions)
    if (kind === "change" && path !== undefined)
      byPath.set(path, [
        ...(byPath.get(path) ?? []),
        ...(names?.added.map((name) => `+${name}`) ?? []),
        ...(names?.changed ?? []),
        ...(names?.removed.map((name) => `−${name}`) ?? []),
      ]);
  return [...byPath].map(([path, names]) =>
    names.length === 0 ? path : `${path}: ${unique(names).slice(0, NAMES_A_FILE).join(", ")}`,
  );
}

const isTestRun = ({ check }: Action) => check?.why?.isTest === true;

/** Used when the outcome was not said: what failed and passes, or what fails. */
function repairTitles(actions: readonly Action[], turn: Turn) {
  const { phrases } = turn;
  const fixed = fixesOf(actions, turn)
    .filter(({ isOlder, failed }) => isOlder || isTestRun(failed))
    .flatMap(({ failed }) => {
      const { subject, message } = failureName(failed);
      const named = /\s/.test(subject) && !/[>/]/.test(subject) ? `"${subject}"` : subject;
      const say = isTestRun(failed) ? phrases.fixTest : phrases.fix;
      return [say(named, message), say(named, ""), phrases.fix(failed.check?.name ?? "", "")];
    });
  if (actions.some(({ kind }) => kind === "change")) return fixed;
  const failing = failingIn(actions, turn).flatMap((action) => {
    const { subject } = failureName(action);
    const name = action.check?.name ?? "";
    return [
      failureText(action, phrases),
      phrases.fails(name, subject === name ? "" : subject),
      phrases.fails(name, ""),
    ];
  });
  return [...fixed, ...failing];
}

function failureText(action: Action, phrases: Turn["phrases"]) {
  const { subject, message } = failureName(action);
  const name = action.check?.name ?? "";
  return phrases.fails(name, [subject === name ? "" : subject, message].filter(Boolean).join(": "));
}

export const baseName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** The current task, or what was changed, run, asked or read; with fewer names where that is too long. */
function actionTitles(actions: readonly Action[], turn: Turn) {
  const titles = [NAMED_FILES, 2, 1].map((most) => actionTitle(actions, turn, most));
  const task = todosOf(turn.calls).find(({ status }) => status === "in_progress")?.text;
  const isChange = actions.some(({ kind }) => kind === "change");
  return task !== undefined && isChange ? [turn.phrases.workOn(task), ...titles] : titles;
}

function actionTitle(actions: readonly Action[], { phrases, goesOn }: Turn, most: number) {
  const changes = actions.filter(({ kind }) => kind === "change");
  if (changes.length > 0) return changeTitle(changes, phrases, most);
  const asked = actions.find(({ kind }) => kind === "research" || kind === "delegate");
  const altering = actions.find(({ alters }) => alters === true);
  if (asked && !altering)
    return (asked.kind === "research" ? phrases.lookUp : phrases.subagent)(asked.query ?? "");
  const first = altering ?? actions.find(({ kind }) => kind === "run" || kind === "check");
  if (first?.purpose !== undefined) {
    const failed = first.failed && !goesOn ? errorLine(first.output) : "";
    if (failed !== "") return phrases.fails(first.purpose, failed);
    return first.isDescribed === true ? first.purpose : phrases.run(first.check?.name ?? first.purpose);
  }
  const files = unique(actions.map(({ path = "" }) => baseName(path)));
  if (files.length > 0) return phrases.lookAt(files.slice(0, most), files.length - most);
  const searched = unique(actions.map(({ query = "" }) => query));
  return searched.length > 0 ? phrases.searchFor(searched.slice(0, 2)) : (actions[0]?.line ?? "");
}

/** Claude Code keeps plans in files whose names say nothing. */
const isPlan = (path: string) => /[\\/]\.claude[\\/]plans[\\/][^\\/]+\.md$/.test(path);

/** `calendar.js: parseClock, +serviceDay`, or the files alone. */
function changeTitle(changes: readonly Action[], phrases: Turn["phrases"], most: number) {
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
    return `${only}: ${names.slice(0, most + 1).join(", ")}`;
  const shown = files.slice(0, most);
  const isNew = changes.every(({ isNew }) => isNew === true);
  return (isNew ? phrases.create : phrases.edit)(shown, files.length - shown.length);
}

function factsOf(actions: readonly Action[], turn: Turn, words: string) {
  const { phrases } = turn;
  const commits = actions.flatMap(({ commit }) =>
    commit?.hash ? [phrases.committed(commit.subject, commit.hash)] : [],
  );
  const fixes = fixesOf(actions, turn).map(({ failed, files }) => {
    const { subject, message } = failureName(failed);
    return phrases.failedWith(subject, message, files);
  });
  const checks = actions.filter(({ check }) => check !== undefined);
  const lastOf = new Map(checks.map((action) => [action.check?.name ?? "", action] as const));
  const passed = [...lastOf].flatMap(([name, action]) =>
    action.failed ? [] : [phrases.passes(name, passedCount(action.output))],
  );
  // What failed on the way was overcome or given up; only at the end of a turn it stands.
  const last = turn.actions.at(-1);
  const failures =
    last?.kind === "run" && last.failed && actions.includes(last) && !turn.goesOn
      ? [phrases.fails(last.purpose ?? "", errorLine(last.output))]
      : [];
  return [
    ...factsIn(words, WORD_FACTS),
    ...fixes.slice(0, 2),
    ...failingIn(actions, turn).map((action) => failureText(action, phrases)),
    ...commits,
    ...passed.slice(0, 2),
    ...failures,
  ];
}
