// `throughline ledger` as a user types it.
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { ledgerFile, sessionPlace } from "../../home/index.ts";
import { type LedgerEntry, openLedger } from "../../ledger/index.ts";

const terminal = commandLine();

const entry = (id: string, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  v: 1,
  id,
  at: "2026-01-01T00:00:00.000Z",
  by: "here",
  level: "budget",
  why: "over the budget",
  edit: { kind: "replace-result", toolUseId: "toolu_1", content: "short" },
  ...more,
});

function write(session: string, ...entries: LedgerEntry[]): void {
  openLedger(ledgerFile(sessionPlace(terminal.home, "my-app", session))).append(entries);
}

describe("throughline ledger", () => {
  it("shows every edit with who made it and why, found by the beginning of the id", () => {
    write("5f1c-aaaa", entry("e1", { tokens: { before: 9_000, after: 40 }, handles: ["tl:3f9a0c12b7de"] }));
    const { code, out, err } = terminal.run(["ledger", "5f1c"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(
      /^e1 +2026-01-01T00:00:00\.000Z +budget +here +replace-result +9000 → 40 tokens +tl:3f9a0c12b7de +over the budget\n$/,
    );
    expect(terminal.json("ledger", "5f1c")).toMatchObject({
      session: "5f1c-aaaa",
      project: "my-app",
      entries: [{ id: "e1" }],
      active: ["e1"],
      problems: [],
    });
  });

  it("takes an entry back, and shows it as undone", () => {
    write("5f1c", entry("e1"), entry("e2"));
    expect(terminal.run(["ledger", "5f1c", "--undo", "e1"])).toMatchObject({ code: 0, out: "undone: e1\n" });
    expect(terminal.run(["ledger", "5f1c"]).out).toMatch(/^e1 .*undone$/m);
    expect(terminal.json("ledger", "5f1c")).toMatchObject({ active: ["e2"] });
  });

  it.each([
    [["ledger", "5f1c", "--undo", "e9"], 1, "no ledger entry e9"],
    [["ledger", "5f1c", "--undo", "e2"], 1, "e2 cannot be undone: e2 was carried out by the agent"],
    [["ledger", "77"], 1, "no session 77 in "],
    [["ledger", "5f"], 2, "2 sessions begin with 5f: 5f1c, 5f1d"],
  ])("refuses %j with exit code %i, the reason and nothing written", (args, code, reason) => {
    write("5f1c", entry("e1"), entry("e2", { by: "host" }));
    write("5f1d", entry("e1"));
    const outcome = terminal.run(args);
    expect(outcome).toMatchObject({ code, out: "" });
    expect(outcome.err).toMatch(/^throughline: [^\n]+\nfix: [^\n]+\n$/);
    expect(outcome.err).toContain(reason);
    expect(terminal.json("ledger", "5f1c")).toMatchObject({ active: ["e1", "e2"] });
  });

  it("asks which project is meant when two have a session of that id", () => {
    write("same", entry("e1"));
    openLedger(ledgerFile(sessionPlace(terminal.home, "other", "same"))).append([entry("e2")]);
    expect(terminal.run(["ledger", "same"]).err).toContain("fix: say which: my-app/same or other/same\n");
    expect(terminal.json("ledger", "other/same")).toMatchObject({ entries: [{ id: "e2" }] });
  });
});
