// Searching as a user types it, with no worker running: the database is read as it is.
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { databaseFile } from "../../home/index.ts";
import { openStore } from "../../store/index.ts";

const terminal = commandLine();

beforeEach(async () => {
  const store = await openStore({ file: databaseFile(terminal.home) });
  const of = { session: "5f1c", project: "app-00000001", promptNumber: 1 };
  await store.addObservations([
    {
      ...of,
      uid: "a",
      at: "2026-11-16T09:00:00Z",
      type: "bugfix",
      title: "Login loop fixed",
      filesModified: ["src/login.ts"],
    },
    { ...of, uid: "b", at: "2026-11-16T10:00:00Z", type: "decision", title: "Sessions live in Redis" },
  ]);
  await store.addSummaries([
    { ...of, uid: "s", at: "2026-11-16T11:00:00Z", request: "make login work", learned: "cookies" },
  ]);
  await store.addMessages([
    { ...of, uuid: "m", role: "tool", at: "2026-11-16T09:30:00Z", text: "TypeError: cookie is undefined" },
  ]);
  await store.close();
});

describe("throughline search", () => {
  it("prints what it found, best first, and writes nothing", () => {
    const before = readFileSync(databaseFile(terminal.home));
    const { code, out, err } = terminal.run(["search", "login", "loop"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n")[0]).toMatch(/^#1 +2026-11-16 09:00 +🔴 bugfix +~\d+ +Login loop fixed$/);
    expect(readFileSync(databaseFile(terminal.home)).equals(before)).toBe(true);
    expect(terminal.run(["search", "nothing", "of", "the", "kind"]).out).toMatch(
      /^Nothing was found\.\nLooked through .* of all projects\.\n$/,
    );
  });

  it("filters, explains, and answers a program", () => {
    expect(
      terminal.json("search", "login", "--type", "bugfix", "--file", "login.ts", "--explain"),
    ).toMatchObject({
      hits: [{ ref: "#1", kind: "observation", matched: ["login"], why: expect.any(Array) }],
      more: false,
      notes: [],
    });
    expect(terminal.json("search", "cookie", "--kind", "message")).toMatchObject({
      hits: [{ ref: "M1", speaker: "tool" }],
    });
    expect(terminal.run(["search", "login", "--project", "app"]).out).toContain("Login loop fixed");
  });

  it("refuses a filter that is none", () => {
    expect(terminal.run(["search", "x", "--type", "gossip"])).toMatchObject({ code: 2 });
    expect(terminal.run(["search", "x", "--limit", "many"])).toMatchObject({ code: 2 });
  });
});

describe("throughline timeline, show, observations, summaries and stats", () => {
  it("go from what was found to what stands around it, and to the whole of it", () => {
    expect(terminal.run(["timeline", "#1", "--after", "1"]).out).toMatch(/^▶ #1.*\n +?#2|^▶ #1[^\n]*\n#2/);
    expect(terminal.run(["show", "#1", "S1"]).out).toContain("src/login.ts");
    expect(terminal.run(["show", "#99"])).toMatchObject({
      code: 1,
      out: "There is nothing with the id #99.\n",
    });
    const latest = terminal.run(["timeline", "--json"]);
    expect(latest.code).toBe(0);
    expect(JSON.parse(latest.out).items.length).toBeGreaterThan(1);
    expect(JSON.parse(terminal.run(["timeline", "--since", "1h", "--json"]).out).items).toEqual([]);
    expect(terminal.run(["search", "cache", "--since", "some day"])).toMatchObject({ code: 2 });
  });

  it("list the newest first, page by page", () => {
    expect(terminal.json("show", "observations", "--limit", "1")).toMatchObject({
      items: [{ title: "Sessions live in Redis" }],
      next: expect.any(String),
    });
    expect(terminal.run(["show", "observations", "--type", "bugfix"]).out).toContain("Login loop fixed");
    expect(terminal.run(["show", "summaries"]).out).toContain("cookies");
    expect(terminal.run(["data", "stats"]).out).toMatch(/^kept .* 2 observations, 1 summary, 1 message$/m);
    expect(terminal.json("data", "stats")).toMatchObject({
      counts: { observations: 2, summaries: 1, messages: 1 },
    });
  });

  it("say so where nothing is kept yet", () => {
    const env = { THROUGHLINE_HOME: `${terminal.folder}/empty` };
    for (const command of [
      ["search", "x"],
      ["show", "observations"],
      ["data", "stats"],
    ])
      expect(terminal.run(command, env)).toMatchObject({
        code: 1,
        err: expect.stringContaining("no database yet"),
      });
  });
});
