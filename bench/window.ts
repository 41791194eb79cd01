// Walks recorded sessions through `prepare` in every thinking regime and counts what must never happen.

import { check, type Message } from "../src/messages/index.ts";
import { memorySession, type PolicyName, prepare, settingsFor } from "../src/pipeline/index.ts";
import { lookupModel, type ThinkingRegime } from "../src/tokens/index.ts";
import { type Conversation, readConversation } from "../src/transcript/index.ts";
import { firstBrokenThinking } from "../test/brokenThinking.ts";
import type { Bench } from "./bench.ts";
import { transcriptsIn } from "./transcripts.ts";

const MODEL = "claude-opus-4-6";
const regimes: readonly ThinkingRegime[] = ["append-only", "keep-all-thinking", "legacy"];
const policies: readonly PolicyName[] = ["seed", "thrifty"];

interface Tally {
  requests: number;
  edits: number;
  violations: number;
  brokenThinking: number;
  repairs: number;
}

/** The requests of a session, compactions of the recorded agent left out: the longest window it could have had. */
function walk(conversation: Conversation, policy: PolicyName, thinking: ThinkingRegime, tally: Tally): void {
  const session = memorySession("bench", {
    settings: settingsFor(policy),
    models: { [MODEL]: { thinking } },
  });
  const prefill = lookupModel(MODEL).prefill;
  let previous: readonly Message[] = [];
  for (const { itemIndex } of conversation.requests) {
    const items = conversation.items.slice(0, itemIndex).filter(({ compactSummary }) => !compactSummary);
    const last = items.at(-1);
    if (last?.message.role !== "user") continue;
    const { messages, receipt } = prepare({
      session,
      model: MODEL,
      now: last.at ?? 0,
      messages: items.map(({ message }) => message),
      ids: items.map(({ id }) => id),
      provenance: items,
    });
    tally.requests++;
    tally.edits += receipt.edits.length;
    tally.repairs += receipt.repairs.length;
    tally.violations += check(messages, { allowPrefill: prefill }).length;
    if (thinking === "append-only" && firstBrokenThinking(previous, messages) !== undefined)
      tally.brokenThinking++;
    previous = messages;
  }
}

export const bench: Bench = {
  name: "window",
  measures: ["src/inspector", "src/pipeline"],
  about:
    "Every request of recorded sessions through `prepare` in every thinking regime: what must never happen is counted.",
  usage: "FILE|DIR…",
  async run(args) {
    const conversations = await Promise.all(transcriptsIn(args).map((file) => readConversation(file)));
    const rows = policies.flatMap((policy) =>
      regimes.map((regime) => {
        const tally: Tally = { requests: 0, edits: 0, violations: 0, brokenThinking: 0, repairs: 0 };
        for (const conversation of conversations) walk(conversation, policy, regime, tally);
        return { policy, regime, ...tally };
      }),
    );
    const bad = rows.reduce((sum, row) => sum + row.violations + row.brokenThinking, 0);
    return {
      findings: [{ title: "Requests prepared", rows }],
      bars: [{ what: "violations and broken thinking", value: bad, atMost: 0 }],
    };
  },
};
