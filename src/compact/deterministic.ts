// A summary without a model: the nine sections, filled from what the messages themselves say, in any size asked for.
import type { Activity } from "../activity/index.ts";
import { extractActivity } from "../activity/index.ts";
import { firstCharacters, lastCharacters } from "../lib/index.ts";
import type { History } from "../messages/index.ts";
import { estimateText, type TokenizerFamily } from "../tokens/index.ts";
import { nameOf } from "../vault/index.ts";
import { chooseKeyLines, renderKeyLines } from "./keyLines.ts";
import { summarySections } from "./prompts.ts";
import { transcriptPieces } from "./transcriptText.ts";

/** What a summary refers to by handle, and the vault has to hold before the summary is sent. */
export interface Referred {
  readonly content: string;
  /** The content in pieces, which summaries of one conversation share. */
  readonly pieces: readonly string[];
  readonly note: string;
}

export interface DeterministicSummary {
  readonly text: string;
  readonly referred: readonly Referred[];
}

export interface DeterministicInput {
  /** Every original message that the summary stands for. */
  readonly history: History;
  /** Tokens the summary may take. */
  readonly budget: number;
  readonly family: TokenizerFamily;
}

/** Shares of the budget. What a part does not use goes to the key lines, which take all that is left. */
const shares = {
  request: 0.18,
  rules: 0.08,
  decisions: 0.05,
  files: 0.1,
  failures: 0.08,
  commands: 0.06,
  words: 0.2,
  pending: 0.06,
  current: 0.09,
} as const;

/** Below this a summary can only say where everything is. */
const SMALLEST_SUMMARY = 400;

export function summariseDeterministically({
  history,
  budget,
  family,
}: DeterministicInput): DeterministicSummary {
  const activity = extractActivity(history);
  const spoken = activity.inputs.flatMap(({ text }, at) => (at === 0 ? [text] : ["\n\n", text]));
  const all = referenceTo(transcriptPieces(history), "the whole conversation up to here, readable");
  const words = referenceTo(spoken, "every word of the user up to here");
  const handles = { all: nameOf(all.content).handle, words: nameOf(words.content).handle };
  const writer = new SectionWriter(budget, family);
  const text = writer.compose(activity, history, handles);
  return { text, referred: [all, words] };
}

export function referenceTo(pieces: readonly string[], note: string): Referred {
  return { content: pieces.join(""), pieces, note };
}

interface Handles {
  readonly all: string;
  readonly words: string;
}

/** The heading of the n-th of the nine sections. */
function sectionHeading(number: number) {
  return `${number}. ${summarySections[number - 1] ?? ""}:`;
}

class SectionWriter {
  readonly #budget: number;
  readonly #family: TokenizerFamily;

  constructor(budget: number, family: TokenizerFamily) {
    this.#budget = budget;
    this.#family = family;
  }

  #tokens(text: string) {
    return estimateText(text, this.#family);
  }

