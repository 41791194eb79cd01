// A summary without a model: the nine sections, filled from what the messages themselves say, in any size asked for.
import {
  type Activity,
  addedWordsHeading,
  conversationText,
  type Fix,
  failureName,
  fixesIn,
  inputsIn,
  ownSummaryOpening,
  readActivity,
  type Statement,
  type Statements,
  statementsOf,
  type TurnEnd,
  tasksInForce,
} from "../activity/index.ts";
import { firstCharacters, GrowingReaders, lastCharacters } from "../lib/index.ts";
import type { History, HistoryItem } from "../messages/index.ts";
import { estimateText, type TokenizerFamily } from "../tokens/index.ts";
import { GrowingContent, type GrownContent } from "../vault/index.ts";
import { keyContentOf } from "./keyContent/keyContent.ts";
import { renderKeyLines, renderNames } from "./keyContent/keyLines.ts";
import { summarySections } from "./prompts.ts";
import { transcriptContent } from "./transcriptText.ts";

/** What a summary refers to by handle, and the vault has to hold before the summary is sent. */
export interface Referred {
  readonly content: GrownContent;
  readonly handle: string;
  readonly note: string;
}

export interface DeterministicSummary {
  readonly text: string;
  readonly referred: readonly Referred[];
}

export interface DeterministicInput {
  /** Every original message that the summary stands for. */
  readonly history: History;
  /** The whole conversation, newest messages included: what is open or done is read from it. `history` unless given. */
  readonly whole?: History;
  /** What stands in the window beside the summary: names in it need no line here. */
  readonly shown?: string;
  /** Tokens the summary may take. */
  readonly budget: number;
  readonly family: TokenizerFamily;
}

/** Shares of the budget. What a part does not use goes to the key lines and names, which take all that is left. */
const shares = {
  conversation: 0.5,
  request: 0.06,
  decisions: 0.04,
  files: 0.1,
  failures: 0.06,
  commands: 0.05,
  pending: 0.06,
} as const;

/** Below this a summary can only say where everything is. */
const SMALLEST_SUMMARY = 400;

export function summariseDeterministically({
  history,
  whole = history,
  shown = "",
  budget,
  family,
}: DeterministicInput): DeterministicSummary {
  const activity = readActivity(history);
  const all = referenceTo(transcriptContent(history), "the whole conversation up to here, readable");
  const words = userWordsOf(history);
  const handles = { all: all.handle, words: words.handle };
  const now = whole === history ? activity : readActivity(whole);
  const writer = new SectionWriter(budget, family, handles);
  const text = writer.compose({ activity, history, shown, now, stated: statementsOf(now) });
  return { text, referred: [all, words] };
}

/** Every word of the user in a conversation that grows. */
class UserWordsReader {
  items: History = [];
  readonly #content = new GrowingContent();
  #inputs: Activity["inputs"] = [];

  read(history: History): void {
    const inputs = inputsIn(history);
    this.#content.append(spoken(inputs, this.#inputs.length));
    [this.items, this.#inputs] = [history, inputs];
  }

  current(): GrownContent {
    const inputs = this.#inputs;
    return this.#content.current(() => spoken(inputs));
  }
}

/** The words from an input on, in pieces. */
const spoken = (inputs: Activity["inputs"], from = 0) =>
  inputs.slice(from).flatMap(({ text }, at) => (from + at === 0 ? [text] : ["\n\n", text]));

const wordsReaders = new GrowingReaders<HistoryItem, UserWordsReader>(() => new UserWordsReader());

export const userWordsOf = (history: History): Referred =>
  referenceTo(wordsReaders.of(history).current(), "every word of the user up to here");

export function referenceTo(content: GrownContent, note: string): Referred {
  return { content, handle: content.handle, note };
}

interface Handles {
  readonly all: string;
  readonly words: string;
}

interface SummaryMaterial {
  /** What happened in the messages that the summary stands for. */
  readonly activity: Activity;
  readonly history: History;
  readonly shown: string;
  /** The state at the end of the whole conversation. */
  readonly now: Activity;
  readonly stated: Statements;
}

const endWords: Readonly<Record<TurnEnd, string>> = {
  answered: ", which the assistant has answered",
  stopped: ", at whose work the user stopped the assistant",
};

/** The heading of the n-th of the nine sections. */
function sectionHeading(number: number) {
  return `${number}. ${summarySections[number - 1] ?? ""}:`;
}

/** A check that passed after changes, or one that fails. */
function failureLine(one: Fix | Statement) {
  if ("text" in one) return `failed when it was last run: ${one.text}`;
  const { subject, message } = failureName(one.failed);
  return `${[subject, message].filter(Boolean).join(": ")}; passed after changes in ${one.files.join(", ")}`;
}

function runLine(one: Activity["delegations"][number] | Activity["commands"][number]) {
  if ("task" in one)
    return `subagent: ${one.task} (${one.outcome})${one.report === "" ? "" : `: ${one.report}`}`;
  const tells = one.tells === "" ? "" : `: ${firstCharacters(one.tells, 120)}`;
  return `\`${firstCharacters(one.command, 160)}\` ${one.outcome}${tells}`;
}

class SectionWriter {
  readonly #budget: number;
  readonly #family: TokenizerFamily;
  readonly #handles: Handles;

