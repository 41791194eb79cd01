// The lines that messages show, each with where it stands and how it came to be seen; and chosen lines as text.
import { defined, firstCharacters, isObject, type JsonObject, stringsIn } from "../../lib/index.ts";
import { blocksOf, type HistoryItem, isText, isThinking, isToolUse, textOf } from "../../messages/index.ts";

/** One line and its place. */
export interface KeyLine {
  /** A file, or what else the line was seen in. */
  readonly source: string;
  readonly text: string;
  /** Its number in the file, where the result gave one. */
  readonly number?: number;
}

/** How a line came to be seen, and how much that says about its being needed again. */
export const seenWeights = {
  edited: 3,
  replaced: 1,
  written: 2,
  asked: 4,
  said: 2,
  thought: 1,
  called: 2,
  read: 0.7,
  returned: 0.8,
} as const;

type LineOccurrence = keyof typeof seenWeights;

export interface SeenLine extends KeyLine {
  readonly at: number;
  readonly seen: LineOccurrence;
}

const SHORTEST_KEY_LINE = 14;
export const LONGEST_KEY_LINE = 220;
/** What a call asked for, by the id under which its result comes. */
export type KnownCalls = Map<string, { readonly name: string; readonly source: string }>;

/** The lines of one message. Calls are noted in `calls`, so that their results can be told apart. */
export function* seenLines({ message }: HistoryItem, at: number, calls: KnownCalls): Generator<SeenLine> {
  for (const block of blocksOf(message)) {
    if (isToolUse(block)) {
      const input = isObject(block.input) ? block.input : {};
      const file = [input.file_path, input.notebook_path].find((value) => typeof value === "string");
      calls.set(block.id, { name: block.name, source: file ?? resultName(block.name, input) });
      yield* callLines(block.name, input, file, at);
    } else if (block.type === "tool_result") {
      const call = calls.get(String(block.tool_use_id));
      const seen = call?.name === "Read" ? "read" : "returned";
      yield* keyLinesIn(textOf(block.content), call?.source ?? "a tool's result", at, seen);
    } else if (isText(block)) {
      const isUser = message.role === "user";
      yield* keyLinesIn(
        block.text,
        isUser ? "what the user wrote" : "what the assistant said",
        at,
        isUser ? "asked" : "said",
      );
    } else if (isThinking(block) && typeof block.thinking === "string") {
      yield* keyLinesIn(block.thinking, "the assistant's thinking", at, "thought");
    }
  }
}

const LONGEST_RESULT_NAME = 90;

/** A result by what was asked for: its lines would say little without it. */
function resultName(tool: string, input: JsonObject) {
  const asked = [input.command, input.pattern, input.query, input.url, input.description, input.path].find(
    (value) => typeof value === "string",
  );
  return asked === undefined
    ? `the result of ${tool}`
    : `the result of ${tool} ${firstCharacters(asked.replace(/\s+/g, " "), LONGEST_RESULT_NAME)}`;
}

/** A handle says nothing of what is behind it. */
const isRecall = (name: string) => /(^|_)recall$/.test(name);

function* callLines(
  name: string,
  input: JsonObject,
  file: string | undefined,
  at: number,
): Generator<SeenLine> {
  if (file !== undefined && typeof input.new_string === "string") {
    yield* keyLinesIn(input.new_string, file, at, "edited");
    if (typeof input.old_string === "string") yield* keyLinesIn(input.old_string, file, at, "replaced");
  } else if (file !== undefined && typeof input.content === "string") {
    yield* keyLinesIn(input.content, file, at, "written");
  } else if (!isRecall(name))
    for (const text of stringsIn(input)) yield* keyLinesIn(text, `what ${name} was asked for`, at, "called");
}

function* keyLinesIn(text: string, source: string, at: number, seen: LineOccurrence): Generator<SeenLine> {
  for (const raw of text.split("\n")) {
    const numbered = /^\s*(\d+)(?:→|\t)/.exec(raw);
    const line = (numbered ? raw.slice(numbered[0].length) : raw).trim();
    if (line.length >= SHORTEST_KEY_LINE && line.length <= LONGEST_KEY_LINE && !line.startsWith("<")) {
      yield {
        source,
        text: line,
        at,
        seen,
        ...defined({ number: numbered ? Number(numbered[1]) : undefined }),
      };
    }
  }
}

/** The lines as text: a heading per source, each line with its number where it has one. */
export function renderKeyLines(lines: readonly KeyLine[], heading: (source: string) => string) {
  const out: string[] = [];
  let source: string | undefined;
  for (const line of lines) {
    if (line.source !== source) out.push(heading(line.source));
    source = line.source;
    out.push(`  ${line.number === undefined ? "" : `${line.number}: `}${line.text}`);
  }
  return out.join("\n");
}

/** Names as text, a line for each place. */
export function renderNames(names: ReadonlyMap<string, readonly string[]>) {
  return [...names].map(([source, found]) => `  ${source}: ${found.join(", ")}`).join("\n");
}
