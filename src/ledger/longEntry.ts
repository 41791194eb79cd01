// A long line of the log, which is a compaction with its summary: its messages are parsed when something asks for them.
import { isObject, parseJson } from "../lib/index.ts";
import { type EditOf, entryProblem, type LedgerEntry } from "./edits.ts";

/** Shorter lines are parsed at once. */
const LONG_LINE = 8_192;
/** What stands before the edit is shorter. */
const HEAD = 2_048;
/** Quotes inside of a text are escaped: these stand nowhere else, but for the last one in a message before the entry's own. */
const EDIT = ',"edit":{"kind":"replace-prefix",';
const TOKENS = '},"tokens":{"before":';

type Compaction = EditOf<"replace-prefix">;

/** Names no message: a compaction that cannot be read any more is skipped as one whose messages are gone. */
const unreadable: Compaction = { kind: "replace-prefix", through: "unreadable", messages: [] };

/** The entry of a line as `append` writes it; undefined for any other line, which has to be parsed. */
export function longEntry(line: Buffer): LedgerEntry | undefined {
  if (line.length < LONG_LINE) return undefined;
  const head = line.toString("utf8", 0, HEAD);
  const [editAt, tokensAt] = [head.indexOf(EDIT), line.lastIndexOf(TOKENS)];
  if (editAt < 0 || tokensAt < editAt) return undefined;
  const before = parseJson(`${head.slice(0, editAt)}}`);
  const after = parseJson(`{${line.toString("utf8", tokensAt + 2)}`);
  if (!isObject(before) || !isObject(after)) return undefined;
  const entry = { ...before, edit: parsedLater(line), ...after };
  return entryProblem({ ...entry, edit: unreadable }) === undefined
    ? (entry as unknown as LedgerEntry)
    : undefined;
}

function parsedLater(line: Buffer): Compaction {
  let parsed: Compaction | undefined;
  const whole = () => {
    parsed ??= compactionIn(line);
    return parsed;
  };
  const edit = { kind: "replace-prefix" };
  for (const field of fields)
    Object.defineProperty(edit, field, { get: () => whole()[field], enumerable: true });
  return edit as Compaction;
}

const fields = [
  "through",
  "messages",
  "keep",
  "attachments",
  "dropThinking",
  "boundary",
  "words",
] as const satisfies readonly (keyof Compaction)[];

function compactionIn(line: Buffer): Compaction {
  const value = parseJson(line.toString("utf8"));
  if (entryProblem(value) !== undefined) return unreadable;
  return (value as { readonly edit: Compaction }).edit;
}
