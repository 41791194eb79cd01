// The one function that changes what the model sees: history and ledger in, the array to send out.
// It is pure, total and deterministic. A valid history stays valid: an edit that would break it is skipped and reported.
import { commonStart, grow, type JsonObject } from "../lib/index.ts";
import { blocksOf, check, type History, isToolUse, type Message } from "../messages/index.ts";
import type { Edit, LedgerEntry } from "./edits.ts";
import { tagInput } from "./tags.ts";
import { activeEntries } from "./undo.ts";
import { planSplice, type Splice, WindowView } from "./view.ts";

type SkipReason = "target-missing" | "would-break" | "pinned" | "open-call";

interface SkipCause {
  readonly reason: SkipReason;
  readonly detail: string;
}

export interface Skip extends SkipCause {
  readonly entry: string;
  readonly kind: Edit["kind"];
}

export interface RequestParams {
  /** Extra fields of the request body. */
  readonly body: JsonObject;
  readonly betas: readonly string[];
}

export interface Applied {
  /** The array to send. */
  readonly messages: readonly Message[];
  /** The same with identities: an item that stands unchanged keeps its id. */
  readonly items: History;
  readonly params: RequestParams;
  /** New user inputs carry their tags. */
  readonly tagged: boolean;
  readonly skipped: readonly Skip[];
}

export function apply(history: History, entries: readonly LedgerEntry[]): Applied {
  return carryOutAll(history, entries).applied;
}

/** What `apply` gives, and what is known for a history that goes on from there. */
interface CarriedOut {
  readonly applied: Applied;
  /** Position in the history from which on user inputs carry tags. */
  readonly tagFrom: number | undefined;
  /** No edit waits for messages that are not there yet: what is added cannot change what was done. */
  readonly isFinal: boolean;
}

function carryOutAll(history: History, entries: readonly LedgerEntry[]): CarriedOut {
  const view = new WindowView(history);
  const skipped: Skip[] = [];
  const pinned = new Set<string>();
  let body: JsonObject = {};
  const betas: string[] = [];
  let tagFrom: number | undefined;
  let isFinal = true;
  for (const entry of activeEntries(entries)) {
    const { edit } = entry;
    if (entry.by === "here" && entry.tip !== undefined && !view.positions.has(entry.tip)) isFinal = false;
    if (edit.kind === "directive") {
      body = { ...body, ...edit.params };
      for (const beta of edit.betas ?? []) if (!betas.includes(beta)) betas.push(beta);
    }
    if (entry.by !== "here") continue;
    if (edit.kind === "pin") for (const item of edit.items) pinned.add(item);
    else if (edit.kind === "unpin") for (const item of edit.items) pinned.delete(item);
    else if (edit.kind === "tag-inputs") {
      const from = edit.from === undefined ? 0 : view.positions.get(edit.from);
      if (from === undefined) isFinal = false;
      else tagFrom = from;
    } else {
      const skip = carryOutEntry(view, entry, pinned);
      if (skip) skipped.push({ entry: entry.id, kind: edit.kind, ...skip });
      if (skip?.reason === "target-missing") isFinal = false;
    }
  }
  const from = tagFrom;
  const items = view.items.map((item) => {
    const { position, broughtIn, ...rest } = item;
    return from === undefined || broughtIn || position < from ? rest : tagInput(rest);
  });
  const applied = {
    items,
    messages: items.map(({ message }) => message),
    params: { body, betas },
    tagged: from !== undefined,
    skipped,
  };
  return { applied, tagFrom, isFinal };
}

/**
 * `apply` for a history that grows: as long as the ledger is the same array and the history begins with the
 * same item objects, only what was added is looked at. Gives what `apply` gives.
 */
export class Applier {
  #last: (CarriedOut & { readonly history: History; readonly entries: readonly LedgerEntry[] }) | undefined;

  apply(history: History, entries: readonly LedgerEntry[]): Applied {
    const last = this.#last;
    const grown =
      last?.entries === entries && last.isFinal && commonStart(last.history, history) === last.history.length
        ? extended(last, history.slice(last.history.length))
        : carryOutAll(history, entries);
    this.#last = { ...grown, history, entries };
    return grown.applied;
  }
}

