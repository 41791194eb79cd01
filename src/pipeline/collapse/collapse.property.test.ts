// What collapse must hold for any conversation, in every thinking regime, through any interruption.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../../test/arbitrary/history.ts";
import { firstBrokenThinking } from "../../../test/brokenThinking.ts";
import { disk } from "../../../test/fixtures/pipeline/client.ts";
import { MINUTE, ThroughlineError } from "../../lib/index.ts";
import { check, type HistoryItem, type Message } from "../../messages/index.ts";
import { recall } from "../../vault/index.ts";
import {
  expand,
  memorySession,
  observeResponse,
  type PipelineSettings,
  type Prepared,
  pin,
  prepare,
  type Session,
  seedSettings,
  snip,
  thriftySettings,
  turnTags,
} from "../index.ts";

const runs = Number(process.env.THROUGHLINE_RUNS ?? 250);

const WINDOW = 3_000;
/** One per thinking regime. */
const names = ["claude-opus-5-5", "claude-opus-4-6", "claude-sonnet-4-5"];
const models = Object.fromEntries(names.map((name) => [name, { window: WINDOW }]));

/** Shares so low that the small generated conversations stage and collapse, and still fill the window now and then. */
function tight(policy: PipelineSettings, share: number): PipelineSettings {
  return {
    ...policy,
    autocompact: { ...policy.autocompact, outputReserve: 200, buffer: 800, least: 100 },
    collapse: {
      enabled: true,
      arm: 0.15,
      spawn: 0.25,
      target: share,
      growth: 0.02,
      tail: share * 1_000,
      smallest: 40,
      largest: 300,
      summary: 60,
      summaryShare: 0.3,
    },
  };
}

/** Much goes, or little: what stays behind a span differs. Under `seed` nothing else edits old content. */
const settingsOf = (policy: string, share: number): PipelineSettings =>
  policy === "thrifty"
    ? tight(thriftySettings, share)
    : {
        ...tight(seedSettings, share),
        microcompact: { ...seedSettings.microcompact, idle: Number.POSITIVE_INFINITY, server: false },
      };

interface Step {
  readonly messages: readonly Message[];
  readonly now: number;
}

function stepsOf(history: readonly HistoryItem[], gaps: readonly number[]): Step[] {
  const messages = history.map(({ message }) => message);
  let now = Date.UTC(2026, 0, 1);
  return messages.flatMap((message, at): Step[] => {
    const next = messages[at + 1];
    if (message.role === "assistant" || (next && next.role !== "assistant")) return [];
    now += (gaps[at % gaps.length] ?? 1) * MINUTE;
    return [{ messages: messages.slice(0, at + 1), now }];
  });
}

const anyRun = fc.record({
  history: anyHistory,
  gaps: fc.array(fc.constantFrom(0, 1, 6, 70), { minLength: 1, maxLength: 5 }),
  settings: fc
    .tuple(fc.constantFrom("seed", "thrifty"), fc.constantFrom(0.05, 0.14))
    .map(([policy, share]) => settingsOf(policy, share)),
  model: fc.constantFrom(...names),
  requested: fc.array(fc.nat(), { maxLength: 3 }),
});

/** Undefined where no window is large enough: that is said with an error, and nothing is sent. */
function attempt(session: Session, model: string, step: Step, dryRun = false): Prepared | undefined {
  try {
    return prepare({ session, model, ...step, dryRun });
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === "window-too-small") return undefined;
    throw error;
  }
}

/** Between two requests a span is expanded, a message pinned or a turn removed. */
function maybeRequest(session: Session, model: string, choice: number | undefined, last: Prepared): void {
  if (choice === undefined) return;
  const collapsed = last.items.filter(({ id }) => id.endsWith(":summary"));
  const chosen = collapsed[choice % Math.max(1, collapsed.length)];
  const tags = turnTags(last.items);
  const tag = tags[choice % Math.max(1, tags.length)]?.tag;
  if (choice % 3 === 0 && chosen) expand(session, chosen.id.replace(":summary", ""), { model });
  else if (choice % 3 === 1 && tags[0]) pin(session, [tags[0].item]);
  else if (tag !== undefined) snip(session, { ids: [tag], reason: "x" }, { model });
}

