// Compacts recorded histories that are over the limit to any target, in every regime, in one pass and without a model.
// usage: npm run bench:compaction -- FILE|DIR…
import { check, type HistoryItem } from "../src/messages/index.ts";
import { memorySession, prepare, thriftySettings } from "../src/pipeline/index.ts";
import { estimateTokens, lookupModel, type ThinkingRegime } from "../src/tokens/index.ts";
import { readConversation } from "../src/transcript/index.ts";
import { transcriptsAsked } from "./transcripts.ts";

const MODEL = "claude-opus-4-6";
const WINDOW = 200_000;
const shares = [0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9];
const regimes: readonly ThinkingRegime[] = ["append-only", "keep-all-thinking", "legacy"];

/** Only compaction acts: the whole history comes to it as it was. */
const settings = {
  ...thriftySettings,
  budget: { ...thriftySettings.budget, resultLimit: 1e9, toolLimits: {}, messageLimit: 1e9, rereads: false },
  microcompact: { ...thriftySettings.microcompact, idle: 1e12 },
};

const files = transcriptsAsked("bench:compaction");

const histories: (readonly HistoryItem[])[] = [];
for (const file of files) {
  const { items } = await readConversation(file);
  const end = items.findLastIndex(({ message }) => message.role === "user") + 1;
  histories.push(items.slice(0, end).filter(({ compactSummary }) => !compactSummary));
}
for (const regime of regimes) {
  for (const share of shares) {
    const target = Math.floor(WINDOW * share);
    const tally = { histories: 0, fits: 0, valid: 0, largestShare: 0 };
    for (const items of histories) {
      const models = { [MODEL]: { thinking: regime, window: 10 * WINDOW } };
      const model = lookupModel(MODEL, models);
      const messages = items.map(({ message }) => message);
      if (estimateTokens(messages, { model }) <= target) continue;
      const session = memorySession("bench", { settings, models });
      const prepared = prepare({
        session,
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
      tally.largestShare = Math.max(tally.largestShare, Math.round((tokens / target) * 1_000) / 1_000);
    }
    console.log(regime.padEnd(18), `${share * 100} %`.padStart(6), JSON.stringify(tally));
  }
}
