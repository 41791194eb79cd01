// The decision at the start of a session, case by case as the table in docs/snapshot.md has it.

import { describe, expect, it } from "vitest";
import { HOUR } from "../lib/index.ts";
import {
  decideSnapshot,
  type KnownReference,
  type KnownSnapshot,
  type SnapshotDecision,
  type StartSituation,
} from "./decision.ts";

const now = Date.UTC(2026, 10, 15, 12);
const ago = (ms: number): number => now - ms;

const snapshot = (at: number | undefined, more: Partial<KnownSnapshot> = {}): KnownSnapshot => ({
  name: `compact-snapshot-${at}.md`,
  at,
  session: "before",
  whole: true,
  ours: true,
  tracked: false,
  ...more,
});
const reference = (to: KnownSnapshot, more: Partial<KnownReference> = {}): KnownReference => ({
  page: "CLAUDE.md",
  name: to.name,
  at: to.at,
  ...more,
});

function decided(more: Partial<StartSituation>): SnapshotDecision {
  return decideSnapshot({
    source: "startup",
    session: "now",
    now,
    validMs: 2 * HOUR,
    references: [],
    snapshots: [],
    ...more,
  });
}

/** One snapshot of that age, referred to. */
const single = (source: StartSituation["source"], ms: number, session = "before") => {
  const one = snapshot(ago(ms), { session });
  return { one, ...decided({ source, references: [reference(one)], snapshots: [one] }) };
};

describe("by age", () => {
  it.each(["startup", "fork"] as const)(
    "%s loads until just before two hours and cleans up from then on",
    (source) => {
      expect(single(source, 0)).toMatchObject({ action: "LOAD", reason: "fresh" });
      expect(single(source, 2 * HOUR - 1)).toMatchObject({ action: "LOAD", remove: [], unreference: [] });
      const late = single(source, 2 * HOUR);
      expect(late).toMatchObject({ action: "CLEANUP", reason: "expired" });
      expect([late.remove, late.unreference]).toEqual([[late.one.name], ["CLAUDE.md"]]);
      expect(single(source, 72 * HOUR)).toMatchObject({ action: "CLEANUP" });
    },
  );

  it("follows the configured hours", () => {
    const one = snapshot(ago(3 * HOUR));
    const given = { references: [reference(one)], snapshots: [one], validMs: 4 * HOUR };
    expect(decided(given)).toMatchObject({ action: "LOAD" });
  });

  it("is told by the block where that makes it older, and never younger than the file says", () => {
    const one = snapshot(ago(HOUR));
    const late = reference(one, { at: ago(3 * HOUR) });
    expect(decided({ references: [late], snapshots: [one] })).toMatchObject({ action: "CLEANUP" });
    const old = snapshot(ago(3 * HOUR));
    const young = reference(old, { at: ago(60_000) });
    expect(decided({ references: [young], snapshots: [old] })).toMatchObject({ action: "CLEANUP" });
  });

  it("trusts no time that lies ahead, but for a little", () => {
    expect(single("startup", -4 * 60_000)).toMatchObject({ action: "LOAD" });
    expect(single("startup", -6 * 60_000)).toMatchObject({ action: "CLEANUP", reason: "future" });
  });

  it("cleans up where the time cannot be read or lies ahead", () => {
    expect(single("startup", -HOUR)).toMatchObject({ action: "CLEANUP", reason: "future" });
    const one = snapshot(ago(60_000));
    const given = { references: [reference(one, { at: undefined })], snapshots: [one] };
    expect(decided(given)).toMatchObject({
      action: "CLEANUP",
      reason: "unreadable-time",
      remove: [one.name],
    });
  });
});

