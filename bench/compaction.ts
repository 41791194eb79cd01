// Compacts recorded histories that are over the limit to any target, in every regime, in one pass and without a model.
import { check, type HistoryItem } from "../src/messages/index.ts";
import { memorySession, prepare } from "../src/pipeline/index.ts";
import { estimateTokens, lookupModel, type ThinkingRegime } from "../src/tokens/index.ts";
import { readConversation } from "../src/transcript/index.ts";
import type { Bench } from "./bench.ts";
import { rounded } from "./measure.ts";
import { onlyCompaction } from "./onlyCompaction.ts";
import { transcriptsIn } from "./transcripts.ts";

const MODEL = "claude-opus-4-6";
const WINDOW = 200_000;
const shares = [0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9];
const regimes: readonly ThinkingRegime[] = ["append-only", "keep-all-thinking", "legacy"];

async function historyOf(file: string): Promise<readonly HistoryItem[]> {
  const { items } = await readConversation(file);
  const end = items.findLastIndex(({ message }) => message.role === "user") + 1;
  return items.slice(0, end).filter(({ compactSummary }) => !compactSummary);
}

/** All histories that are larger than the target, compacted to it. */
function compactAll(histories: readonly (readonly HistoryItem[])[], regime: ThinkingRegime, share: number) {
  const target = Math.floor(WINDOW * share);
  const models = { [MODEL]: { thinking: regime, window: 10 * WINDOW } };
  const model = lookupModel(MODEL, models);
  const tally = { histories: 0, fits: 0, valid: 0, "largest of the target": 0 };
  for (const items of histories) {
    const messages = items.map(({ message }) => message);
    if (estimateTokens(messages, { model }) <= target) continue;
    const prepared = prepare({
      session: memorySession("bench", { settings: onlyCompaction, models }),
      messages,
      ids: items.map(({ id }) => id),
      provenance: items,
      model: MODEL,
      compact: { to: target },
      now: 0,
    });
    const tokens = estimateTokens(prepared.messages, { model });
    tally.histories++;
    if (tokens <= target) tally.fits++;
    if (check(prepared.messages).length === 0) tally.valid++;
    tally["largest of the target"] = Math.max(tally["largest of the target"], rounded(tokens / target, 3));
  }
  return { regime, "target tokens": target, ...tally };
}

export const bench: Bench = {
  name: "compaction",
  measures: ["src/compact", "src/pipeline", "src/preview"],
  about:
    "Recorded histories compacted to every size in one pass, without a model: do they fit, and are they valid?",
  usage: "FILE|DIR…",
  async run(args) {
    const histories = await Promise.all(transcriptsIn(args).map(historyOf));
    const rows = regimes.flatMap((regime) => shares.map((share) => compactAll(histories, regime, share)));
    const all = rows.reduce((sum, row) => sum + row.histories, 0);
    const good = rows.reduce((sum, row) => sum + Math.min(row.fits, row.valid), 0);
    return {
      findings: [{ title: "Histories above the target", rows }],
      bars: [{ what: "share that fits and is valid", value: good / Math.max(1, all), atLeast: 1 }],
    };
  },
};
