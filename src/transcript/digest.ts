// Summarizes a transcript in one streaming pass, without keeping its contents.
import { sumOf } from "../lib/index.ts";
import type { Message } from "../messages/index.ts";
import { boundariesOf, type Layout, layOut } from "./layout.ts";
import type { DialectName, PairCounts, Title, TranscriptEntry, TranscriptSummary } from "./model.ts";
import { Problems, scanEntries } from "./rows.ts";
import { Skeleton, Tally } from "./skeleton.ts";
import { readThread, type Thread } from "./thread.ts";
import { indexTitle } from "./title.ts";

interface DigestOptions {
  /** Byte offset to begin at; what is before it counts as never written. */
  readonly from?: number;
  /** The size of one row's message; rows of one response are measured each on its own. */
  readonly measure?: (message: Message) => number;
  /** Sees every entry that takes a place in a thread, under the number of its row. */
  readonly keep?: (entry: TranscriptEntry, row: number) => void;
}

export interface Digest {
  readonly summary: TranscriptSummary;
  readonly skeleton: Skeleton;
  readonly mainThread: number;
  readonly thread: Thread;
  readonly layout: Layout;
}

export async function digestTranscript(file: string, options: DigestOptions): Promise<Digest> {
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
  if (!dialect && tally.counts.rows > 0) {
    problems.add({ kind: "unknown-dialect", message: "No row is in a form that a known agent writes." });
  }
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
