// The words of a compaction: the session's notes, a summary that was asked for before, a part that was chosen.

import { describe, expect, it } from "vitest";
import { firstBrokenThinking } from "../../../test/brokenThinking.ts";
import { APPEND_ONLY, KEEP_ALL } from "../../../test/fixtures/pipeline/client.ts";
import { asked, fillingSession, rounds } from "../../../test/fixtures/pipeline/filling.ts";
import { noteSections, renderNotes, type SessionNotes } from "../../compact/index.ts";
import { check, type Message, textOf } from "../../messages/index.ts";
import {
  type Prepared,
  type PrepareInput,
  prepare,
  type Session,
  seedSettings,
  thriftySettings,
} from "../index.ts";

const name = (at: number): string => `u${String(at).padStart(3, "0")}`;
const namesOf = (messages: readonly Message[]): string[] => messages.map((_, at) => name(at + 1));

/** Notes that have taken in everything up to a message. */
function notesUpTo(
  lastSummarizedId: string | undefined,
  state = "Finishing AuthSession.refresh()",
): SessionNotes {
  const empty = Object.fromEntries(noteSections.map((section) => [section, ""])) as Parameters<
    typeof renderNotes
  >[0];
  const text = renderNotes({
    ...empty,
    "Session Title": "Rename computeInvoiceTotals everywhere",
    "Current State": state,
    "Task specification": "Never touch the schema. Rename computeInvoiceTotals everywhere.",
  });
  return { text, lastSummarizedId };
}

function request(
  session: Session,
  messages: readonly Message[],
  more: Partial<PrepareInput> = {},
): PrepareInput {
  return { session, messages, ids: namesOf(messages), model: KEEP_ALL, now: 1, ...more };
}

const texts = ({ messages }: Prepared): string[] => messages.map(({ content }) => textOf(content));
const editOf = ({ receipt }: Prepared) =>
  receipt.edits.findLast(({ level }) => level === "autocompact")?.edit;

