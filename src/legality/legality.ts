// Decides whether a request may change old content (by thinking regime), and which messages no level may touch.

import type { CacheOutlook } from "../economics/index.ts";
import { type LedgerEntry, marksAndPins } from "../ledger/index.ts";
import { blocksOf, type History, isThinking, isUserInput } from "../messages/index.ts";
import type { ModelInfo } from "../tokens/index.ts";

export interface Legality {
  /** Old content may be changed with this request. */
  readonly editOld: boolean;
  /** Why not, for the receipt and for answers to requests. */
  readonly why: string;
  /** A change of old content must come with the removal of all earlier thinking. */
  readonly dropAllThinking: boolean;
  /** The request begins a turn: a person's input waits for its first answer, and no tool call for its result. */
  readonly opensTurn: boolean;
  /** Where the current turn begins in the view: thinking before it may go where thinking is not bound. */
  readonly turnStart: number;
}

/** True where a change of anything before a kept thinking block is refused by the API. */
export function bindsThinking(model: Pick<ModelInfo, "thinking">) {
  return model.thinking === "append-only";
}

/** Why an edit of old content waits on a model that binds thinking. */
export function boundUntil(model: Pick<ModelInfo, "id">, point: string) {
  return `${model.id} binds thinking to all that precedes it: waiting ${point}`;
}

export const LEGAL_POINT = "for a user turn with a cold cache";

/**
 * In the append-only regime every thinking block is bound to all that precedes it. As long as there is one, old content
 * may change only at a cold user turn, where all thinking goes with it; never inside a tool call, where the API wants the
 * thinking that led to the call.
 */
export function legalityOf({
  model,
  view,
  outlook,
  pinned,
  lastInput = view.findLastIndex(isUserInput),
  hasThinking = view.some(holdsThinking),
}: LegalityInput): Legality {
  const bound = bindsThinking(model) && hasThinking;
  const base = { dropAllThinking: bound, ...currentTurn(view, lastInput) };
  const why = bound ? obstacle(model, view, outlook, pinned, base.opensTurn) : "";
  return { ...base, editOld: why === "", why };
}

interface LegalityInput {
  readonly model: ModelInfo;
  readonly view: History;
  readonly outlook: CacheOutlook;
  readonly pinned: ReadonlySet<string>;
  readonly lastInput?: number;
  /** Whether the conversation has thinking, in the view or taken out of it: only then something is bound. */
  readonly hasThinking?: boolean;
}

export const holdsThinking = ({ message }: History[number]): boolean =>
  message.role === "assistant" && blocksOf(message).some(isThinking);

function obstacle(
  model: ModelInfo,
  view: History,
  outlook: CacheOutlook,
  pinned: ReadonlySet<string>,
  opensTurn: boolean,
) {
  if (!opensTurn) return boundUntil(model, LEGAL_POINT);
  if (outlook.predicted !== "cold") return boundUntil(model, "until the cache is cold");
  if (pinned.size > 0 && view.some(({ id, message }) => pinned.has(id) && blocksOf(message).some(isThinking)))
    return boundUntil(model, "until no pinned message holds thinking");
  return "";
}

/** An input that stands behind the results of a call belongs to the turn of that call: its thinking is still wanted. */
function currentTurn(view: History, lastInput: number): Pick<Legality, "opensTurn" | "turnStart"> {
  const lastAssistant = view.findLastIndex(({ message }) => message.role === "assistant");
  const answersCall = view
    .slice(lastAssistant + 1)
    .some(({ message }) => blocksOf(message).some(({ type }) => type === "tool_result"));
  if (!answersCall) return { opensTurn: lastInput > lastAssistant, turnStart: lastInput };
  const turnStart =
    lastInput < lastAssistant ? lastInput : view.slice(0, lastAssistant).findLastIndex(isUserInput);
  return { opensTurn: false, turnStart };
}

export function pinnedItems(active: readonly LedgerEntry[]): ReadonlySet<string> {
  const pinned = new Set<string>();
  for (const { edit } of marksAndPins(active)) {
    if (edit.kind === "pin") for (const item of edit.items) pinned.add(item);
    else if (edit.kind === "unpin") for (const item of edit.items) pinned.delete(item);
  }
  return pinned;
}

/** Calls whose results were taken out and are back by an undo. Without this the next request would undo the undo. */
export function broughtBack(
  entries: readonly LedgerEntry[],
  active: readonly LedgerEntry[],
): ReadonlySet<string> {
  if (active === entries) return new Set();
  const inForce = new Set(active);
  return new Set(
    entries.flatMap((entry) =>
      entry.edit.kind === "replace-result" && !inForce.has(entry) ? [entry.edit.toolUseId] : [],
    ),
  );
}

/** Messages that were taken out with a span or a turn and are back by an undo. */
export function broughtBackItems(
  entries: readonly LedgerEntry[],
  active: readonly LedgerEntry[],
  history: History,
): ReadonlySet<string> {
  if (active === entries) return new Set();
  const inForce = new Set(active);
  const at = (id: string) => history.findIndex((item) => item.id === id);
  const undone = entries.filter((entry) => !inForce.has(entry));
  return new Set(
    undone.flatMap(({ edit }) => {
      if (edit.kind === "remove-turn") return edit.items;
      if (edit.kind !== "collapse-commit") return [];
      const [first, last] = [at(edit.firstArchivedUuid), at(edit.lastArchivedUuid)];
      return first < 0 ? [] : history.slice(first, last + 1).map(({ id }) => id);
    }),
  );
}

/** True when an edit of that kind was made and taken back, and none is in force. */
export function wasTakenBack(
  kind: "drop-thinking" | "tag-inputs" | "replace-prefix",
  entries: readonly LedgerEntry[],
  active: readonly LedgerEntry[],
) {
  const has = (list: readonly LedgerEntry[]) => list.some(({ edit }) => edit.kind === kind);
  return active !== entries && has(entries) && !has(active);
}
