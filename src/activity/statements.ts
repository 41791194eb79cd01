// What may be stated of a session, because a structure in it says so: each with the rows it rests on.
import type { Activity } from "./activity.ts";
import { agentWords, type Statement, saysTheSame } from "./agentWords.ts";
import { failureName, stillFailing } from "./checks.ts";
import { isPureAcceptance } from "./choices.ts";
import type { Exchange } from "./exchanges.ts";
import type { Todo } from "./tasks.ts";
import { oneLine, ownWords } from "./text.ts";
import { announcementIn, headline } from "./words.ts";

export interface Statements {
  /** What is being worked on. */
  readonly core?: Statement;
  /** What the agent said it was doing when the conversation was compacted, while nothing was done since. */
  readonly current?: Statement;
  readonly decisions: readonly Statement[];
  readonly next: readonly Statement[];
  readonly failing: readonly Statement[];
  /** Paths in play, the most important first. */
  readonly files: readonly string[];
}

const LONGEST = 300;
const OPEN_REQUEST = 200;
const STEP = 120;

export function statementsOf(activity: Activity): Statements {
  const core = coreOf(activity);
  const { current, ...agent } = agentWords(activity);
  return {
    ...(core && { core }),
    ...(current && { current }),
    decisions: [...activity.exchanges.flatMap(decisionsOf), ...agent.decisions],
    next: withAgentWords(nextOf(activity), agent.next),
    failing: failingOf(activity),
    // Reads every action, and not every reader of statements wants it.
    get files() {
      return filesInPlay(activity);
    },
  };
}

/** Words that say more than yes. */
const hasContent = (reply: string) => (reply.match(/[\u4e00-\u9fff]|[\p{L}\p{N}]{2,}/gu) ?? []).length >= 4;

/** A choice that the form of question and reply settles; later reversals are left out. */
function decisionsOf({ reply, row, at, proposal, chosen, reversal }: Exchange): Statement[] {
  if (reversal !== undefined || !proposal || chosen.length === 0) return [];
  const isOwnWords = proposal.kind !== "question" && chosen.length === 1 && hasContent(reply);
  return chosen.map((text) => ({
    text: `${oneLine(text, LONGEST)}${isOwnWords ? ` (“${oneLine(reply, 120)}”)` : ""}`,
    rows: [row, proposal.row],
    at,
  }));
}

/**
 * The newest list as it stands. Nothing is in progress when the turn is over; and of a list whose work the user stopped,
 * nothing is open unless it has been written again since.
 */
export function tasksInForce({ todos, actions, lastRequest }: Activity): readonly Todo[] {
  const written = Math.max(-1, ...todos.map(({ at }) => at));
  const isBegun = todos.some(({ status }) => status === "in_progress");
  const isStopped = () => actions.some(({ outcome, at }) => outcome === "refused" && at > written);
  if (isBegun && isStopped()) return todos.filter(({ status }) => status === "completed");
  if (lastRequest && !lastRequest.ended) return todos;
  return todos.map((todo) => (todo.status === "in_progress" ? { ...todo, status: "pending" } : todo));
}

/** Open items of the newest task list, and the request whose turn goes on. */
function nextOf(activity: Activity): Statement[] {
  const begun = new Set(
    activity.todos.flatMap(({ text, status }) => (status === "in_progress" ? [text] : [])),
  );
  const open = tasksInForce(activity)
    .filter(({ status }) => status !== "completed")
    .toSorted((a, b) => Number(begun.has(b.text)) - Number(begun.has(a.text)))
    .map(({ text, status, row, at }) => ({
      text: `${oneLine(text, LONGEST)}${status === "in_progress" ? " (in progress)" : ""}`,
      rows: [row],
      at,
    }));
  const asked = openRequest(activity);
  // A list that was written for the request says better what is left of it.
  const isListed = open.some(({ at }) => at > (asked?.at ?? 0)) && asked?.said === undefined;
  return !asked || isListed ? open : [...open, asked.statement];
}

/** The request whose turn goes on, or what it agrees to, with what the assistant last announced in that turn. */
function openRequest({ lastRequest, exchanges, texts, todos, actions }: Activity) {
  if (!lastRequest || lastRequest.ended) return undefined;
  const { row, at, text } = lastRequest;
  const answer = exchanges.findLast((one) => one.row === row);
  const proposal = answer?.chosen.length ? answer.proposal : undefined;
  const asked = proposal && answer ? answer.chosen.join("; ") : ownWords(text);
  const listed = Math.max(at, ...todos.map((todo) => todo.at));
  const last = texts.findLast((one) => one.at > at);
  const announced = last && announcementIn(last.text);
  // Under way or done: nothing says which.
  const isBegun = actions.some((one) => one.at >= (last?.at ?? 0) && one.outcome === "ok");
  const step = announced === undefined ? undefined : `${isBegun ? "begun: " : ""}${announced}`;
  const statement: Statement = {
    text: [oneLine(asked, OPEN_REQUEST), ...(step === undefined ? [] : [oneLine(step, STEP)])].join(" — "),
    rows: [row, ...(proposal ? [proposal.row] : []), ...(last && step !== undefined ? [last.row] : [])],
    at,
  };
  return { at, statement, said: last && last.at > listed ? last : undefined };
}

