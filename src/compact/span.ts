// A few lines for a span that left the middle of a conversation: what happened in it, and how to read it again.
import { type Activity, readActivity } from "../activity/index.ts";
import { firstCharacters, isObject, lastCharacters, singleLine } from "../lib/index.ts";
import { blocksOf, type HistoryItem, isText, isToolUse, textOf } from "../messages/index.ts";
import { estimateText } from "../tokens/index.ts";
import { type DeterministicInput, type DeterministicSummary, referenceTo } from "./deterministic.ts";
import { chooseKeyLines } from "./keyContent/keyContent.ts";
import { renderKeyLines } from "./keyContent/keyLines.ts";
import { transcriptContent } from "./transcriptText.ts";

/** How every placeholder of a collapsed span begins. */
export const COLLAPSED = "[Earlier messages collapsed:";

/** Share of the budget for what happened; the lines that were in use get the rest. */
const FACTS = 0.6;
/** Headings are not known before the lines are chosen. */
const LINES = 0.8;
const LONGEST_FACT = 400;

interface SpanInput extends DeterministicInput {
  /** Text that a model wrote for the span, in place of the generated one. */
  readonly wording?: string;
}

/** The placeholder of a span: the same for the same messages and words. Its first reference is what its handle names. */
export function summariseSpan({ history, budget, family, wording }: SpanInput): DeterministicSummary {
  const transcript = referenceTo(transcriptContent(history), "the collapsed messages, readable");
  const { handle } = transcript;
  const head = `${COLLAPSED} ${history.length} messages, kept word for word; recall ${handle} gives them back, whole, by lines or by a pattern.]`;
  const referred = [transcript];
  if (wording !== undefined) return { text: `${head}\n${wording}`, referred };
  const tokens = (text: string) => estimateText(text, family);
  const facts = factsWithin(spanFacts(readActivity(history)), budget * FACTS, tokens);
  const left = budget - tokens([head, ...facts].join("\n"));
  const lines = chooseKeyLines(history, Math.max(0, left * LINES));
  const shown = lines.length === 0 ? [] : [renderKeyLines(lines, (source) => `in ${source}:`)];
  return { text: [head, ...facts, ...shown].join("\n"), referred };
}

/** The facts that fit, in their order; a long one makes room for shorter ones behind it. */
function factsWithin(facts: readonly string[], room: number, tokens: (text: string) => number) {
  let left = room;
  return facts.filter((fact) => {
    const cost = tokens(fact) + 1;
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/** What happened, the most specific first. */
function spanFacts({ exchanges, texts, files, commands, delegations }: Activity) {
  const last = texts.at(-1);
  return [
    ...exchanges.flatMap(({ reply, chosen, reversal }) => [
      ...(reply === "" ? [] : [`- the user wrote: ${clipped(reply)}`]),
      ...(reversal !== undefined ? [] : chosen.map((text) => `- agreed: ${clipped(text)}`)),
    ]),
    ...(last ? [`- it ended with: ${clipped(last.text)}`] : []),
    ...files
      .filter(({ edits, writes }) => edits + writes > 0)
      .map(({ path, lastAction }) => `- ${lastAction}: ${path}`),
    ...delegations.map(
      ({ task, outcome, report }) =>
        `- subagent: ${clipped(task, 160)} (${outcome})${report === "" ? "" : `: ${clipped(report)}`}`,
    ),
    ...commands.map(
      ({ command, outcome, tells }) => `- \`${clipped(command, 160)}\` ${outcome}: ${clipped(tells, 120)}`,
    ),
    ...files
      .filter(({ edits, writes }) => edits + writes === 0)
      .map(({ path, lastAction }) => `- ${lastAction}: ${path}`),
  ];
}

function clipped(text: string, most = LONGEST_FACT) {
  const line = singleLine(text);
  return line.length <= most
    ? line
    : `${firstCharacters(line, most * 0.7)} … ${lastCharacters(line, most * 0.3)}`;
}

/** Names too long to be guessed again, as in the key lines. */
const longName = /[A-Za-z_][\w-]{12,}\w/g;

/** Files and long names that a message's words and calls make use of. */
export function namesUsedIn({ message }: HistoryItem) {
  const names = new Set<string>();
  for (const block of blocksOf(message)) {
    if (isText(block)) addLongNames(block.text, names);
    if (!isToolUse(block)) continue;
    addLongNames(JSON.stringify(block.input) ?? "", names);
    const { file_path, notebook_path } = isObject(block.input) ? block.input : {};
    for (const file of [file_path, notebook_path]) if (typeof file === "string") names.add(file);
  }
  return names;
}

/** Everything that a message names, its results among it. */
export function namesKnownFrom(item: HistoryItem) {
  const names = namesUsedIn(item);
  for (const block of blocksOf(item.message))
    if (block.type === "tool_result") addLongNames(textOf(block.content), names);
  return names;
}

function addLongNames(text: string, names: Set<string>) {
  for (const name of text.match(longName) ?? []) names.add(name);
}