describe("the session's notes", () => {
  // 1 + 2 × 64 = 129 messages, and then six rounds of which the notes know nothing.
  const messages: readonly Message[] = [asked, ...rounds(64), ...rounds(12, 65)];

  it("stand for what they know, behind the boundary, and everything they do not know stays as it is", () => {
    const session = fillingSession(60_000, seedSettings);
    const prepared = prepare(
      request(session, messages, {
        notes: notesUpTo("u129"),
        surroundings: { sessionStart: "what the hook printed", plan: "implement refresh" },
      }),
    );
    expect(prepared.receipt.compaction).toMatchObject({ from: "notes", refused: [] });
    const [boundary, summary, ...rest] = prepared.messages;
    expect(boundary).toEqual({ role: "user", content: "<compact boundary>" });
    expect(textOf(summary?.content)).toMatch(
      /^Below is a summary of the session so far:\n\n# Session Title\nRename computeInvoiceTotals everywhere\n/,
    );
    expect(textOf(summary?.content)).toMatch(/Do NOT acknowledge this summary.*do NOT recap[^\n]*$/);
    const kept = messages.slice(129);
    expect(rest.slice(0, kept.length)).toEqual(kept);
    const attached = rest.slice(kept.length).map(({ content }) => textOf(content));
    expect(attached.findIndex((text) => text.startsWith("<attachment: "))).toBe(0);
    expect(attached.findIndex((text) => text.startsWith("<plan: "))).toBe(1);
    expect(attached.at(-1)).toContain("what the hook printed");
    expect(editOf(prepared)).toMatchObject({
      through: "u129",
      words: "notes",
      boundary: { headUuid: "u001", anchorUuid: "u129", tailUuid: name(messages.length) },
    });
  });

  it("keep earlier messages too until there are 10,000 tokens and five that say something", () => {
    const session = fillingSession(60_000, seedSettings);
    const prepared = prepare(request(session, messages, { notes: notesUpTo(name(messages.length)) }));
    const kept = prepared.items.filter(({ id }) => id.startsWith("u"));
    expect(prepared.receipt.compaction?.from).toBe("notes");
    expect(kept.at(-1)?.id).toBe(name(messages.length));
    expect(kept.length).toBeGreaterThan(10);
    expect(kept.length).toBeLessThan(40);
  });

  it("are named with a handle to the rest where the policy gives handles", () => {
    const prepared = prepare(request(fillingSession(60_000), messages, { notes: notesUpTo("u129") }));
    expect(prepared.receipt.compaction?.from).toBe("notes");
    expect(texts(prepared)[0]).toMatch(/^This session is being continued/);
    expect(texts(prepared)[0]).toMatch(/recall tl:[0-9a-f]+/);
  });

  it("give way to the messages themselves when they are of another conversation, or too much would stay", () => {
    const other = prepare(request(fillingSession(60_000), messages, { notes: notesUpTo("nobody") }));
    expect(other.receipt.compaction).toMatchObject({ from: "messages", refused: [{ from: "notes" }] });
    const late = prepare(request(fillingSession(20_000), messages, { notes: notesUpTo("u009") }));
    expect(late.receipt.compaction).toMatchObject({ from: "messages", refused: [{ from: "notes" }] });
  });

  it("are taken again when they have come further, and not when they end before the last compaction", () => {
    const longer = [...messages, ...rounds(60, 77)];
    const afterOne = (lastSummarizedId: string): Prepared => {
      const session = fillingSession(60_000);
      prepare(request(session, messages, { notes: notesUpTo("u129") }));
      return prepare(request(session, longer, { notes: notesUpTo(lastSummarizedId), now: 2 }));
    };
    const further = afterOne("u249");
    expect(further.receipt.compaction).toMatchObject({ from: "notes", refused: [] });
    expect(further.items.find(({ id }) => id.startsWith("u"))?.id).toBe("u250");
    expect(afterOne("u101").receipt.compaction).toMatchObject({
      from: "messages",
      refused: [{ from: "notes", why: "the notes end before the last compaction" }],
    });
  });
});

describe("a summary that is at hand", () => {
  const messages = [asked, ...rounds(40)];
  const text =
    "1. Primary Request and Intent: Rename computeInvoiceTotals everywhere. Never touch the schema.";

  it("takes the place of all it stands for, and comes before the notes", () => {
    const session = fillingSession(20_000);
    const summary = { from: "model", text, through: "u075" } as const;
    const prepared = prepare(request(session, messages, { summary, notes: notesUpTo("u075") }));
    expect(prepared.receipt.compaction?.from).toBe("model");
    expect(texts(prepared)[0]).toContain(text);
    expect(prepared.items[1]?.id).toBe("u076");
  });

  it("is not used when what it stands for is gone, or when it is longer than what is left for it", () => {
    const gone = { from: "model", text, through: "u999" } as const;
    const long = { from: "model", text: "word ".repeat(20_000), through: "u075" } as const;
    for (const [summary, why] of [
      [gone, /not in the window/],
      [long, /words take \d+ tokens, and \d+ are left/],
    ] as const) {
      const { receipt } = prepare(request(fillingSession(20_000), messages, { summary }));
      expect(receipt.compaction).toMatchObject({ from: "messages", refused: [{ from: "model" }] });
      expect(receipt.compaction?.refused[0]?.why).toMatch(why);
    }
  });

  it("is not used when it forgot the request and there is no room to add it", () => {
    const wish = `Rename ${Array.from({ length: 60 }, (_, at) => `theFunctionOfModule${at}`).join(", ")}.`;
    const spoken: readonly Message[] = [{ role: "user", content: wish }, ...rounds(40)];
    // Words that all but fill what is left for them.
    const summary = { from: "model", text: "word ".repeat(1_700), through: name(spoken.length) } as const;
    const bare = { ...thriftySettings, autocompact: { ...thriftySettings.autocompact, attachments: 0 } };
    const session = fillingSession(100_000, bare);
    const { receipt } = prepare(request(session, spoken, { summary, compact: { to: 2_240 } }));
    expect(receipt.compaction).toMatchObject({ from: "messages" });
    expect(receipt.compaction?.refused[0]?.why).toMatch(/^it does not tell what comes next: request/);
  });

  it("is completed from the originals where the summariser did not see them", () => {
    const unseen = namesOf(messages.slice(0, 20));
    const summary = { from: "model", text, through: "u075", unseen } as const;
    const prepared = prepare(request(fillingSession(40_000), messages, { summary, compact: {} }));
    expect(texts(prepared)[0]).toContain("What came before all of the above");
    expect(texts(prepared)[0]).toContain("/src/f2.ts (read 1×");
  });

  it("tells an agent that works on its own that this is no first start", () => {
    const words = (proactive: boolean): string =>
      texts(prepare(request(fillingSession(20_000), messages, { proactive })))[0] ?? "";
    expect(words(true)).toContain("on your own initiative");
    expect(words(false)).not.toContain("on your own initiative");
  });
});

