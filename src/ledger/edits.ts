// What can happen to a window: the kinds of edit, and the entry that records one.
import { isObject, type JsonObject, ThroughlineError } from "../lib/index.ts";
import { type Block, isBlock, type Message } from "../messages/index.ts";

/** What carries an edit out: `apply` (`here`), the agent that stored it already, or the API by a request directive. */
type CarriedOutBy = "here" | "host" | "server";

/** The levels that plan edits, in the order of a request; `user` is a person's own request. */
export const levels = ["budget", "snip", "microcompact", "collapse", "autocompact", "user"] as const;

export type Level = (typeof levels)[number];

/** Where a compaction cut, in the agent's own ids: what a resume needs to link old and new together. */
interface Boundary {
  readonly headUuid: string;
  readonly anchorUuid: string;
  readonly tailUuid: string;
}

/** A span that was chosen for a collapse and still stands. */
export interface StagedSpan {
  readonly firstArchivedUuid: string;
  readonly lastArchivedUuid: string;
  readonly tokens: number;
  readonly score: number;
  /** Text of the placeholder, when a model wrote one since the span was staged. */
  readonly wording?: string;
}

/** One kind of change to a window, with what it concerns. */
export type Edit =
  /** The content of one tool result; its block, id and error flag stay. */
  | {
      readonly kind: "replace-result";
      readonly toolUseId: string;
      readonly content: string | readonly Block[];
    }
  /** A user turn and everything in it. `items` are the removed messages (`removedUuids`). */
  | { readonly kind: "remove-turn"; readonly turn: string; readonly items: readonly string[] }
  /** A span of messages, first and last included, becomes the given placeholder messages. */
  | {
      readonly kind: "replace-span";
      readonly first: string;
      readonly last: string;
      readonly messages: readonly Message[];
      readonly words?: string;
    }
  /** A span, first and last archived message included, becomes one placeholder: the record of a collapse. */
  | {
      readonly kind: "collapse-commit";
      readonly collapseId: string;
      /** Id of the placeholder in the window. */
      readonly summaryUuid: string;
      readonly summaryContent: string;
      readonly firstArchivedUuid: string;
      readonly lastArchivedUuid: string;
    }
  /** Spans that wait to be collapsed. The last snapshot counts; it changes nothing by itself. */
  | {
      readonly kind: "collapse-snapshot";
      readonly spans: readonly StagedSpan[];
      /** Spans were chosen and go as soon as they may. */
      readonly armed: boolean;
      /** Tokens of the conversation when spans last went, or none could: the next time is measured from there. */
      readonly lastSpawnTokens: number;
    }
  /**
   * Everything up to and including `through` becomes `messages` (boundary and summary), except the items
   * in `keep`, which follow them in order. `attachments` come behind the last message of that moment.
   */
  | {
      readonly kind: "replace-prefix";
      readonly through: string;
      readonly messages: readonly Message[];
      readonly keep?: readonly string[];
      readonly attachments?: readonly Message[];
      readonly dropThinking?: boolean;
      readonly boundary?: Boundary;
      /** Where the summary's words came from. */
      readonly words?: string;
    }
  /** All thinking up to and including `through`; a message of nothing but thinking goes with it. */
  | { readonly kind: "drop-thinking"; readonly through: string }
  /** Messages of ours behind an item. */
  | { readonly kind: "insert"; readonly after: string; readonly messages: readonly Message[] }
  /** `[id:xxxxxx]` at the end of every real user input from the item `from` on. */
  | { readonly kind: "tag-inputs"; readonly from?: string }
  /** Parameters and betas that the request must carry. */
  | { readonly kind: "directive"; readonly params: JsonObject; readonly betas?: readonly string[] }
  /** An edit that was asked for and waits for a point at which it is legal. Changes nothing yet. */
  | { readonly kind: "mark"; readonly wanted: JsonObject }
  /** Later edits leave these items alone. */
  | { readonly kind: "pin"; readonly items: readonly string[] }
  | { readonly kind: "unpin"; readonly items: readonly string[] }
  /** Takes an entry back, and every entry that was built on it. */
  | { readonly kind: "undo"; readonly entry: string };

type EditKind = Edit["kind"];
export type EditOf<Kind extends EditKind> = Extract<Edit, { kind: Kind }>;

/** One line of a session's ledger. Entries are never changed; order in the log is order of effect. */
export interface LedgerEntry {
  readonly v: 1;
  readonly id: string;
  /** ISO time. */
  readonly at: string;
  readonly by: CarriedOutBy;
  readonly level: Level;
  /** Why it was done, for a person to read. */
  readonly why: string;
  readonly edit: Edit;
  /** Tokens of what the edit concerns, before and after it. */
  readonly tokens?: { readonly before: number; readonly after: number };
  /** Vault handles of what was taken out. */
  readonly handles?: readonly string[];
  /** Id of the last message that was known when this was decided: later messages cannot change its fate. */
  readonly tip?: string;
  /** The mark that this edit carries out. */
  readonly settles?: string;
}