  constructor(budget: number, family: TokenizerFamily, handles: Handles) {
    this.#budget = budget;
    this.#family = family;
    this.#handles = handles;
  }

  #tokens(text: string) {
    return estimateText(text, this.#family);
  }

  /** As many of the entries as fit into a share, the last ones first; says how many were left out. */
  #fit<T>(entries: readonly T[], share: number, say: (entry: T) => string) {
    const room = this.#budget * share;
    const taken: string[] = [];
    let used = 0;
    for (let at = entries.length - 1; at >= 0; at--) {
      const line = `- ${say(entries[at] as T)}`;
      const cost = this.#tokens(line) + 1;
      if (used + cost > room) break;
      used += cost;
      taken.unshift(line);
    }
    const left = entries.length - taken.length;
    return left === 0 ? taken : [`- (${left} earlier: recall ${this.#handles.all})`, ...taken];
  }

  /** A text whole if it fits, otherwise its beginning and end. */
  #clip(text: string, share: number, handle: string) {
    const room = this.#budget * share;
    if (this.#tokens(text) <= room) return text;
    const characters = Math.max(80, Math.floor((text.length * room * 0.8) / this.#tokens(text)));
    const head = firstCharacters(text, Math.ceil(characters * 0.7));
    return `${head} … ${lastCharacters(text, Math.floor(characters * 0.3))} (recall ${handle})`;
  }

  compose(material: SummaryMaterial) {
    const { now } = material;
    const whole = `${ownSummaryOpening} ${this.#handles.all}, whole, by lines, or by a pattern.`;
    const smallest = () => this.#clip(`${whole}\n${now.lastRequest?.text ?? ""}`, 0.9, this.#handles.words);
    if (this.#budget < SMALLEST_SUMMARY) return smallest();
    const before = this.#before(material);
    const after = this.#after(material);
    const frame = [whole, ...before, sectionHeading(3), ...after].join("\n");
    const room = this.#budget * 0.985 - this.#tokens(frame);
    const files = this.#files(material, frame, Math.max(0, room));
    const text = [whole, ...before, sectionHeading(3), files, ...after].join("\n");
    // What is said in any case (headings, the latest messages) can be more than a small budget has room for.
    return this.#tokens(text) > this.#budget ? smallest() : text;
  }

  #before({ activity, now, stated }: SummaryMaterial) {
    const { lastRequest } = now;
    const first = activity.inputs[0];
    const asked = lastRequest
      ? `The user's latest message${lastRequest.ended ? endWords[lastRequest.ended] : ""}: ${this.#clip(lastRequest.text, shares.request, this.#handles.words)}`
      : "No message of the user is on record.";
    const began =
      first && first.row !== lastRequest?.row
        ? [`It began with: ${this.#clip(first.text, shares.request, this.#handles.words)}`]
        : [];
    return [
      sectionHeading(1),
      asked,
      ...began,
      sectionHeading(2),
      ...this.#fit(stated.decisions, shares.decisions, ({ text }) => `agreed: ${text}`),
    ];
  }

  #files({ activity, history, shown }: SummaryMaterial, frame: string, room: number) {
    const actionsOn = ({ path, writes, edits, reads, lastAction }: Activity["files"][number]) => {
      const counts = [
        writes > 0 ? `written ${writes}×` : "",
        edits > 0 ? `edited ${edits}×` : "",
        reads > 0 ? `read ${reads}×` : "",
      ].filter((part) => part !== "");
      return `${path} (${counts.join(", ")}; last ${lastAction})`;
    };
    const list = this.#fit(activity.files, Math.min(shares.files, room / this.#budget / 2), actionsOn);
    const listed = list.join("\n");
    const left = room - this.#tokens(listed);
    return `${listed}\n${this.#keyLines(history, `${shown}\n${frame}\n${listed}`, left)}`;
  }

  /** Headings are not known before the lines are chosen: when they make it too long, fewer lines are. */
  #keyLines(history: History, shown: string, room: number) {
    const choose = keyContentOf(history);
    let [budget, best] = [room, ""];
    for (let attempt = 0; attempt < 5; attempt++) {
      const { lines, names } = choose(Math.max(0, budget), shown);
      const text = [
        "Lines that were in use, newest first:",
        renderKeyLines(lines, (source) => `in ${source}:`),
        ...(names.size > 0 ? ["Further names that were in use:", renderNames(names)] : []),
      ].join("\n");
      const tokens = this.#tokens(text);
      if (tokens <= room && text.length > best.length) best = text;
      if (tokens <= room && tokens > room * 0.98) break;
      budget *= (0.99 * room) / tokens;
    }
    return best;
  }

