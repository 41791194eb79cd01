// One observation or summary, corrected and deleted by a user, and brought back.
import { beforeEach, expect, it } from "vitest";
import { commandLine } from "../../../../test/commandLine.ts";
import { databaseFile } from "../../../home/index.ts";
import { openStore } from "../../../store/index.ts";

const terminal = commandLine();
const of = { session: "s1", project: "ferry-00000001", promptNumber: 1, at: "2026-11-16T09:00:00Z" };

beforeEach(async () => {
  const store = await openStore({ file: databaseFile(terminal.home) });
  await store.addObservations([
    { ...of, uid: "ob_1", type: "change", title: "Boats leave late", narrative: "The board is wrong." },
  ]);
  await store.addSummaries([{ ...of, uid: "su_1", request: "fix the board", nextSteps: "ship it" }]);
  await store.close();
});

it("is edited field by field, and brought back", async () => {
  const edited = await terminal.runInProcess([
    "edit",
    "1",
    "--title",
    "Boats leave on time",
    "--type",
    "bugfix",
  ]);
  expect(edited.out).toContain("bugfix");
  expect(edited.out).toContain("`throughline edit '#1' --undo`");
  const found = await terminal.jsonInProcess("search", "boats", "on", "time");
  expect(found).toMatchObject({ hits: [{ ref: "#1", title: "Boats leave on time" }] });
  expect((await terminal.runInProcess(["show", "1"])).out).toContain("The board is wrong.");
  expect((await terminal.runInProcess(["edit", "#1", "--undo"])).out).toContain("Boats leave late");
  const again = await terminal.runInProcess(["edit", "#1", "--undo"]);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("neither edited nor deleted")]);
});

it("loses a field that is given as empty, but not its title", async () => {
  await terminal.runInProcess(["edit", "S1", "--next-steps", ""]);
  expect((await terminal.runInProcess(["show", "S1"])).out).not.toContain("ship it");
  expect((await terminal.runInProcess(["edit", "1", "--title", ""])).code).toBe(2);
});

it("takes no secret in", async () => {
  const key = `sk-ant-api03-${"a1B2".repeat(23)}-AAAAAAAA`;
  const { out } = await terminal.runInProcess(["edit", "1", "--narrative", `the key is ${key}`]);
  expect(out).toContain("[redacted: anthropic-key]");
  expect(out).not.toContain(key);
});

it("says what it cannot take", async () => {
  const refused = async (...args: string[]): Promise<unknown> => {
    const { code, err } = await terminal.runInProcess(args);
    return [code, err];
  };
  expect(await refused("edit", "S1", "--title", "x")).toEqual([
    2,
    expect.stringContaining("S1 has no title"),
  ]);
  expect(await refused("edit", "P1", "--title", "x")).toEqual([
    2,
    expect.stringContaining("P1 is not the id"),
  ]);
  expect(await refused("edit", "1")).toEqual([2, expect.stringContaining("needs new text")]);
  expect(await refused("edit", "9", "--title", "x")).toEqual([1, expect.stringContaining("with the id #9")]);
  expect(await refused("forget", "--id", "1", "--session", "s1")).toEqual([
    2,
    expect.stringContaining("do not go together"),
  ]);
});

it("is deleted after a look at it, and brought back", async () => {
  expect((await terminal.runInProcess(["forget", "--id", "1"])).out).toContain("--yes deletes it");
  expect((await terminal.runInProcess(["show", "1"])).code).toBe(0);
  await terminal.runInProcess(["forget", "--id", "#1", "--yes"]);
  expect((await terminal.runInProcess(["show", "1"])).code).toBe(1);
  expect((await terminal.runInProcess(["forget", "--id", "1", "--undo"])).out).toContain("Boats leave late");
  expect((await terminal.runInProcess(["show", "1"])).code).toBe(0);
});