function extended(last: CarriedOut, added: History) {
  if (added.length === 0) return last;
  const { applied } = last;
  const shown = last.tagFrom === undefined ? added : added.map(tagInput);
  const items = grow(applied.items, applied.items.length, shown);
  const messages = grow(
    applied.messages,
    applied.messages.length,
    shown.map(({ message }) => message),
  );
  return { ...last, applied: { ...applied, items, messages } };
}

function carryOutEntry(
  view: WindowView,
  entry: LedgerEntry,
  pinned: ReadonlySet<string>,
): SkipCause | undefined {
  const { edit } = entry;
  if (edit.kind === "replace-result") return replaceResult(view, edit, pinned);
  const splice = planSplice(view, entry);
  if (splice === undefined) return undefined;
  if ("missing" in splice)
    return { reason: "target-missing", detail: `${splice.missing} is not in the window` };
  const touched = [...splice.remove, ...splice.replace.keys()].find((id) => pinned.has(id));
  if (touched !== undefined) return { reason: "pinned", detail: `${touched} is pinned` };
  const limit = entry.tip === undefined ? undefined : view.positions.get(entry.tip);
  return commitSplice(view, splice, limit);
}

/**
 * Carries a splice out unless it would break a rule that held before. Only messages up to `limit` are
 * looked at: what came after the decision must not change its fate, or the prompt cache would be lost.
 */
function commitSplice(view: WindowView, splice: Splice, limit: number | undefined): SkipCause | undefined {
  const upTo = (items: WindowView["items"]) =>
    limit === undefined ? items : items.filter(({ position }) => position <= limit);
  const before = upTo(view.items);
  const open = openCall(before).find(
    ({ id }) =>
      splice.remove.has(id) || splice.bring.some(({ after, items }) => after === id && items.length > 0),
  );
  if (open)
    return { reason: "open-call", detail: `${open.id} belongs to a tool call that is not answered yet` };
  const next = view.spliced(splice);
  const after = upTo(next);
  const broken = newViolation(before, after) ?? endProblem(before, after);
  if (broken) return { reason: "would-break", detail: broken };
  view.items = next;
  return undefined;
}

/** The first rule that is broken more often after than before. */
function newViolation(before: History, after: History) {
  const had = violationCounts(before);
  for (const [code, count] of violationCounts(after)) if (count > (had.get(code) ?? 0)) return code;
  return undefined;
}

function violationCounts(items: History) {
  const counts = new Map<string, number>();
  for (const { code } of check(items.map(({ message }) => message)))
    counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

/** Roles that may follow a message of each role; whatever could follow before must still be able to. */
const followers: { readonly [role: string]: readonly string[] } = {
  user: ["user", "assistant", "system"],
  assistant: ["user", "assistant"],
  system: ["assistant", "system"],
};

function endProblem(before: History, after: History) {
  const needed = followers[before.at(-1)?.message.role ?? "user"] ?? [];
  const possible = followers[after.at(-1)?.message.role ?? "user"] ?? [];
  const lost = needed.find((role) => !possible.includes(role));
  return lost && `a ${lost} message could not follow any more`;
}

/** The items from the last assistant message on, when a tool call in it still waits for its answer. */
function openCall(items: History): History {
  const lastAssistant = items.findLastIndex(({ message }) => message.role === "assistant");
  if (lastAssistant < 0) return [];
  let from = lastAssistant;
  while (items[from - 1]?.message.role === "assistant") from--;
  const run = items.slice(from);
  const blocks = run.flatMap(({ message }) => blocksOf(message));
  const answered = new Set(blocks.map((block) => block.tool_use_id));
  return blocks.some((block) => isToolUse(block) && !answered.has(block.id)) ? run : [];
}

function replaceResult(
  view: WindowView,
  edit: Extract<Edit, { kind: "replace-result" }>,
  pinned: ReadonlySet<string>,
): SkipCause | undefined {
  const at = view.resultIndex(edit.toolUseId);
  const item = at === undefined ? undefined : view.items[at];
  if (at === undefined || !item)
    return { reason: "target-missing", detail: `no result of ${edit.toolUseId} in the window` };
  if (pinned.has(item.id)) return { reason: "pinned", detail: `${item.id} is pinned` };
  const content = blocksOf(item.message).map((block) =>
    block.type === "tool_result" && block.tool_use_id === edit.toolUseId
      ? { ...block, content: edit.content }
      : block,
  );
  view.replaceAt(at, { ...item, message: { ...item.message, content } });
  return undefined;
}