describe("by source", () => {
  it("a session's own compaction always loads its own snapshot", () => {
    for (const ms of [0, HOUR, 5 * HOUR, -HOUR])
      expect(single("compact", ms, "now")).toMatchObject({
        action: "LOAD",
        reason: "own-compaction",
        remove: [],
      });
    const [own, other] = [snapshot(ago(HOUR), { session: "now" }), snapshot(ago(60_000))];
    const both = { source: "compact", references: [reference(other)], snapshots: [own, other] } as const;
    expect(decided(both)).toMatchObject({ action: "LOAD", name: own.name, remove: [], unreference: [] });
  });

  it("a compaction does not load what another session left", () => {
    expect(single("compact", HOUR)).toMatchObject({ action: "NONE", reason: "other-session", remove: [] });
    expect(single("compact", 3 * HOUR)).toMatchObject({ action: "CLEANUP" });
  });

  it("resuming loads the session's own and leaves another's alone", () => {
    expect(single("resume", HOUR, "now")).toMatchObject({ action: "LOAD", reason: "fresh" });
    expect(single("resume", 3 * HOUR, "now")).toMatchObject({ action: "CLEANUP", reason: "expired" });
    expect(single("resume", HOUR)).toMatchObject({ action: "NONE", unreference: [] });
    const [own, other] = [snapshot(ago(HOUR), { session: "now" }), snapshot(ago(60_000))];
    const both = { source: "resume", references: [reference(other)], snapshots: [own, other] } as const;
    expect(decided(both)).toMatchObject({ action: "LOAD", name: own.name, unreference: [] });
  });

  it("clearing is a new beginning, whatever the age", () => {
    const fresh = single("clear", 60_000);
    expect(fresh).toMatchObject({ action: "CLEANUP", reason: "cleared", unreference: ["CLAUDE.md"] });
    expect(fresh.remove).toEqual([fresh.one.name]);
    expect(decided({ source: "clear" })).toMatchObject({ action: "NONE", reason: "nothing" });
  });
});

describe("by what is there", () => {
  it("nothing is nothing", () => {
    expect(decided({})).toEqual({ action: "NONE", reason: "nothing", remove: [], unreference: [] });
  });

  it("a block without its file goes, and what is older than it", () => {
    const [older, newer] = [snapshot(ago(HOUR)), snapshot(ago(1_000))];
    const lost = reference(snapshot(ago(60_000)));
    expect(decided({ references: [lost] })).toMatchObject({
      action: "CLEANUP",
      reason: "missing-file",
      unreference: ["CLAUDE.md"],
    });
    const given = decided({ references: [lost], snapshots: [older, newer] });
    expect([given.remove, given.unreference]).toEqual([[older.name], ["CLAUDE.md"]]);
  });

  it("a file without a block goes by its own time", () => {
    const [fresh, old] = [snapshot(ago(HOUR)), snapshot(ago(9 * HOUR))];
    expect(decided({ snapshots: [old, fresh] })).toMatchObject({
      action: "LOAD",
      name: fresh.name,
      remove: [old.name],
    });
    expect(decided({ snapshots: [old] })).toMatchObject({ action: "CLEANUP", remove: [old.name] });
  });

  it("half a snapshot is never loaded", () => {
    const torn = snapshot(ago(60_000), { whole: false });
    const given = { references: [reference(torn)], snapshots: [torn] };
    expect(decided(given)).toMatchObject({ action: "CLEANUP", reason: "damaged", remove: [torn.name] });
    expect(decided({ ...given, source: "compact", session: "before" })).toMatchObject({ action: "CLEANUP" });
  });

  it("every expired one goes, also when a fresh one is loaded", () => {
    const [fresh, ...old] = [HOUR, 3 * HOUR, 50 * HOUR].map((ms) => snapshot(ago(ms)));
    if (!fresh) throw new Error("there is one");
    const given = decided({ references: [reference(fresh)], snapshots: [...old, fresh] });
    expect(given).toMatchObject({ action: "LOAD", name: fresh.name, unreference: [] });
    expect([...given.remove].sort()).toEqual(old.map(({ name }) => name).sort());
  });

  it("of blocks in two pages the newer decides, and one that leads nowhere goes", () => {
    const fresh = snapshot(ago(60_000));
    const gone = reference(snapshot(ago(HOUR)), { page: "CLAUDE.local.md" });
    expect(decided({ references: [gone, reference(fresh)], snapshots: [fresh] })).toMatchObject({
      action: "LOAD",
      name: fresh.name,
      unreference: ["CLAUDE.local.md"],
    });
  });
});