  #after({ activity, now, stated }: SummaryMaterial) {
    const listed = tasksInForce(now);
    const isAllDone = listed.every(({ status }) => status === "completed");
    const tasks = (isAllDone ? [] : listed).map(
      ({ text, status }) => `[${status === "completed" ? "done" : status}] ${text}`,
    );
    const { lastRequest } = now;
    // A plan of an earlier turn may be carried out: nothing tells.
    const plan =
      now.plan && !lastRequest?.ended && now.plan.at > (lastRequest?.at ?? 0) ? now.plan : undefined;
    const planned = plan?.approved ? "The plan" : "A plan that the user did not approve";
    return [
      sectionHeading(4),
      ...this.#fit([...fixesIn(activity.actions), ...stated.failing], shares.failures, failureLine),
      sectionHeading(5),
      ...this.#fit([...activity.delegations, ...activity.commands], shares.commands, runLine),
      sectionHeading(6),
      `(with what they answer; every word: recall ${this.#handles.words})`,
      conversationWithin(activity, this.#budget * shares.conversation, this.#family),
      sectionHeading(7),
      ...(plan ? [`${planned}: ${this.#clip(plan.text, shares.pending, this.#handles.all)}`] : []),
      ...this.#fit(tasks, shares.pending, (task) => task),
      sectionHeading(8),
      stated.core?.text ?? "Nothing was said yet.",
      sectionHeading(9),
      ...(stated.next.length > 0
        ? this.#fit([...stated.next].reverse(), shares.pending, ({ text }) => text).reverse()
        : [NONE]),
    ];
  }
}

const CHARACTERS_PER_TOKEN = 4;

/** Both sides' words, as much of them as fits into so many tokens; tokens are not known before the text is. */
function conversationWithin(activity: Activity, room: number, family: TokenizerFamily) {
  let characters = room * CHARACTERS_PER_TOKEN;
  for (;;) {
    const text = conversationText(activity, Math.floor(characters));
    const tokens = estimateText(text, family);
    if (tokens <= room) return text;
    characters *= Math.min(0.9, (0.97 * room) / tokens);
  }
}

/** What a model's summary shortens: the user's words with what they answer, and the handle of every word of them. */
export function verbatimAddition({ history, budget, family }: DeterministicInput): DeterministicSummary {
  const activity = readActivity(history);
  const words = userWordsOf(history);
  const head = `${addedWordsHeading}\n(the user's messages with what they answer; every word: recall ${words.handle})`;
  const room = budget - estimateText(head, family) - 2;
  const text = room < SMALLEST_SUMMARY ? "" : conversationWithin(activity, room, family);
  return text === "" ? { text: "", referred: [] } : { text: `${head}\n${text}`, referred: [words] };
}
const NONE = "None is on record.";