describe("what the agent offers", () => {
  it("is told with a compaction where it changed since the last, and not otherwise", () => {
    const session = fillingSession(40_000);
    const deltas = (count: number, tools: readonly string[]): string[] => {
      const messages = [asked, ...rounds(count)];
      const compact = count > 10 ? { compact: {} } : {};
      const prepared = prepare(
        request(session, messages, { ...compact, now: count, surroundings: { offersNow: { tools } } }),
      );
      return texts(prepared).filter((text) => text.startsWith("<deferred tools delta"));
    };
    expect(deltas(5, ["Read"])).toEqual([]);
    expect(deltas(20, ["Read"])).toEqual([]);
    expect(deltas(30, ["Read", "Grep"])).toEqual([expect.stringContaining("+Grep")]);
    expect(deltas(40, ["Read", "Grep"])).toEqual([]);
  });
});

describe("a part that was chosen", () => {
  const messages = [asked, ...rounds(20)];

  it.each([KEEP_ALL, APPEND_ONLY])("from a message on: what is earlier stays as it was sent: %s", (model) => {
    const session = fillingSession(100_000);
    const before = prepare(request(session, messages, { model }));
    const prepared = prepare(
      request(session, messages, { model, now: 2, compact: { mode: "partial", pivot: "u023" } }),
    );
    // The call that u023 answers is in u022, and goes with it.
    expect(prepared.items.slice(0, 21).map(({ id }) => id)).toEqual(namesOf(messages).slice(0, 21));
    expect(texts(prepared)[21]).toMatch(/^This session is being continued/);
    expect(JSON.stringify(prepared.messages)).not.toContain("thought t12");
    expect(JSON.stringify(prepared.messages)).toContain("thought t9");
    expect(editOf(prepared)).toMatchObject({ kind: "replace-span", first: "u022", words: "messages" });
    expect(firstBrokenThinking(before.messages, prepared.messages)).toBeUndefined();
    expect(check(prepared.messages)).toEqual([]);
  });

  it("up to a message: it and the rest stay", () => {
    const prepared = prepare(
      request(fillingSession(100_000), messages, { compact: { mode: "partial-up-to", pivot: "u022" } }),
    );
    expect(prepared.items.filter(({ id }) => id.startsWith("u"))[0]?.id).toBe("u022");
    expect(editOf(prepared)).toMatchObject({ kind: "replace-prefix", through: "u021" });
    expect(check(prepared.messages)).toEqual([]);
  });

  it("has to be in the window", () => {
    const call = (): unknown =>
      prepare(request(fillingSession(100_000), messages, { compact: { mode: "partial", pivot: "nobody" } }));
    expect(call).toThrow(expect.objectContaining({ code: "not-found" }));
  });
});
