// Counts looks at results that were cut on arrival, so that tools whose results are looked at are cut less.

import { withLook } from "../economics/index.ts";
import type { LedgerEntry } from "../ledger/index.ts";
import { isObject } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isToolUse,
  type ToolUseBlock,
  textOf,
} from "../messages/index.ts";
import { cutOnArrival } from "./budget/plan.ts";
import { lastAssistantIn } from "./planContext.ts";
import type { Session } from "./session.ts";

/**
 * Call it when the model recalls something: `name` is the handle or the id of the call. Returns the tool whose result it
 * was; undefined for anything that was not cut on arrival, or was counted by this process before.
 */
export function observeRecall(session: Session, name: string): string | undefined {
  const cut = cutsIn(session.ledger.entries()).findLast(
    ({ toolUseId, content }) =>
      toolUseId === name || (name.startsWith("tl:") && textOf(content).includes(name)),
  );
  return cut && countLook(session, cut.toolUseId);
}

const cutsIn = (entries: readonly LedgerEntry[]) => entries.flatMap((entry) => cutOnArrival(entry) ?? []);

/** A cut result, and the names by which a call can ask for it: its handle and its file. */
interface NamedCut {
  readonly toolUseId: string;
  readonly names: readonly string[];
}

const namedCuts = new WeakMap<LedgerEntry, NamedCut | null>();

function namedCut(entry: LedgerEntry, { results }: Session) {
  let known = namedCuts.get(entry);
  if (known === undefined) {
    const cut = cutOnArrival(entry);
    const handle = /tl:[0-9a-f]+/.exec(textOf(cut?.content))?.[0];
    const file = cut && results.fileOf(cut.toolUseId);
    known = cut ? { toolUseId: cut.toolUseId, names: [handle, file].filter(isString) } : null;
    namedCuts.set(entry, known);
  }
  return known ?? undefined;
}

const isString = (value: unknown) => typeof value === "string";

function countLook({ runtime, state: store }: Session, toolUseId: string) {
  if (runtime.recalled.has(toolUseId)) return undefined;
  runtime.recalled.add(toolUseId);
  const tool = runtime.tools.get(toolUseId) ?? "";
  const { state } = runtime;
  runtime.state = { ...state, looks: withLook(state.looks ?? {}, tool) };
  store.save(runtime.state);
  return tool;
}

/** A look comes soon after the cut: among the newest entries of a long ledger. */
const NEWEST_ENTRIES = 200;
/** Answers within which the same file, read again, is taken for a look at what was cut of it. */
const SOON = 5;

/**
 * Counts the looks that the newest answer takes, by its own calls: a call that names the handle or the kept file of a cut
 * result, and the same file read again soon after it was cut.
 */
export function observeLooks(session: Session, history: History, entries: readonly LedgerEntry[]): void {
  const last = lastAssistantIn(history);
  const answer = history[last];
  const calls = answer ? blocksOf(answer.message).filter(isToolUse) : [];
  if (calls.length === 0) return;
  const { recalled } = session.runtime;
  const cuts = entries.slice(-NEWEST_ENTRIES).flatMap((entry) => {
    const cut = namedCut(entry, session);
    return cut && !recalled.has(cut.toolUseId) ? [cut] : [];
  });
  if (cuts.length === 0) return;
  const recent = filesReadBefore(history, last);
  for (const call of calls) {
    const words = JSON.stringify(call.input ?? {});
    const path = pathIn(call);
    for (const { toolUseId, names } of cuts) {
      const isAgain = path !== undefined && recent.get(toolUseId) === path;
      if (isAgain || names.some((name) => words.includes(name))) countLook(session, toolUseId);
    }
  }
}

function pathIn({ input }: ToolUseBlock) {
  const path = isObject(input) ? (input.file_path ?? input.path) : undefined;
  return typeof path === "string" ? path : undefined;
}

/** Files that the answers just before read, by the id of the call. */
function filesReadBefore(history: History, last: number) {
  const files = new Map<string, string>();
  for (let [at, answers] = [last - 1, 0]; at >= 0 && answers < SOON; at--) {
    const { message } = history[at] as HistoryItem;
    if (message.role !== "assistant") continue;
    answers++;
    for (const call of blocksOf(message).filter(isToolUse)) {
      const path = pathIn(call);
      if (path !== undefined) files.set(call.id, path);
    }
  }
  return files;
}
