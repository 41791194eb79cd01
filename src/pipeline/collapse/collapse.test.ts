// Collapse: staged, committed, expanded; what it leaves alone, and what it waits for.

import { describe, expect, it } from "vitest";
import { firstBrokenThinking } from "../../../test/brokenThinking.ts";
import { APPEND_ONLY, KEEP_ALL, LEGACY, START } from "../../../test/fixtures/pipeline/client.ts";
import {
  asked,
  collapsing,
  onlyCollapse,
  ROOM,
  ROUNDS_A_TURN,
  requestsOf,
  round,
} from "../../../test/fixtures/pipeline/collapsing.ts";
import { COLLAPSED } from "../../compact/index.ts";
import type { EditOf, LedgerEntry } from "../../ledger/index.ts";
import { MINUTE } from "../../lib/index.ts";
import { blocksOf, check, isThinking, type Message } from "../../messages/index.ts";
import { recall } from "../../vault/index.ts";
import {
  expand,
  memorySession,
  type Prepared,
  pin,
  prepare,
  type Session,
  seedSettings,
  snip,
  thriftySettings,
  turnTags,
  undo,
  unsnip,
  wordStagedSpans,
} from "../index.ts";
import { decideCollapse } from "./collapse.ts";

type Commit = EditOf<"collapse-commit">;

const sessionOf = (policy = thriftySettings): Session => memorySession("s", collapsing(policy));

const commitsIn = (session: Session): Commit[] =>
  session.ledger.entries().flatMap(({ edit }) => (edit.kind === "collapse-commit" ? [edit] : []));

const snapshotsIn = (entries: readonly LedgerEntry[]): EditOf<"collapse-snapshot">[] =>
  entries.flatMap(({ edit }) => (edit.kind === "collapse-snapshot" ? [edit] : []));

const shown = (messages: readonly Message[]): string => JSON.stringify(messages);

/** Requests one after the other, ten seconds apart unless told otherwise, until one of them makes `done` true. */
function sendUntil(
  session: Session,
  model: string,
  requests: readonly Message[][],
  done: (prepared: Prepared) => boolean = () => false,
): { readonly all: Prepared[]; readonly last: Prepared; readonly sent: Message[] } {
  const all: Prepared[] = [];
  for (const [index, messages] of requests.entries()) {
    const prepared = prepare({ session, model, messages, now: START + index * 10_000 });
    all.push(prepared);
    if (done(prepared)) return { all, last: prepared, sent: messages };
  }
  return { all, last: all.at(-1) as Prepared, sent: requests.at(-1) as Message[] };
}

const hasCommit = ({ receipt }: Prepared): boolean =>
  receipt.edits.some(({ edit }) => edit.kind === "collapse-commit");

describe("when a collapse is due", () => {
  const room = 100_000;
  const resting = { armed: false, lastSpawnTokens: 0 };
  it.each([
    ["rests below the arming share", 74_999, false, resting, "rest"],
    ["rests below it although the cache is cold", 74_999, true, resting, "rest"],
    ["stages from the arming share on", 75_000, false, resting, "stage"],
    ["waits with staged spans", 80_000, false, { armed: true, lastSpawnTokens: 0 }, "wait"],
    [
      "collapses staged spans where it costs nothing",
      80_000,
      true,
      { armed: true, lastSpawnTokens: 0 },
      "collapse",
    ],
    ["collapses from the spawn share on", 95_000, false, { armed: true, lastSpawnTokens: 0 }, "collapse"],
    ["collapses at once when a request jumps over both", 95_000, false, resting, "collapse"],
    [
      "rests until the conversation has grown",
      95_000,
      false,
      { armed: false, lastSpawnTokens: 90_000 },
      "rest",
    ],
    ["acts again when it has", 100_000, false, { armed: false, lastSpawnTokens: 90_000 }, "collapse"],
  ] as const)("%s", (_, tokens, free, state, expected) => {
    expect(decideCollapse({ tokens, room, free }, state, thriftySettings.collapse)).toBe(expected);
  });

  it("rests where system prompt and tools leave no room", () => {
    expect(decideCollapse({ tokens: 10, room: 0, free: true }, resting, thriftySettings.collapse)).toBe(
      "rest",
    );
  });
});

