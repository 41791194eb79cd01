// A transcript as a conversation: a summary in one streaming pass without contents, or the whole in memory: main thread across compactions, messages, boundaries, requests, subagents.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { defined, errorText, sumOf } from "../lib/index.ts";
import { blocksOf, isToolResult, type Message, promptTokens } from "../messages/index.ts";
import { boundariesOf, type Layout, layOut } from "./layout.ts";
import type {
  Conversation,
  DialectName,
  MessageEntry,
  PairCounts,
  Sidechain,
  Title,
  TranscriptAttachment,
  TranscriptBoundary,
  TranscriptEntry,
  TranscriptItem,
  TranscriptRequest,
  TranscriptSummary,
} from "./model.ts";
import { type Problem, Problems, scanEntries } from "./rows.ts";
import { isRealModel, NONE, Skeleton, Tally } from "./skeleton.ts";
import { readThread, type Thread } from "./thread.ts";
import { indexTitle } from "./title.ts";

/** Options of a streaming read. */
interface DigestOptions {
  /** Byte offset to begin at; what is before it counts as never written. */
  readonly from?: number;
  /** The size of one row's message; rows of one response are measured each on its own. */
  readonly measure?: (message: Message) => number;
  /** Sees every entry that takes a place in a thread, under the number of its row. */
  readonly keep?: (entry: TranscriptEntry, row: number) => void;
}

interface Digest {
  readonly summary: TranscriptSummary;
  readonly skeleton: Skeleton;
  readonly mainThread: number;
  readonly thread: Thread;
  readonly layout: Layout;
}

async function digestTranscript(file: string, options: DigestOptions): Promise<Digest> {
  const { skeleton, tally, problems, end, dialect } = await readRows(file, options);
  const mainThread = skeleton.mainThread();
  const thread = readThread(skeleton, mainThread);
  const layout = layOut(skeleton, thread);
  const inputs = thread.order.filter((row) => skeleton.prompts.has(row));
  const { sessionId, cwd, gitBranch } = tally.session;
  const ownTitle = tally.titles.choose((id) => thread.includes(skeleton.rowOf(id)));
  const summary: TranscriptSummary = {
    dialect,
    sessionId,
    cwd,
    gitBranch,
    versions: [...tally.versions],
    models: [...tally.models],
    title: ownTitle ?? (await indexTitle(file, sessionId)) ?? firstPrompt(skeleton, inputs),
    firstAt: tally.firstAt,
    lastAt: tally.lastAt,
    turns: inputs.length,
    messages: layout.firstRows.length,
    pairs: countPairs(skeleton, thread),
    boundaries: boundariesOf(skeleton, thread, layout),
    counts: {
      ...tally.counts,
      abandonedRows: thread.abandoned,
      missingParents: skeleton.missingParents,
      emptyMessages: layout.empty,
      brokenLines: problems.count("broken-line") + problems.count("not-an-object"),
      longLines: problems.count("line-too-long"),
    },
    problems: problems.list,
    end,
  };
  return { summary, skeleton, mainThread, thread, layout };
}

async function readRows(file: string, { from = 0, measure, keep }: DigestOptions) {
  const skeleton = new Skeleton(measure);
  const tally = new Tally();
  const problems = new Problems();
  let end = from;
  let dialect: DialectName | undefined;
  const scanned = scanEntries(file, {
    from,
    onProblem(problem) {
      problems.add(problem);
      end = problem.place?.end ?? end;
    },
  });
  for await (const row of scanned) {
    ({ end, dialect } = row);
    tally.counts.rows += 1;
    for (const entry of row.entries) {
      const placed = entry.id !== undefined || entry.kind === "boundary";
      const number = placed ? skeleton.add(entry) : undefined;
      if (placed && number === undefined) {
        tally.counts.duplicateRows += 1;
        continue;
      }
      tally.add(entry);
      if (number !== undefined) keep?.(entry, number);
    }
  }
  skeleton.finish();
  if (!dialect && tally.counts.rows > 0)
    problems.add({ kind: "unknown-dialect", message: "No row is in a form that a known agent writes." });
  return { skeleton, tally, problems, end, dialect };
}

function firstPrompt(skeleton: Skeleton, inputs: readonly number[]): Title | undefined {
  const text = inputs.map((row) => skeleton.prompts.get(row)).find(Boolean);
  return text === undefined ? undefined : { text, source: "prompt" };
}

