// Changing settings in real files.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EditTarget, setSetting, unsetSetting } from "./edit.ts";

let folder: string;
let target: EditTarget;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-edit-"));
  const home = {
    config: path.join(folder, "config"),
    data: path.join(folder, "data"),
    state: path.join(folder, "state"),
  };
  const cwd = path.join(folder, "项目", "src");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(path.join(folder, "项目", ".git"));
  mkdirSync(home.config);
  target = { home, cwd, scope: "user" };
  file = path.join(home.config, "config.jsonc");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = (): string => readFileSync(file, "utf8");

describe("setSetting", () => {
  it("starts a file, says what was and what is, and keeps comments", () => {
    expect(setSetting(target, "policy", "seed")).toEqual({
      key: "policy",
      file,
      before: undefined,
      after: "seed",
    });
    writeFileSync(file, text().replace('"seed"', '"seed" // by the book'));
    expect(setSetting(target, "vault.maxBytes", "5")).toMatchObject({ before: undefined, after: 5 });
    expect(setSetting(target, "policy", "thrifty")).toMatchObject({ before: "seed", after: "thrifty" });
    expect(text()).toBe(
      '{\n  "policy": "thrifty", // by the book\n  "vault": {\n    "maxBytes": 5\n  }\n}\n',
    );
  });

  it("writes the project's file at the root of the repository", () => {
    const change = setSetting({ ...target, scope: "project" }, "replay.ttl", "1h");
    expect(change.file).toBe(path.join(folder, "项目", ".throughline", "config.jsonc"));
    expect(existsSync(change.file)).toBe(true);
    expect(existsSync(file)).toBe(false);
  });

  it("edits config.json when that is the file there is", () => {
    writeFileSync(path.join(target.home.config, "config.json"), "{}");
    expect(setSetting(target, "policy", "seed").file).toBe(path.join(target.home.config, "config.json"));
  });

  it("repairs a wrong value", () => {
    writeFileSync(file, '{ "policy": "sed" }');
    expect(setSetting(target, "policy", "seed")).toMatchObject({ before: "sed", after: "seed" });
  });

  it.each([
    ["a value that is not allowed", "{}", "policy", "sed", /^policy must be seed \| thrifty, not "sed"$/],
    ["a key there is not", "{}", "polcy", "seed", /did you mean policy/],
    ["a file that does not parse", '{ "policy": ', "policy", "seed", /config\.jsonc:1: not valid JSON/],
    ["a file that is no object", "[]", "policy", "seed", /must be an object/],
    ["a file that is wrong elsewhere", '{ "modle": 1 }', "policy", "seed", /did you mean model/],
  ])("writes nothing for %s", (_name, before, key, value, message) => {
    writeFileSync(file, before);
    expect(() => setSetting(target, key, value)).toThrow(message);
    expect(text()).toBe(before);
  });

  it.skipIf(process.platform === "win32")("leaves a link a link", () => {
    const real = path.join(folder, "dotfile.jsonc");
    writeFileSync(real, "{}");
    symlinkSync(real, file);
    setSetting(target, "policy", "seed");
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("seed");
  });
});

describe("unsetSetting", () => {
  it("takes the setting out and leaves the rest", () => {
    writeFileSync(file, '{\n  // why\n  "policy": "seed",\n  "locale": "zh",\n}\n');
    expect(unsetSetting(target, "policy")).toEqual({ key: "policy", file, before: "seed", after: undefined });
    expect(text()).toBe('{\n  // why\n  "locale": "zh",\n}\n');
  });

  it("creates no file to take nothing out of", () => {
    expect(unsetSetting(target, "policy").before).toBeUndefined();
    expect(existsSync(file)).toBe(false);
  });
});