const isOldEdit = ({ level, edit }: Prepared["receipt"]["edits"][number]): boolean =>
  level !== "budget" && !["tag-inputs", "insert", "directive", "collapse-snapshot"].includes(edit.kind);

describe("collapse, for any conversation", () => {
  it("gives valid requests that fit, stable bytes, and never breaks kept thinking", () => {
    const commits = new Map<string, number>();
    fc.assert(
      fc.property(anyRun, ({ history, gaps, settings, model, requested }) => {
        const session = memorySession("any", { settings, models });
        let previous: readonly Message[] = [];
        let wasRequested = false;
        stepsOf(history, gaps).forEach((step, index) => {
          const dry = attempt(session, model, step, true);
          const prepared = attempt(session, model, step);
          expect(JSON.stringify(dry?.messages)).toBe(JSON.stringify(prepared?.messages));
          if (!prepared) return;
          const { messages, receipt } = prepared;
          expect(check(messages)).toEqual([]);
          expect(receipt.tokens.after).toBeLessThanOrEqual(WINDOW);
          if (model === names[0]) expect(firstBrokenThinking(previous, messages)).toBeUndefined();
          if (!wasRequested && !receipt.edits.some(isOldEdit))
            expect(JSON.stringify(messages.slice(0, previous.length))).toBe(JSON.stringify(previous));
          const made = receipt.edits.filter(({ edit }) => edit.kind === "collapse-commit").length;
          commits.set(model, (commits.get(model) ?? 0) + made);
          previous = messages;
          maybeRequest(session, model, requested[index % 4], prepared);
          wasRequested = requested[index % 4] !== undefined;
        });
      }),
      { numRuns: runs },
    );
    for (const name of names) expect(commits.get(name)).toBeGreaterThan(runs / 20);
  });

  it("keeps every message it hides, byte for byte, and hides whole tool pairs", () => {
    fc.assert(
      fc.property(anyRun, ({ history, gaps, settings, model }) => {
        const session = memorySession("any", { settings, models });
        for (const step of stepsOf(history, gaps)) attempt(session, model, step);
        const whole = history.map(({ message }) => message);
        for (const { edit, handles } of session.ledger.entries()) {
          if (edit.kind !== "collapse-commit") continue;
          const exact = JSON.parse(recall(session.vault, handles?.[1] ?? "").text) as Message[];
          const at = history.findIndex(({ id }) => id === edit.firstArchivedUuid);
          expect(JSON.stringify(exact)).toBe(JSON.stringify(whole.slice(at, at + exact.length)));
          expect(history[at + exact.length - 1]?.id).toBe(edit.lastArchivedUuid);
        }
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  });

  const { open } = disk();
  it("goes on after any interruption as if there had been none", () => {
    let serial = 0;
    fc.assert(
      fc.property(anyRun, fc.nat(), ({ history, gaps, settings, model }, cut) => {
        const steps = stepsOf(history, gaps);
        const name = `s${serial++}`;
        const opened = (id: string): Session => ({ ...open(id, settings), models });
        const whole = opened(`${name}a`);
        let current = opened(`${name}b`);
        steps.forEach((step, index) => {
          const expected = attempt(whole, model, step);
          const got = attempt(current, model, step);
          expect(JSON.stringify(got?.messages)).toBe(JSON.stringify(expected?.messages));
          const usage = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 };
          for (const session of [whole, current]) observeResponse({ session, model, usage });
          if (index === cut % steps.length) current = opened(`${name}b`);
        });
      }),
      { numRuns: runs >= 10_000 ? runs : 40 },
    );
  });
});