  /** As many of the entries as fit into a share, the last ones first; says how many were left out. */
  #fit(entries: readonly string[], share: number, more: string) {
    const room = this.#budget * share;
    const taken: string[] = [];
    let used = 0;
    for (const entry of [...entries].reverse()) {
      const line = `- ${entry}`;
      const cost = this.#tokens(line) + 1;
      if (used + cost > room) break;
      used += cost;
      taken.unshift(line);
    }
    const left = entries.length - taken.length;
    return left === 0 ? taken : [`- (${left} earlier: ${more})`, ...taken];
  }

  /** A text whole if it fits, otherwise its beginning and end. */
  #clip(text: string, share: number, more: string) {
    const room = this.#budget * share;
    if (this.#tokens(text) <= room) return text;
    const characters = Math.max(80, Math.floor((text.length * room * 0.8) / this.#tokens(text)));
    const head = firstCharacters(text, Math.ceil(characters * 0.7));
    return `${head} … ${lastCharacters(text, Math.floor(characters * 0.3))} (${more})`;
  }

  compose(activity: Activity, history: History, handles: Handles): string {
    const whole = `Everything before this is kept word for word: recall ${handles.all}, whole, by lines, or by a pattern.`;
    if (this.#budget < SMALLEST_SUMMARY)
      return this.#clip(`${whole}\n${activity.openRequest?.text ?? ""}`, 0.9, whole);
    const before = this.#before(activity, handles);
    const after = this.#after(activity, handles);
    const frame = [whole, ...before, sectionHeading(3), ...after].join("\n");
    const room = this.#budget * 0.96 - this.#tokens(frame);
    const files = this.#files(activity, history, Math.max(0, room));
    return [whole, ...before, sectionHeading(3), files, ...after].join("\n");
  }

  #before(activity: Activity, handles: Handles) {
    const { openRequest, inputs } = activity;
    const first = inputs[0];
    const recallWords = `recall ${handles.words}`;
    const asked = openRequest
      ? `The latest request, ${openRequest.answered ? "answered" : "still open"}: ${this.#clip(openRequest.text, shares.request, recallWords)}`
      : "No request of the user is on record.";
    const began =
      first && first !== inputs.at(-1)
        ? [`It began with: ${this.#clip(first.text, shares.request / 3, recallWords)}`]
        : [];
    return [
      sectionHeading(1),
      asked,
      ...began,
      sectionHeading(2),
      ...this.#fit(
        activity.constraints.map(({ text }) => `the user set: ${text}`),
        shares.rules,
        recallWords,
      ),
      ...this.#fit(
        activity.decisions.map(({ by, text }) => `decided (${by}): ${text}`),
        shares.decisions,
        `recall ${handles.all}`,
      ),
    ];
  }

  #files(activity: Activity, history: History, room: number) {
    const actionsOn = (path: string) => {
      const file = activity.files.find((one) => one.path === path);
      if (!file) return `${path}:`;
      const counts = [
        file.writes > 0 ? `written ${file.writes}×` : "",
        file.edits > 0 ? `edited ${file.edits}×` : "",
        file.reads > 0 ? `read ${file.reads}×` : "",
      ].filter((part) => part !== "");
      return `${path} (${counts.join(", ")}; last ${file.lastDeed}):`;
    };
    const list = this.#fit(
      activity.files.map(({ path }) => actionsOn(path).slice(0, -1)),
      Math.min(shares.files, room / this.#budget / 2),
      "in the transcript",
    );
    const listed = list.join("\n");
    const left = room - this.#tokens(listed);
    return `${listed}\n${this.#keyLines(history, left)}`;
  }

  /** Headings are not known before the lines are chosen: when they make it too long, fewer lines are. */
  #keyLines(history: History, room: number) {
    let share = 0.9;
    for (let attempt = 0; attempt < 4; attempt++) {
      const lines = chooseKeyLines(history, Math.max(0, room * share));
      const text = `Lines that were in use, newest first:\n${renderKeyLines(lines, (source) => `in ${source}:`)}`;
      if (this.#tokens(text) <= room) return text;
      share *= 0.9 * (room / this.#tokens(text));
    }
    return "";
  }

  #after(activity: Activity, handles: Handles) {
    const more = `recall ${handles.all}`;
    const failures = activity.failures.map(
      ({ attempt, error, fixedBy }) =>
        `${firstCharacters(attempt, 160)} failed: ${error}${fixedBy ? `; fixed by ${fixedBy}` : "; not seen fixed"}`,
    );
    const commands = activity.commands.map(
      ({ command, outcome, tells }) =>
        `\`${firstCharacters(command, 160)}\` ${outcome}${tells === "" ? "" : `: ${firstCharacters(tells, 120)}`}`,
    );
    const delegated = activity.delegations.map(
      ({ task, outcome, report }) => `subagent: ${task} (${outcome})${report === "" ? "" : `: ${report}`}`,
    );
    const pending = activity.todos
      .filter(({ status }) => status !== "completed")
      .map(({ text, status }) => `[${status}] ${text}`);
    const done = activity.todos
      .filter(({ status }) => status === "completed")
      .map(({ text }) => `[done] ${text}`);
    const working = activity.todos.find(({ status }) => status === "in_progress");
    const planned = activity.plan?.approved ? "The plan" : "A plan that the user did not approve";
    const plan = activity.plan ? [`${planned}: ${this.#clip(activity.plan.text, shares.pending, more)}`] : [];
    const { openRequest, lastWords } = activity;
    return [
      sectionHeading(4),
      ...this.#fit(failures, shares.failures, more),
      sectionHeading(5),
      ...this.#fit([...delegated, ...commands], shares.commands, more),
      sectionHeading(6),
      ...this.#fit(
        activity.inputs.map(({ text }) => text),
        shares.words,
        `recall ${handles.words}`,
      ),
      sectionHeading(7),
      ...plan,
      ...this.#fit([...done, ...pending], shares.pending, more),
      sectionHeading(8),
      lastWords ? this.#clip(lastWords.text, shares.current, more) : "Nothing was said yet.",
      sectionHeading(9),
      nextStep(working?.text, openRequest),
    ];
  }
}

function nextStep(working: string | undefined, request: Activity["openRequest"]) {
  if (working !== undefined) return `Go on with: ${working}`;
  if (request && !request.answered) return "Go on with the latest request in section 1.";
  return "The latest request was answered; wait for the user.";
}