/** The agent's steps behind those that a structure names; what both name once. */
function withAgentWords(own: readonly Statement[], agent: readonly Statement[]) {
  return [...own, ...agent.filter(({ text }) => !own.some((one) => saysTheSame(one.text, text)))];
}

/** Checks that the current turn ran and that have not passed since. An older run may have been overtaken unseen. */
function failingOf({ actions, lastRequest }: Activity): Statement[] {
  return stillFailing(actions, lastRequest?.at).map((action) => {
    const { subject, message } = failureName(action);
    const name = action.check?.name ?? "";
    const what = [name, subject === name ? "" : subject, message].filter(Boolean).join(": ");
    return {
      text: oneLine(what, LONGEST),
      rows: [action.resultRow ?? action.row],
      at: action.at,
    };
  });
}

const REQUEST = 220;
const CORE_STEP = 90;
const CORE_STEPS = 2;
/** A longer reply asks for something, whatever else it chooses. */
const LONG_REPLY = 120;
/** A Chinese sign says about as much as two letters of English. */
const fitting = (text: string, most: number) =>
  oneLine(
    text,
    (text.match(/[\u4e00-\u9fff]/g) ?? []).length > text.length * 0.3 ? Math.floor(most / 2) : most,
  );

/** The latest request that says what it is about, over replies that only agree or choose, or a later command. */
function openingOf({ exchanges, lastCommand }: Activity) {
  const isRequest = ({ proposal }: Exchange) => proposal === undefined || proposal.kind === "words";
  const isOpening = (one: Exchange) =>
    isRequest(one) &&
    !isPureAcceptance(one.reply) &&
    (one.chosen.length === 0 || one.reply.length > LONG_REPLY) &&
    hasContent(ownWords(one.reply));
  const request = exchanges.findLast(isOpening) ?? exchanges.find(isRequest);
  if (lastCommand && lastCommand.at > (request?.at ?? -1)) return lastCommand;
  return request && { at: request.at, row: request.row, text: ownWords(request.reply) };
}

/** What is being worked on, with what was said of it since, or what was agreed to where little was said. */
function coreOf(activity: Activity): Statement | undefined {
  const opening = openingOf(activity);
  if (!opening) return undefined;
  const { at, row, text } = opening;
  const since = activity.texts.slice(-CORE_STEPS).filter((one) => one.at > at);
  const told = since.flatMap(({ text, row }) => {
    const said = headline(text, "");
    return said === undefined ? [] : [{ said, row }];
  });
  const agreed = activity.exchanges.findLast(
    (one) => one.at > at && one.chosen.length > 0 && one.reversal === undefined,
  );
  if (agreed && told.length < CORE_STEPS) told.unshift({ said: agreed.chosen.join("; "), row: agreed.row });
  return {
    text: [fitting(text, REQUEST), ...told.map(({ said }) => fitting(said, CORE_STEP))].join(" — "),
    rows: [row, ...told.map((one) => one.row)],
    at,
  };
}

const MOST_FILES = 8;
/** What a turn says of a file: that it was changed, or only read. */
const turnWeights = { changed: 3, read: 1 } as const;
/** What is left of a file's weight after each turn of the user. */
const FADING = 0.6;
/** A file with less than this share of the first one's weight is not in play any more. */
const LEAST_SHARE = 0.1;

/** The files of the latest turns, changed ones first; how often a turn touched a file says nothing. */
function filesInPlay({ actions, inputs }: Activity) {
  const weights = new Map<string, number>();
  let past = 0;
  const counted = new Set<string>();
  for (const { path, fileAction, at, outcome } of actions) {
    if (path === undefined || fileAction === undefined || outcome === "failed" || outcome === "refused")
      continue;
    while ((inputs[past]?.at ?? Number.POSITIVE_INFINITY) <= at) past++;
    const turns = inputs.length - past;
    const kind = fileAction === "read" ? "read" : "changed";
    const once = `${turns} ${kind} ${path}`;
    if (counted.has(once)) continue;
    counted.add(once);
    weights.set(path, (weights.get(path) ?? 0) + turnWeights[kind] * FADING ** turns);
  }
  const ordered = [...weights].sort(([, a], [, b]) => b - a);
  const least = (ordered[0]?.[1] ?? 0) * LEAST_SHARE;
  return ordered
    .filter(([, weight]) => weight >= least)
    .slice(0, MOST_FILES)
    .map(([path]) => path);
}