function countPairs(skeleton: Skeleton, thread: Thread): PairCounts {
  const answered = new Set<number>();
  let orphan = 0;
  for (const row of thread.order) {
    for (const call of skeleton.answersOf(row)) {
      if (thread.includes(skeleton.callerOf(call))) answered.add(call);
      else orphan += 1;
    }
  }
  const calls = sumOf(thread.order, (row) => skeleton.callCount(row));
  return { matched: answered.size, unanswered: calls - answered.size, orphan };
}

/** A summary with the tokens of its main thread. */
export interface MeasuredSummary extends TranscriptSummary {
  /** Sum over the main thread; 0 without a measure. */
  readonly tokens: number;
}

/** Keeps ids, links and numbers of the rows, never their contents. Throws as `readConversation` does. */
export async function summarizeTranscript(
  file: string,
  options: Pick<DigestOptions, "measure"> = {},
): Promise<MeasuredSummary> {
  const { summary, skeleton, thread } = await digestTranscript(file, options);
  const tokens = sumOf(thread.order, (row) => skeleton.sizeOf(row));
  return { ...summary, tokens };
}

/** The kept entry of a row, by the row's number. */
type EntryOf = (row: number) => TranscriptEntry | undefined;

type MessageRow = TranscriptEntry & MessageEntry;

function threadItems(thread: Thread, layout: Layout, entryOf: EntryOf): TranscriptItem[] {
  const merged: MessageRow[][] = layout.firstRows.map(() => []);
  for (const row of thread.order.toSorted((a, b) => a - b)) {
    const entry = entryOf(row);
    if (entry?.kind === "message") merged[layout.itemOf(row) ?? NONE]?.push(entry);
  }
  return merged.map(mergedItem);
}

function mergedItem(entries: readonly MessageRow[]): TranscriptItem {
  const [first] = entries;
  // The last row of a response has the fullest usage: earlier ones were written while it streamed.
  const usage = entries.findLast((entry) => entry.response?.usage)?.response?.usage;
  const stopReason = entries.findLast((entry) => entry.response?.stopReason)?.response?.stopReason;
  const folders = new Set(entries.flatMap(({ session }) => session?.cwd ?? []));
  return {
    id: first?.id ?? "",
    message: mergedMessage(entries),
    uuids: entries.map((entry) => entry.id ?? ""),
    ...defined({
      at: first?.at,
      meta: first?.meta,
      compactSummary: first?.compactSummary,
      isApiError: first?.isApiError,
      parent: first?.parent ?? undefined,
      model: first?.response?.model,
      requestId: first?.response?.requestId,
      messageId: first?.response?.messageId,
      usage,
      stopReason,
      folders: folders.size === 0 ? undefined : [...folders],
    }),
  };
}

function mergedMessage(entries: readonly MessageRow[]): Message {
  const [first] = entries;
  if (first && entries.length === 1) return first.message;
  if (first?.message.role === "assistant") return { role: "assistant", content: responseBlocks(entries) };
  const blocks = entries.flatMap((entry) => blocksOf(entry.message));
  // The API wants every result before anything else in the message.
  const results = blocks.filter(isToolResult);
  return { role: "user", content: [...results, ...blocks.filter((block) => !isToolResult(block))] };
}

function responseBlocks(entries: readonly MessageRow[]) {
  const numbered = entries.every((entry) => entry.response?.blockIndex !== undefined);
  const place = (entry: MessageRow) => entry.response?.blockIndex ?? 0;
  const ordered = numbered ? entries.toSorted((a, b) => place(a) - place(b)) : entries;
  return ordered.flatMap((entry) => blocksOf(entry.message));
}

function attachmentsOf(layout: Layout, entryOf: EntryOf): TranscriptAttachment[] {
  return [...layout.marks].flatMap(([row, index]) => {
    const entry = entryOf(row);
    if (entry?.kind !== "attachment") return [];
    const { type, text, role } = entry;
    return [{ type, uuid: entry.id ?? "", index, ...defined({ text, role }) }];
  });
}

/** One per answered request, in order. What a client wrote in a model's name answers none. */
function requestsOf(items: readonly TranscriptItem[]): TranscriptRequest[] {
  return items.flatMap(({ isApiError, model, usage, messageId, at }, itemIndex) => {
    if (isApiError || !usage || (model !== undefined && !isRealModel(model))) return [];
    // An aborted request reports nothing that was sent.
    if (promptTokens(usage) === 0) return [];
    return [{ itemIndex, usage, ...defined({ messageId, at, model }) }];
  });
}