describe("collapse", () => {
  it("is off by default", () => {
    expect([seedSettings.collapse.enabled, thriftySettings.collapse.enabled]).toEqual([false, false]);
  });

  it("stages spans first, and changes nothing with that", () => {
    const session = sessionOf();
    const { all, last } = sendUntil(
      session,
      KEEP_ALL,
      requestsOf(60),
      ({ receipt }) => receipt.edits.length > 0,
    );
    const [snapshot] = snapshotsIn(last.receipt.edits);
    expect(snapshot).toMatchObject({ armed: true, lastSpawnTokens: 0 });
    expect(snapshot?.spans.length).toBeGreaterThan(1);
    expect(shown(last.messages.slice(0, all.at(-2)?.messages.length))).toBe(
      shown(all.at(-2)?.messages ?? []),
    );
    expect(last.receipt.tokens.after).toBeGreaterThanOrEqual(ROOM * 0.75);
    expect(last.receipt.levels).toEqual([
      { level: "collapse", made: 0, before: 0, after: 0, waiting: expect.stringContaining("staged") },
    ]);
  });

  it.each([KEEP_ALL, LEGACY])(
    "commits them at the spawn share, with the five fields, valid on %s",
    (model) => {
      const session = sessionOf();
      const { last } = sendUntil(session, model, requestsOf(60), hasCommit);
      expect(check(last.messages)).toEqual([]);
      expect(last.receipt.tokens.after).toBeLessThanOrEqual(ROOM * 0.6);
      for (const commit of commitsIn(session)) {
        expect(Object.keys(commit).sort()).toEqual(
          [
            "kind",
            "collapseId",
            "summaryUuid",
            "summaryContent",
            "firstArchivedUuid",
            "lastArchivedUuid",
          ].sort(),
        );
        const placeholder = last.items.find(({ id }) => id === commit.summaryUuid);
        expect(placeholder?.message).toEqual({ role: "user", content: commit.summaryContent });
        expect(commit.summaryContent.startsWith(COLLAPSED)).toBe(true);
      }
      const after = snapshotsIn(last.receipt.edits).at(-1);
      expect(after).toMatchObject({ spans: [], armed: false });
      expect(after?.lastSpawnTokens).toBeLessThan(ROOM * 0.6);
      expect(last.receipt.edits.some(({ level }) => level === "autocompact")).toBe(false);
    },
  );

  it("keeps the newest messages and the open request as they are", () => {
    const session = sessionOf();
    const requests = Array.from({ length: 60 }, (_, count) => [
      asked(1),
      ...Array.from({ length: count }, (_, at) => round(at)).flat(),
    ]);
    const { last, sent } = sendUntil(session, KEEP_ALL, requests, hasCommit);
    expect(last.messages[0]).toEqual(sent[0]);
    expect(shown(last.messages.slice(-20))).toBe(shown(sent.slice(-20)));
    expect(check(last.messages)).toEqual([]);
  });

  it("keeps every word in the vault, readable and exact", () => {
    const session = sessionOf();
    const { sent } = sendUntil(session, KEEP_ALL, requestsOf(60), hasCommit);
    const entries = session.ledger.entries().filter(({ edit }) => edit.kind === "collapse-commit");
    expect(entries.length).toBeGreaterThan(1);
    for (const { edit, handles } of entries) {
      const [readable = "", exact = ""] = handles ?? [];
      expect((edit as Commit).summaryContent).toContain(`recall ${readable} `);
      const messages = JSON.parse(recall(session.vault, exact).text) as Message[];
      const start = sent.findIndex((message) => shown([message]) === shown(messages.slice(0, 1)));
      expect(shown(sent.slice(start, start + messages.length))).toBe(shown(messages));
      expect(recall(session.vault, readable).text).toContain("## call Read t");
    }
  });

  it("stays away until the conversation has grown, and never lets a request over the window out", () => {
    const session = sessionOf();
    const { all } = sendUntil(session, KEEP_ALL, requestsOf(160));
    const collapses = all.filter(hasCommit);
    expect(collapses.length).toBeGreaterThan(2);
    expect(collapses.length).toBeLessThan(15);
    for (const { receipt } of all) expect(receipt.tokens.after).toBeLessThanOrEqual(ROOM + 13_000);
    const proactive = all
      .flatMap(({ receipt }) => receipt.edits)
      .filter(({ level }) => level === "autocompact");
    expect(proactive).toEqual([]);
  });

  it("leaves it to a compaction when a request would not fit otherwise", () => {
    const session = sessionOf();
    const { all } = sendUntil(session, APPEND_ONLY, requestsOf(120));
    const kinds = session.ledger.entries().map(({ edit }) => edit.kind);
    expect(kinds).toContain("replace-prefix");
    expect(kinds.indexOf("collapse-snapshot")).toBeLessThan(kinds.indexOf("replace-prefix"));
    for (const { receipt, messages } of all) {
      expect(receipt.tokens.after).toBeLessThanOrEqual(ROOM + 13_000);
      expect(check(messages)).toEqual([]);
    }
    const compacted = all.filter(({ receipt }) => receipt.edits.some(({ level }) => level === "autocompact"));
    for (const { receipt } of compacted) expect(receipt.tokens.before).toBeGreaterThan(ROOM + 13_000);
  });

  it("leaves what is pinned where it is", () => {
    const session = sessionOf();
    const requests = requestsOf(60);
    const { items } = prepare({ session, model: KEEP_ALL, messages: requests[3] as Message[], now: START });
    pin(session, [items[2]?.id ?? ""]);
    const { last } = sendUntil(session, KEEP_ALL, requests, hasCommit);
    expect(isShown(last, "computeInvoiceTotals0_1(")).toBe(true);
    expect(isShown(last, "weighing t0")).toBe(true);
    expect(isShown(last, "computeInvoiceTotals4_1(")).toBe(false);
  });

  it("leaves a turn alone that was removed and brought back", () => {
    const session = sessionOf(seedSettings);
    const { requests, tag } = withTurnRemoved(session, 0);
    unsnip(session, { ids: [tag] }, { model: KEEP_ALL, now: START });
    const { last } = sendUntil(session, KEEP_ALL, requests, hasCommit);
    expect(isShown(last, "computeInvoiceTotals2_1(")).toBe(true);
    expect(isShown(last, "computeInvoiceTotals7_1(")).toBe(false);
  });

  it("spans no gap, so that a removed turn can still come back", () => {
    const { settings = seedSettings, ...rest } = collapsing(seedSettings);
    const wide = { ...settings, collapse: { ...settings.collapse, largest: 12_000 } };
    const session = memorySession("s", { ...rest, settings: wide });
    const { requests, tag } = withTurnRemoved(session, 1);
    const { sent, last } = sendUntil(session, KEEP_ALL, requests, hasCommit);
    for (const round of [2, 7, 13]) expect(isShown(last, `computeInvoiceTotals${round}_1(`)).toBe(false);
    unsnip(session, { ids: [tag] }, { model: KEEP_ALL, now: START });
    const back = prepare({ session, model: KEEP_ALL, messages: sent, now: START });
    expect(isShown(back, "computeInvoiceTotals7_1(")).toBe(true);
    expect(check(back.messages)).toEqual([]);
  });

  it("scores what is used again lower", () => {
    const names = Array.from({ length: 14 }, (_, n) => `computeInvoiceTotals2_${n}`).join(" ");
    const scoreOfFirst = (words: string): number => {
      const session = sessionOf();
      const messages: Message[] = [
        ...(requestsOf(36).at(-1) as Message[]),
        { role: "assistant", content: words },
        asked(9),
      ];
      const { items, receipt } = prepare({ session, model: KEEP_ALL, messages, now: START });
      const [snapshot] = snapshotsIn(receipt.edits);
      expect(snapshot?.armed).toBe(true);
      return snapshot?.spans.find(({ firstArchivedUuid }) => firstArchivedUuid === items[0]?.id)?.score ?? 0;
    };
    expect(scoreOfFirst(names)).toBeLessThan(0.6 * scoreOfFirst(names.replaceAll("Totals2", "Totalz2")));
  });
});

