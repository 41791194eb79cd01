// Where things stand at the end of a turn, in the six fields of a summary.
import {
  agentWords,
  factsIn,
  failureName,
  lastQuestion,
  nextStepsIn,
  oneLine,
  saysDone,
  stillFailing,
  todosOf,
} from "../activity/index.ts";
import { hasNoOrders, unique } from "./draft.ts";
import type { ObservationDraft, SummaryDraft } from "./model.ts";
import type { Turn } from "./turn.ts";
import { baseName, reportsOf } from "./turnDraft.ts";

const REQUEST = 400;
const SHORT_REQUEST = 40;
const NAMED_FILES = 8;
const REPORTS = 2;
const DONE_FILES = 3;

function investigatedIn({ actions, phrases }: Turn) {
  const files = unique(actions.flatMap(({ kind, path }) => (kind === "look" && path ? [path] : [])));
  const searched = unique(actions.flatMap(({ kind, query }) => (kind === "look" && query ? [query] : [])));
  const asked = unique(actions.flatMap(({ kind, query }) => (kind === "research" && query ? [query] : [])));
  const more = files.length - NAMED_FILES;
  return [
    `${files.slice(0, NAMED_FILES).join(", ")}${more > 0 ? ` (+${more})` : ""}`,
    searched.length > 0 ? phrases.searched(searched.slice(0, 3)) : "",
    ...asked.slice(0, 3).map((query) => phrases.lookUp(query)),
  ]
    .filter((part) => part !== "")
    .join("; ");
}

/** A "yes" is written with the question it answers. */
function requestOf({ request, before }: Turn) {
  const said = oneLine(request, REQUEST);
  const question = lastQuestion(before);
  return question !== undefined && said.length <= SHORT_REQUEST
    ? `${said} (${oneLine(question, 200)})`
    : said;
}

/** Lines that tell a model what to do are left out; the calls that brought them are kept. */
const withoutOrders = (lines: readonly string[]) => lines.filter(hasNoOrders).join("\n");

/** What the agent itself named as next when the turn was compacted, where it never came to an end. */
const stepsOfAgent = (turn: Turn) =>
  agentWords({ ...turn, todos: todosOf(turn.calls) }).next.map(({ text }) => turn.phrases.byAgent(text));

/** The title of a piece of work; where the closing words made it and do not say that it was done, the files instead. */
function doneBy({ title, filesModified }: ObservationDraft, turn: Turn) {
  const isSaid = reportsOf(turn.actions, turn).some((report) =>
    [report.title, report.text].some((text) => text.startsWith(title)),
  );
  if (!isSaid || saysDone(title) || filesModified.length === 0) return title;
  const files = filesModified.map(baseName);
  return turn.phrases.edit(files.slice(0, DONE_FILES), Math.max(0, files.length - DONE_FILES));
}

export function summaryOf(turn: Turn, drafts: readonly ObservationDraft[]): SummaryDraft | undefined {
  const { calls, words, request, actions, phrases } = turn;
  if (request === "" && words === "" && drafts.length === 0) return undefined;
  // What the user decided is not done by it.
  const done = drafts.filter(({ type }) => type !== "discovery" && type !== "decision");
  const told = drafts.flatMap(({ title, subtitle = "" }) => [title, subtitle]).join("\n");
  // What the observations say is not said again.
  const isNews = (sentence: string) => !told.includes(sentence.replace(/[.。]$/, ""));
  const changed = actions.some(({ kind }) => kind === "change" || kind === "commit");
  const reports = reportsOf(actions, turn)
    .filter(({ text, isOpening, isSupposed }) => !isOpening && !isSupposed && !/[?？]\W*$/.test(text))
    .flatMap(({ text }) => (isNews(text) ? [text] : []));
  const reported = changed ? reports.filter(saysDone).slice(0, REPORTS) : [];
  const completed = reported.length > 0 ? reported : done.map((draft) => doneBy(draft, turn));
  const found = reports.filter((text) => !reported.includes(text)).slice(0, REPORTS);
  const learned = unique([...found, ...factsIn(words, 4).filter(isNews)]).filter(
    (fact) => !completed.includes(fact),
  );
  const waiting = todosOf(calls)
    .filter(({ status }) => status !== "completed")
    .map(({ text }) => text);
  const failing = stillFailing(actions).map((action) => {
    const { subject, message } = failureName(action);
    return phrases.open([subject, message].filter(Boolean).join(": "));
  });
  const fields = {
    request: requestOf(turn),
    investigated: investigatedIn(turn),
    learned: withoutOrders(learned),
    completed: withoutOrders(unique(completed)),
    nextSteps: withoutOrders(
      unique([...waiting.slice(0, 5), ...nextStepsIn(words, 3), ...stepsOfAgent(turn)]),
    ),
    notes: withoutOrders(unique(failing)),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}
