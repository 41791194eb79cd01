// What prepare must hold for any conversation: valid requests, stable bytes, nothing lost, the same after a restart.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { firstBrokenThinking } from "../../test/brokenThinking.ts";
import { resolveHome, sessionPlace } from "../home/index.ts";
import { MINUTE } from "../lib/index.ts";
import { blocksOf, check, type HistoryItem, type Message, textOf } from "../messages/index.ts";
import { recall } from "../vault/index.ts";
import {
  memorySession,
  observeResponse,
  openSession,
  type PipelineSettings,
  prepare,
  type Session,
  seedSettings,
  snip,
  thriftySettings,
  turnTags,
} from "./index.ts";

const runs = Number(process.env.THROUGHLINE_RUNS ?? 400);

/** Limits so low that the small generated conversations reach every level. */
const tight: Record<string, PipelineSettings> = {
  seed: {
    ...seedSettings,
    budget: { ...seedSettings.budget, resultLimit: 300, messageLimit: 600, preview: 40 },
    microcompact: { ...seedSettings.microcompact, keepRecent: 1 },
  },
  thrifty: {
    ...thriftySettings,
    budget: { ...thriftySettings.budget, resultLimit: 300, toolLimits: {}, messageLimit: 600, preview: 60 },
    microcompact: { ...thriftySettings.microcompact, keepRecent: 1, smallest: 20 },
    economics: { ...thriftySettings.economics, leastAtTurn: 30, leastInTurn: 60, horizon: 1_000 },
  },
};

/** One per thinking regime. */
const models = ["claude-opus-5-5", "claude-opus-4-6", "claude-sonnet-4-5"];

interface Step {
  readonly messages: readonly Message[];
  readonly now: number;
}

/** The requests of a conversation: one wherever the user or a result stands last, with gaps of all kinds between them. */
function stepsOf(history: readonly HistoryItem[], gaps: readonly number[]): Step[] {
  const messages = history.map(({ message }) => message);
  const steps: Step[] = [];
  let now = Date.UTC(2026, 0, 1);
  messages.forEach((message, at) => {
    const next = messages[at + 1];
    if (message.role === "assistant" || (next && next.role !== "assistant")) return;
    now += (gaps[steps.length % gaps.length] ?? 1) * MINUTE;
    steps.push({ messages: messages.slice(0, at + 1), now });
  });
  return steps;
}

const anyRun = fc.record({
  history: anyHistory,
  gaps: fc.array(fc.constantFrom(0, 1, 4, 6, 59, 61, 70), { minLength: 1, maxLength: 6 }),
  policy: fc.constantFrom("seed", "thrifty"),
  model: fc.constantFrom(...models),
  snips: fc.array(fc.nat(), { maxLength: 2 }),
});

/** The model removes a turn between two requests, now and then. */
function maybeSnip(
  session: Session,
  { now }: Step,
  index: number,
  snips: readonly number[],
  model: string,
  last: readonly HistoryItem[],
): void {
  const choice = snips[index % Math.max(1, snips.length)];
  if (choice === undefined || index % 2 === 0) return;
  const tags = turnTags(last);
  const tag = tags[choice % Math.max(1, tags.length)]?.tag;
  if (tag !== undefined) snip(session, { ids: [tag], reason: "not needed" }, { model, now });
}