const isShown = ({ messages }: Prepared, text: string): boolean => shown(messages).includes(text);

/** A conversation of which the model removed a turn early on. */
function withTurnRemoved(session: Session, turn: number): { requests: Message[][]; tag: string } {
  const requests = requestsOf(60);
  const { items } = prepare({ session, model: KEEP_ALL, messages: requests[16] as Message[], now: START });
  const tag = turnTags(items)[turn]?.tag ?? "";
  snip(session, { ids: [tag], reason: "x" }, { model: KEEP_ALL, now: START });
  const without = prepare({ session, model: KEEP_ALL, messages: requests[17] as Message[], now: START });
  expect(isShown(without, `computeInvoiceTotals${turn * ROUNDS_A_TURN + 1}_1(`)).toBe(false);
  return { requests: requests.slice(18), tag };
}

describe("in the append-only regime", () => {
  it("waits with staged spans, says so, and lets them go at a cold user turn with all thinking", () => {
    const session = sessionOf();
    const { all, last, sent } = sendUntil(session, APPEND_ONLY, requestsOf(40));
    expect(commitsIn(session)).toEqual([]);
    const mark = session.ledger.entries().find(({ edit }) => edit.kind === "collapse-snapshot");
    expect(last.receipt.waiting).toEqual([
      { mark: mark?.id, why: expect.stringContaining("binds thinking") },
    ]);
    expect(last.receipt.levels).toMatchObject([{ level: "collapse", made: 0 }]);
    for (const [index, { messages }] of all.entries())
      expect(firstBrokenThinking(all[index - 1]?.messages ?? [], messages)).toBeUndefined();
    const messages: Message[] = [...sent, { role: "assistant", content: "Done." }, asked(9)];
    const cold = prepare({ session, model: APPEND_ONLY, messages, now: START + 100 * MINUTE });
    expect(hasCommit(cold)).toBe(true);
    expect(cold.messages.flatMap(blocksOf).filter(isThinking)).toEqual([]);
    expect(firstBrokenThinking(last.messages, cold.messages)).toBeUndefined();
    expect(cold.receipt.waiting).toEqual([]);
    const kinds = cold.receipt.edits.map(({ edit }) => edit.kind);
    expect(kinds.indexOf("drop-thinking")).toBeLessThan(kinds.indexOf("collapse-commit"));
  });

  it("brings a span back at a cold user turn, not before", () => {
    const session = sessionOf();
    const base: Message[] = [
      ...(requestsOf(40).at(-1) as Message[]),
      { role: "assistant", content: "Done." },
    ];
    const send = (more: Message[], minutes: number): Prepared =>
      prepare({ session, model: APPEND_ONLY, messages: [...base, ...more], now: START + minutes * MINUTE });
    send([asked(8)], 0);
    const first: Message[] = [asked(8), ...round(80), { role: "assistant", content: "Done." }];
    send([asked(8), ...round(80)], 1);
    expect(hasCommit(send([...first, asked(9)], 60))).toBe(true);
    const [commit] = commitsIn(session);
    const asBefore = send([...first, asked(9)], 60);
    expect(expand(session, commit?.collapseId ?? "", { model: APPEND_ONLY }).waiting).toMatch(
      /binds thinking/,
    );
    const warm = send([...first, asked(9), ...round(81)], 61);
    expect(shown(warm.messages.slice(0, asBefore.messages.length))).toBe(shown(asBefore.messages));
    const second: Message[] = [...first, asked(9), ...round(81), { role: "assistant", content: "Done." }];
    const cold = send([...second, asked(10)], 200);
    expect(isShown(cold, JSON.stringify(commit?.summaryContent))).toBe(false);
    expect(firstBrokenThinking(warm.messages, cold.messages)).toBeUndefined();
    expect(check(cold.messages)).toEqual([]);
  });
});