/** Options of `readConversation`. */
interface ReadOptions {
  /** Also read the subagents' own files, in the folder named like the transcript. Default false. */
  readonly subagents?: boolean;
  /** Read only what stands behind this byte, such as the `end` of an earlier read. Default 0. */
  readonly from?: number;
}

/**
 * Reads a transcript of any known agent. Damage inside the file is reported in `problems` and never fatal;
 * throws only for the file as a whole (`not-found`, `not-a-file`, `not-text`, `io-failed`).
 */
export async function readConversation(file: string, options: ReadOptions = {}): Promise<Conversation> {
  const entries: TranscriptEntry[] = [];
  const keep = (entry: TranscriptEntry, row: number) => {
    entries[row] = entry;
  };
  const entryOf: EntryOf = (row) => entries[row];
  const digest = await digestTranscript(file, { keep, from: options.from ?? 0 });
  const { summary, skeleton, thread, layout } = digest;
  const boundaries = boundariesOf(skeleton, thread, layout, (row) => {
    const entry = entryOf(row);
    return entry?.kind === "boundary" ? entry.boundary : undefined;
  });
  const items = markCopies(threadItems(thread, layout, entryOf), boundaries);
  const files = options.subagents ? await readSubagents(file) : { sidechains: [], problems: [] };
  return {
    ...summary,
    boundaries,
    problems: [...summary.problems, ...files.problems],
    items,
    attachments: attachmentsOf(layout, entryOf),
    requests: requestsOf(items),
    sidechains: [...inlineSidechains(digest, entryOf), ...files.sidechains],
  };
}

function inlineSidechains({ skeleton, mainThread }: Digest, entryOf: EntryOf) {
  const sidechains: Sidechain[] = [];
  skeleton.threads.forEach(({ name }, number) => {
    if (number === mainThread) return;
    const thread = readThread(skeleton, number);
    const items = threadItems(thread, layOut(skeleton, thread), entryOf);
    if (items.length > 0) sidechains.push({ agentId: name, items });
  });
  return sidechains;
}

async function readSubagents(file: string) {
  const folder = path.join(path.dirname(file), path.basename(file, ".jsonl"), "subagents");
  const sidechains: Sidechain[] = [];
  const problems: Problem[] = [];
  for (const name of await subagentFiles(folder)) {
    const own = path.join(folder, name);
    try {
      const read = await readConversation(own);
      sidechains.push({
        agentId: name.slice("agent-".length, -".jsonl".length),
        file: own,
        items: read.items,
      });
      problems.push(...read.problems.map((problem) => ({ ...problem, file: own })));
    } catch (error) {
      problems.push({ kind: "subagent-unreadable", message: errorText(error), file: own });
    }
  }
  return { sidechains, problems };
}

async function subagentFiles(folder: string) {
  try {
    const names = await readdir(folder);
    return names.filter((name) => /^agent-.+\.jsonl$/.test(name)).sort();
  } catch {
    // Most sessions have no such folder.
    return [];
  }
}

/**
 * Claude Code lets a mod answer a compaction with messages of its own. Those that it kept are written anew behind the
 * boundary and the summary, under new ids, with times between the summary's and the boundary's. What a person typed to
 * have the conversation compacted stands behind the boundary too, and is older than the summary.
 */
function markCopies(items: readonly TranscriptItem[], boundaries: readonly TranscriptBoundary[]) {
  const cuts = boundaries.flatMap(({ kind, index, at }) => {
    const since = items.slice(index).find(({ compactSummary }) => compactSummary)?.at;
    return kind === "compact" && at !== undefined && since !== undefined ? [{ index, since, at }] : [];
  });
  const isCopy = ({ at }: TranscriptItem, index: number) =>
    at !== undefined && cuts.some((cut) => index >= cut.index && at >= cut.since && at <= cut.at);
  return items.map((item, index) =>
    !item.compactSummary && isCopy(item, index) ? { ...item, isCopy: true } : item,
  );
}

/** `markCopies` for readers that stream a file entry by entry. */
export function copiedEntries(): (entry: TranscriptEntry) => boolean {
  let [since, until] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return (entry) => {
    if (entry.kind === "boundary" && entry.boundary.kind === "compact")
      [since, until] = [Number.POSITIVE_INFINITY, entry.at ?? Number.NEGATIVE_INFINITY];
    if (entry.kind !== "message" || entry.at === undefined) return false;
    if (entry.compactSummary) since = entry.at;
    return !entry.compactSummary && entry.at >= since && entry.at <= until;
  };
}
