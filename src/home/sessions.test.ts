// Where sessions keep their data, and how one is found again.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Home } from "./paths.ts";
import {
  chooseByBeginning,
  findSession,
  ledgerFile,
  listSessions,
  sessionPlace,
  vaultFolder,
} from "./sessions.ts";

let folder = "";
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-sessions-"));
  home = {
    config: path.join(folder, "config"),
    data: path.join(folder, "data"),
    state: path.join(folder, "state"),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const make = (project: string, session: string): void => {
  mkdirSync(sessionPlace(home, project, session).folder, { recursive: true });
};

describe("a session's place", () => {
  it("is a folder of its own in its project's", () => {
    const place = sessionPlace(home, "my-app", "5f1c");
    expect(place).toEqual({
      project: "my-app",
      session: "5f1c",
      folder: path.join(home.data, "projects", "my-app", "5f1c"),
    });
    expect(ledgerFile(place)).toBe(path.join(place.folder, "ledger.jsonl"));
    expect(vaultFolder(home)).toBe(path.join(home.data, "vault"));
  });

  it("never leaves the data folder, whatever the names are", () => {
    for (const name of ["..", "../../etc", "/etc", "", "."]) {
      const { folder: place } = sessionPlace(home, name, name);
      expect(path.relative(path.join(home.data, "projects"), place)).toMatch(/^[^./\\][^/\\]*[/\\][^./\\]/);
    }
  });
});

describe("listSessions", () => {
  it("is empty where nothing is, and passes over files", () => {
    expect(listSessions(home)).toEqual([]);
    make("b", "2");
    make("b", "1");
    make("a", "3");
    writeFileSync(path.join(home.data, "projects", "a", "stray.txt"), "");
    expect(listSessions(home).map(({ project, session }) => `${project}/${session}`)).toEqual([
      "a/3",
      "b/1",
      "b/2",
    ]);
  });
});

describe("findSession", () => {
  it("takes the whole id, its beginning, or the id as the agent writes it", () => {
    make("app", "5f1c-one");
    make("app", "5f1c-one-more");
    make("app", "77/slash");
    expect(findSession(home, "5f1c-one").session).toBe("5f1c-one");
    expect(findSession(home, "5f1c-one-").session).toBe("5f1c-one-more");
    expect(findSession(home, "77/slash")).toEqual(sessionPlace(home, "app", "77/slash"));
  });

  it("refuses what fits several, or none", () => {
    make("app", "5f1c");
    make("app", "5f1d");
    make("other", "5f1d");
    expect(() => findSession(home, "5f")).toThrow(expect.objectContaining({ code: "usage" }));
    expect(() => findSession(home, "5f1d")).toThrow("several projects have a session 5f1d");
    expect(findSession(home, "other/5f1d").project).toBe("other");
    expect(() => findSession(home, "99")).toThrow(expect.objectContaining({ code: "not-found" }));
    expect(() => findSession(home, "")).toThrow(expect.objectContaining({ code: "not-found" }));
  });
});

describe("chooseByBeginning", () => {
  it("prefers the whole name to a beginning", () => {
    expect(chooseByBeginning(["ab", "abc"], "ab")).toBe("ab");
    expect(chooseByBeginning(["abc", "abc"], "ab")).toBe("abc");
    expect(chooseByBeginning(["abc"], "x")).toBeUndefined();
  });
});