describe("prepare, for any conversation", () => {
  it("gives valid requests and never breaks kept thinking in the append-only regime", () => {
    fc.assert(
      fc.property(anyRun, ({ history, gaps, policy, model, snips }) => {
        const session = memorySession("any", { settings: tight[policy] ?? seedSettings });
        let previous: readonly Message[] = [];
        stepsOf(history, gaps).forEach((step, index) => {
          const { messages } = prepare({ session, model, ...step });
          expect(check(messages)).toEqual([]);
          if (model === "claude-opus-5-5") expect(firstBrokenThinking(previous, messages)).toBeUndefined();
          previous = messages;
          maybeSnip(session, step, index, snips, model, history.slice(0, step.messages.length));
        });
      }),
      { numRuns: runs },
    );
  });

  it("begins with the last request's bytes unless an edit was made", () => {
    fc.assert(
      fc.property(anyRun, ({ history, gaps, policy, model }) => {
        const session = memorySession("any", { settings: tight[policy] ?? seedSettings });
        let previous: readonly Message[] = [];
        for (const step of stepsOf(history, gaps)) {
          const { messages, receipt } = prepare({ session, model, ...step });
          const oldEdits = receipt.edits.filter(
            ({ level, edit }) =>
              level !== "budget" &&
              edit.kind !== "tag-inputs" &&
              edit.kind !== "insert" &&
              edit.kind !== "directive",
          );
          if (oldEdits.length === 0) {
            expect(JSON.stringify(messages.slice(0, previous.length))).toBe(JSON.stringify(previous));
          }
          previous = messages;
        }
      }),
      { numRuns: runs },
    );
  });

  it("keeps every byte that leaves: each handle gives the original back", () => {
    fc.assert(
      fc.property(anyRun, ({ history, gaps, policy, model }) => {
        const session = memorySession("any", { settings: tight[policy] ?? seedSettings });
        for (const step of stepsOf(history, gaps)) prepare({ session, model, ...step });
        const originals = new Map(
          history
            .flatMap(({ message }) => blocksOf(message))
            .filter(({ type }) => type === "tool_result")
            .map((block) => [String(block.tool_use_id), textOf(block.content)]),
        );
        for (const { edit, handles } of session.ledger.entries()) {
          if (edit.kind !== "replace-result") continue;
          expect(recall(session.vault, handles?.[0] ?? "").text).toBe(originals.get(edit.toolUseId));
        }
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  });

  it("changes neither the caller's messages nor, in a dry run, anything at all", () => {
    fc.assert(
      fc.property(anyRun, ({ history, gaps, policy, model }) => {
        const session = memorySession("any", { settings: tight[policy] ?? seedSettings });
        for (const step of stepsOf(history, gaps)) {
          const before = JSON.stringify(step.messages);
          const entries = session.ledger.entries();
          const preview = prepare({ session, model, ...step, dryRun: true });
          expect(session.ledger.entries()).toBe(entries);
          const real = prepare({ session, model, ...step });
          expect(JSON.stringify(preview.messages)).toBe(JSON.stringify(real.messages));
          expect(JSON.stringify(step.messages)).toBe(before);
        }
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  });

  it("gives the same bytes for the same request again, also when it is parsed anew with moved breakpoints", () => {
    fc.assert(
      fc.property(anyRun, ({ history, gaps, policy, model }) => {
        const session = memorySession("any", { settings: tight[policy] ?? seedSettings });
        for (const step of stepsOf(history, gaps)) {
          const first = prepare({ session, model, ...step });
          const again = prepare({ session, model, now: step.now, messages: marked(step.messages) });
          expect(check(again.messages)).toEqual([]);
          expect(bare(again.messages)).toBe(bare(first.messages));
        }
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  });
});

/** The messages as another parse would give them, with a breakpoint on the last block of the last message. */
function marked(messages: readonly Message[]): Message[] {
  const copy = JSON.parse(JSON.stringify(messages)) as { role: string; content: unknown }[];
  const last = copy.at(-1);
  if (last?.role === "user") {
    const blocks =
      typeof last.content === "string" ? [{ type: "text", text: last.content }] : (last.content as object[]);
    last.content = blocks.map((block, at) =>
      at === blocks.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block,
    );
  }
  return copy as Message[];
}

/** Bytes without breakpoints and with every lone text as a block. */
function bare(messages: readonly Message[]): string {
  const plain = messages.map((message) => ({
    ...message,
    content: blocksOf(message).map(({ cache_control: _gone, ...block }) => block),
  }));
  return JSON.stringify(plain);
}

describe("a session on disk", () => {
  it("goes on after any interruption as if there had been none", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "throughline-resume-"));
    let serial = 0;
    const open = (name: string, settings: PipelineSettings): Session => {
      const home = resolveHome({
        env: { THROUGHLINE_HOME: folder },
        platform: process.platform,
        homeFolder: folder,
      });
      return openSession(sessionPlace(home, "project", name), {
        vault: path.join(folder, "vault"),
        settings,
        resultsFolder: path.join(folder, "results"),
      });
    };
    try {
      fc.assert(
        fc.property(anyRun, fc.nat(), ({ history, gaps, policy, model }, cut) => {
          const settings = tight[policy] ?? seedSettings;
          const steps = stepsOf(history, gaps);
          const name = `s${serial++}`;
          const [whole, parted] = [open(`${name}a`, settings), open(`${name}b`, settings)];
          let current = parted;
          steps.forEach((step, index) => {
            const usage = {
              input_tokens: 10,
              cache_creation_input_tokens: 5,
              cache_read_input_tokens: 5,
              output_tokens: 1,
            };
            const expected = prepare({ session: whole, model, ...step });
            const got = prepare({ session: current, model, ...step });
            expect(JSON.stringify(got.messages)).toBe(JSON.stringify(expected.messages));
            for (const session of [whole, current]) observeResponse({ session, model, usage });
            if (index === cut % steps.length) current = open(`${name}b`, settings);
          });
        }),
        { numRuns: runs >= 10_000 ? runs : 40 },
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