const bys: readonly string[] = ["here", "host", "server"];

const isString = (value: unknown): value is string => typeof value === "string" && value !== "";
const isStrings = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isString);
const isMessages = (value: unknown) => Array.isArray(value) && value.every(isMessage);

export function isMessage(value: unknown) {
  return (
    isObject(value) &&
    isString(value.role) &&
    (typeof value.content === "string" || (Array.isArray(value.content) && value.content.every(isBlock)))
  );
}

function isStagedSpan(value: unknown) {
  return isObject(value) && isString(value.firstArchivedUuid) && isString(value.lastArchivedUuid);
}

const optionalField = (test: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || test(value);

/** The shape of each kind, field by field; fields that are not named here are carried along. */
const editShapes: { readonly [Kind in EditKind]: { readonly [field: string]: (value: unknown) => boolean } } =
  {
    "replace-result": {
      toolUseId: isString,
      content: (value) => typeof value === "string" || (Array.isArray(value) && value.every(isBlock)),
    },
    "remove-turn": { turn: isString, items: isStrings },
    "replace-span": { first: isString, last: isString, messages: isMessages },
    "collapse-commit": {
      collapseId: isString,
      summaryUuid: isString,
      summaryContent: isString,
      firstArchivedUuid: isString,
      lastArchivedUuid: isString,
    },
    "collapse-snapshot": {
      spans: (value) => Array.isArray(value) && value.every(isStagedSpan),
      armed: (value) => typeof value === "boolean",
      lastSpawnTokens: (value) => typeof value === "number",
    },
    "replace-prefix": {
      through: isString,
      messages: isMessages,
      keep: optionalField((value) => Array.isArray(value) && value.every(isString)),
      attachments: optionalField(isMessages),
      dropThinking: optionalField((value) => typeof value === "boolean"),
      boundary: optionalField(isObject),
      words: optionalField(isString),
    },
    "drop-thinking": { through: isString },
    insert: { after: isString, messages: isMessages },
    "tag-inputs": { from: optionalField(isString) },
    directive: {
      params: isObject,
      betas: optionalField((value) => Array.isArray(value) && value.every(isString)),
    },
    mark: { wanted: isObject },
    pin: { items: isStrings },
    unpin: { items: isStrings },
    undo: { entry: isString },
  };

const fieldTests = Object.fromEntries(
  Object.entries(editShapes).map(([kind, fields]) => [kind, Object.entries(fields)]),
) as Record<string, unknown> as {
  readonly [Kind in EditKind]: readonly [field: string, test: (value: unknown) => boolean][];
};

/** Kinds whose legality depends on their neighbours, and so on how far the history reached. */
const structural: readonly string[] = [
  "remove-turn",
  "replace-span",
  "collapse-commit",
  "replace-prefix",
  "drop-thinking",
  "insert",
];

/** What is wrong with a value that should be an entry, or undefined when nothing is. */
export function entryProblem(value: unknown) {
  if (!isObject(value)) return "not an object";
  if (value.v !== 1) return `version ${String(value.v)} is not known; a newer Throughline wrote it`;
  for (const field of ["id", "at", "why"]) if (!isString(value[field])) return `\`${field}\` must be text`;
  if (!bys.includes(String(value.by))) return `\`by\` must be one of ${bys.join(", ")}`;
  if (!levels.some((level) => level === value.level)) return `\`level\` must be one of ${levels.join(", ")}`;
  const { edit } = value;
  if (!isObject(edit) || !isString(edit.kind)) return "`edit` needs a kind";
  if (!Object.hasOwn(editShapes, edit.kind)) return `edits of kind ${edit.kind} are not known`;
  for (const [field, test] of fieldTests[edit.kind as EditKind]) {
    if (!test(edit[field])) return `\`${edit.kind}\` has a wrong \`${field}\``;
  }
  if (value.by === "here" && structural.includes(edit.kind) && !isString(value.tip))
    return `\`${edit.kind}\` needs \`tip\`, the last message known when it was decided`;
  return undefined;
}

/** The value as an entry; throws `invalid-edit` when it is none. */
export function asEntry(value: unknown) {
  const problem = entryProblem(value);
  if (problem) throw new ThroughlineError("invalid-edit", `not a ledger entry: ${problem}`);
  return value as LedgerEntry;
}

/** An id that `apply` gives to the n-th message an entry brings in. */
export function broughtInId(entry: string, index: number) {
  return `${entry}:${index}`;
}

/** The ids an edit speaks of: items, and entries that brought items in. */
export function referencesOf(edit: Edit) {
  switch (edit.kind) {
    case "remove-turn":
      return [edit.turn, ...edit.items];
    case "replace-span":
      return [edit.first, edit.last];
    case "collapse-commit":
      return [edit.firstArchivedUuid, edit.lastArchivedUuid];
    case "replace-prefix":
      return [edit.through, ...(edit.keep ?? [])];
    case "drop-thinking":
      return [edit.through];
    case "insert":
      return [edit.after];
    case "pin":
    case "unpin":
      return edit.items;
    default:
      return [];
  }
}