describe("expanding a span", () => {
  it("gives its messages back as they were, by the handle in the placeholder, and keeps them", () => {
    const session = sessionOf();
    const requests = requestsOf(60);
    const { sent, last } = sendUntil(session, KEEP_ALL, requests, hasCommit);
    const entry = session.ledger.entries().find(({ edit }) => edit.kind === "collapse-commit");
    const archived = JSON.parse(recall(session.vault, entry?.handles?.[1] ?? "").text) as Message[];
    expect(isShown(last, shown(archived).slice(1, -1))).toBe(false);
    expect(expand(session, entry?.handles?.[0] ?? "", { model: KEEP_ALL }).waiting).toBeUndefined();
    const rest = requests.slice(requests.indexOf(sent));
    const { all } = sendUntil(session, KEEP_ALL, rest);
    expect(all.filter(hasCommit).length).toBeGreaterThan(0);
    for (const prepared of all) expect(isShown(prepared, shown(archived).slice(1, -1))).toBe(true);
  });

  it("is refused for a span that is not there", () => {
    const session = sessionOf();
    expect(() => expand(session, "tl:000000000000", { model: KEEP_ALL })).toThrow(/no collapsed span/);
  });

  it("takes staged spans back at once, also where thinking is bound", () => {
    const session = sessionOf();
    sendUntil(session, APPEND_ONLY, requestsOf(40));
    const snapshot = session.ledger.entries().find(({ edit }) => edit.kind === "collapse-snapshot");
    expect(undo(session, snapshot?.id ?? "", { model: APPEND_ONLY }).waiting).toBeUndefined();
  });
});

