// What a session cost and what was kept out of it: counted from its transcript and its ledger.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ClaudeRows, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { type Edit, type LedgerEntry, openLedger } from "../ledger/index.ts";
import { lookupModel } from "../tokens/index.ts";
import { computeAccount } from "./account.ts";

const files = temporaryFolder();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "account-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One row a second from ten o'clock: requests are answered at 2, 4, 5 (before the compaction) and 9. */
function session(): string {
  const rows = new ClaudeRows();
  rows.user("first");
  rows.call("m1", "t1");
  rows.result("t1");
  rows.say("m2", "done");
  rows.say("m3", "really");
  rows.compact({ trigger: "auto", preTokens: 1 });
  rows.user("second");
  rows.say("m4", "yes");
  return files.write(rows.rows);
}

const at = (seconds: number): string =>
  new Date(Date.parse("2026-03-01T10:00:00Z") + seconds * 1_000).toISOString();

const entry = (
  id: string,
  seconds: number,
  edit: Edit,
  saved: number,
  more: Partial<LedgerEntry> = {},
): LedgerEntry => ({
  ...{ v: 1, id, at: at(seconds), by: "host", level: "budget", why: "large", edit },
  tokens: { before: saved + 100, after: 100 },
  ...more,
});

const spill = (id: string): Edit => ({ kind: "replace-result", toolUseId: id, content: "short" });

function drawn(entries: readonly LedgerEntry[], transcript: string | undefined = session()) {
  const ledger = path.join(folder, "ledger.jsonl");
  if (entries.length > 0) openLedger(ledger).append(entries);
  const given = transcript === "" ? {} : { transcript };
  return computeAccount({ session: "s1", ledger, vault: folder, models: {}, ...given });
}

const perToken = (lookupModel("claude-opus-4-5").prices[0]?.cacheRead ?? 0) / 1_000_000;

describe("an account", () => {
  it("has the cost that the transcript reports", async () => {
    const { cost, saved } = await drawn([]);
    expect(cost).toMatchObject({
      ...{ requests: 4, inputTokens: 12, cacheReadTokens: 400, cacheWriteTokens: 80, outputTokens: 4 },
      models: ["claude-opus-4-5"],
    });
    expect(saved).toEqual({ tokens: 0, dollars: 0, compactions: 1, results: 0 });
  });

  it("counts what an edit kept out once for every request that still would have had it", async () => {
    const { saved } = await drawn([entry("e1", 3, spill("t1"), 10_000)]);
    expect(saved).toMatchObject({ tokens: 10_000, results: 1, compactions: 1 });
    expect(saved.dollars).toBeCloseTo(2 * 10_000 * perToken, 10);
  });

  it("counts a compaction once and without money, and nothing that was taken back", async () => {
    const compaction: Edit = { kind: "replace-prefix", through: "uuid-3", messages: [] };
    const { saved } = await drawn([
      entry("e1", 1.5, spill("t1"), 10_000),
      entry("e2", 4.5, compaction, 90_000, { level: "autocompact" }),
      entry("e3", 8, spill("t9"), 500),
      entry("e4", 8.5, { kind: "undo", entry: "e3" }, 0, { level: "user" }),
    ]);
    expect(saved).toMatchObject({ tokens: 100_000, results: 1, compactions: 1 });
    expect(saved.dollars).toBeCloseTo(2 * 10_000 * perToken, 10);
  });

  it("knows the tokens from the ledger alone where the transcript is gone", async () => {
    expect(await drawn([entry("e1", 3, spill("t1"), 10_000)], "")).toEqual({
      saved: { tokens: 10_000, dollars: 0, compactions: 0, results: 1 },
    });
  });
});
