// Counts rows, models, versions and titles of a transcript while it is read.

import { defined } from "../lib/index.ts";
import { blocksOf, isThinking, isToolUse } from "../messages/index.ts";
import type { SessionFacts, TranscriptEntry } from "./dialect.ts";
import { type RowCount, rowCounts } from "./model.ts";
import { TitleFinder } from "./title.ts";

/** Clients write this in place of a model's name into messages of their own. */
const SYNTHETIC_MODEL = "<synthetic>";

export function isRealModel(model: string | undefined): model is string {
  return model !== undefined && model !== SYNTHETIC_MODEL;
}

const boundaryCounts = {
  compact: "compactBoundaries",
  microcompact: "microcompactBoundaries",
  "collapse-commit": "collapseCommits",
  "collapse-snapshot": "collapseSnapshots",
} as const;

const kindCounts = {
  system: "systemRows",
  attachment: "attachmentRows",
  "api-request": "apiRequests",
  "api-request-part": "apiRequestParts",
  unknown: "unknownRows",
} as const;

export class Tally {
  readonly counts = Object.fromEntries(rowCounts.map((name) => [name, 0])) as Record<RowCount, number>;
  readonly versions = new Set<string>();
  readonly models = new Set<string>();
  readonly titles = new TitleFinder();
  session: SessionFacts = {};
  firstAt: number | undefined;
  lastAt: number | undefined;

  add(entry: TranscriptEntry): void {
    if (entry.sidechain) this.counts.sidechainRows += 1;
    if (entry.at !== undefined) {
      this.firstAt = Math.min(this.firstAt ?? entry.at, entry.at);
      this.lastAt = Math.max(this.lastAt ?? entry.at, entry.at);
    }
    this.#addSession(entry.session);
    if (entry.kind === "message") this.#addMessage(entry);
    else if (entry.kind === "boundary") this.counts[boundaryCounts[entry.boundary.kind]] += 1;
    else if (entry.kind === "title") this.titles.add(entry);
    else if (entry.kind !== "bookkeeping") this.counts[kindCounts[entry.kind]] += 1;
  }

  #addSession(session: SessionFacts | undefined) {
    if (!session) return;
    if (session.version) this.versions.add(session.version);
    const { cwd } = this.session;
    this.session = { ...this.session, ...session, ...defined({ cwd }) };
  }

  #addMessage({ message, response }: Extract<TranscriptEntry, { kind: "message" }>) {
    this.counts[message.role === "assistant" ? "assistantRows" : "userRows"] += 1;
    if (isRealModel(response?.model)) this.models.add(response.model);
    for (const block of blocksOf(message)) {
      if (isThinking(block)) this.counts.thinkingBlocks += 1;
      else if (isToolUse(block)) this.counts.toolUses += 1;
      else if (block.type === "tool_result") this.counts.toolResults += 1;
    }
  }
}