describe("words for staged spans", () => {
  const staged = (): { session: Session; requests: Message[][] } => {
    const session = sessionOf();
    const requests = requestsOf(60);
    const { sent } = sendUntil(session, KEEP_ALL, requests, ({ receipt }) => receipt.edits.length > 0);
    return { session, requests: requests.slice(requests.indexOf(sent)) };
  };

  it("take the place of what code can tell, with the handle still there", async () => {
    const { session, requests } = staged();
    const count = await wordStagedSpans(session, async (span) => `They read ${span.length} messages. `);
    expect(count).toBeGreaterThan(1);
    const { last } = sendUntil(session, KEEP_ALL, requests, hasCommit);
    const worded = commitsIn(session).filter(({ summaryContent }) =>
      /\nThey read \d+ messages\.$/.test(summaryContent),
    );
    expect(worded).toHaveLength(count);
    expect(worded[0]?.summaryContent).toMatch(/recall tl:[0-9a-f]+ /);
    expect(check(last.messages)).toEqual([]);
  });

  it("are not taken when there are none, or when they are no shorter", async () => {
    const { session } = staged();
    const entries = session.ledger.entries().length;
    expect(await wordStagedSpans(session, async () => undefined)).toBe(0);
    expect(await wordStagedSpans(session, async () => " ")).toBe(0);
    expect(await wordStagedSpans(session, async (span) => JSON.stringify(span))).toBe(0);
    expect(session.ledger.entries()).toHaveLength(entries);
  });

  it("come too late for spans that went in the meantime", async () => {
    const { session, requests } = staged();
    const count = await wordStagedSpans(session, async () => {
      if (commitsIn(session).length === 0) sendUntil(session, KEEP_ALL, requests, hasCommit);
      return "late words";
    });
    expect(count).toBe(0);
    expect(snapshotsIn(session.ledger.entries()).at(-1)).toMatchObject({ armed: false, spans: [] });
  });
});

it("the settings of collapse are the same under both policies", () => {
  expect(onlyCollapse(seedSettings).collapse).toEqual(onlyCollapse(thriftySettings).collapse);
});
