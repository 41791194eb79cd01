// A whole transcript in memory: the main thread across compactions, its boundaries, requests and subagents.
import { readdir } from "node:fs/promises";
import path from "node:path";
import { errorText } from "../lib/index.ts";
import { boundariesOf } from "./boundaries.ts";
import { markCopies } from "./copies.ts";
import type { Entry } from "./dialect.ts";
import { type Digest, digestTranscript } from "./digest.ts";
import { attachmentsOf, type EntryOf, itemsOf, requestsOf } from "./items.ts";
import { layOut } from "./layout.ts";
import type { Conversation, Sidechain } from "./model.ts";
import type { Problem } from "./problems.ts";
import { readThread } from "./thread.ts";

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
  const entries: Entry[] = [];
  const keep = (entry: Entry, row: number): void => {
    entries[row] = entry;
  };
  const entryOf: EntryOf = (row) => entries[row];
  const digest = await digestTranscript(file, { keep, from: options.from ?? 0 });
  const { summary, skeleton, thread, layout } = digest;
  const boundaries = boundariesOf(skeleton, thread, layout, (row) => {
    const entry = entryOf(row);
    return entry?.kind === "boundary" ? entry.boundary : undefined;
  });
  const items = markCopies(itemsOf(thread, layout, entryOf), boundaries);
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

function inlineSidechains({ skeleton, mainThread }: Digest, entryOf: EntryOf): Sidechain[] {
  const sidechains: Sidechain[] = [];
  skeleton.threads.forEach(({ name }, number) => {
    if (number === mainThread) return;
    const thread = readThread(skeleton, number);
    const items = itemsOf(thread, layOut(skeleton, thread), entryOf);
    if (items.length > 0) sidechains.push({ agentId: name, items });
  });
  return sidechains;
}

async function readSubagents(file: string): Promise<{ sidechains: Sidechain[]; problems: Problem[] }> {
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

async function subagentFiles(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => /^agent-.+\.jsonl$/.test(name)).sort();
  } catch {
    // Most sessions have no such folder.
    return [];
  }
}
