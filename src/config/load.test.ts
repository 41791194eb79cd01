// Which source wins, what each origin says, and how every kind of mistake is named.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Home, resolveHome } from "../home/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import { type ConfigSources, describeOrigin, type LoadedConfig, loadConfig, readSetting } from "./load.ts";
import { readProjectText, trustContent } from "./trust.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const home = (): Home => {
  const env = { THROUGHLINE_HOME: path.join(folder, "home") };
  return resolveHome({ env, platform: process.platform, homeFolder: folder });
};

/** A project's file that the user has said yes to. */
function putTrusted(name: string, text: string): string {
  const file = put(name, text);
  trustContent(home(), file, readProjectText(home(), file).digest);
  return file;
}

function load(more: Partial<ConfigSources> = {}): LoadedConfig {
  return loadConfig({ home: home(), cwd: path.join(folder, "repo"), env: {}, ...more });
}

function failure(more: Partial<ConfigSources> = {}): ThroughlineError {
  try {
    load(more);
  } catch (error) {
    if (error instanceof ThroughlineError) return error;
    throw error;
  }
  throw new Error("it loaded");
}

const userFile = "home/config/config.jsonc";

describe("loadConfig", () => {
  it("gives defaults where nothing is set", () => {
    const { values, origins } = load();
    expect(values).toMatchObject({
      locale: "auto",
      model: "claude-opus-5-5",
      models: {},
      policy: "thrifty",
      replay: { ttl: "5m" },
      vault: { retentionDays: 0, maxBytes: 0 },
      capture: { exclude: [] },
      worker: { port: 37_777, idleMinutes: 30, logLevel: "info" },
    });
    expect(origins.every(({ origin }) => origin.source === "default")).toBe(true);
  });

  it("ranks flags over environment over project over user over default", () => {
    const user = put(
      userFile,
      '// mine\n{\n  "policy": "seed", "locale": "zh",\n  "model": "a", "vault": { "maxBytes": 1 },\n}',
    );
    const project = putTrusted("repo/.throughline/config.jsonc", '{ "locale": "en",\n "model": "b" }');
    const { values, origins } = load({
      env: { THROUGHLINE_MODEL: "c", THROUGHLINE_VAULT_MAX_BYTES: "3" },
      flags: { "vault.maxBytes": "4", "replay.ttl": undefined },
    });
    expect(values).toMatchObject({
      policy: "seed",
      locale: "en",
      model: "c",
      vault: { maxBytes: 4 },
      replay: { ttl: "5m" },
    });
    const said = Object.fromEntries(origins.map(({ key, origin }) => [key, describeOrigin(origin)]));
    expect(said).toMatchObject({
      locale: `${project}:1`,
      model: "THROUGHLINE_MODEL",
      models: "default",
      policy: `${user}:3`,
      "replay.ttl": "default",
      "vault.retentionDays": "default",
      "vault.maxBytes": "--max-bytes",
    });
  });

  it("merges the model table field by field", () => {
    put(userFile, '{ "models": { "gpt-4.1": { "window": 1000, "prefill": true } } }');
    putTrusted(
      "repo/.throughline/config.json",
      '{ "models": { "gpt-4.1": { "window": 2000 }, "other": { "tokenizer": "new" } } }',
    );
    const loaded = load({ env: { THROUGHLINE_MODELS: '{"other":{"maxOutput":9}}' } });
    expect(loaded.values.models).toEqual({
      "gpt-4.1": { window: 2000, prefill: true },
      other: { tokenizer: "new", maxOutput: 9 },
    });
    expect(loaded.origins.map(({ key, origin }) => `${key} ${origin.source}`)).toEqual(
      expect.arrayContaining([
        "models.gpt-4.1.window project",
        "models.gpt-4.1.prefill user",
        "models.other.maxOutput env",
      ]),
    );
    expect(readSetting(loaded, "models.gpt-4.1.window")).toBe(2000);
    expect(() => readSetting(loaded, "models.none.window")).toThrow("models.none.window is not set");
  });

  it("looks for the project file up to the root of the repository and no further", () => {
    putTrusted(".throughline/config.jsonc", '{ "locale": "zh" }');
    mkdirSync(path.join(folder, "repo/.git"), { recursive: true });
    mkdirSync(path.join(folder, "repo/a/b"), { recursive: true });
    const cwd = path.join(folder, "repo/a/b");
    expect(load({ cwd }).values.locale).toBe("auto");
    putTrusted("repo/.throughline/config.jsonc", '{ "locale": "en", "model": "root" }');
    expect(load({ cwd }).values.locale).toBe("en");
    putTrusted("repo/a/.throughline/config.jsonc", '{ "model": "nearer" }');
    expect(load({ cwd }).values).toMatchObject({ locale: "auto", model: "nearer" });
  });

  it("reads only the working folder outside a repository", () => {
    putTrusted(".throughline/config.jsonc", '{ "locale": "zh" }');
    mkdirSync(path.join(folder, "plain"), { recursive: true });
    expect(load({ cwd: path.join(folder, "plain") }).values.locale).toBe("auto");
    expect(load({ cwd: folder }).values.locale).toBe("zh");
  });

  it.each(["", "  \n", "// only a comment\n", "\uFEFF{}", '{ "$schema": "./config.schema.json", }'])(
    "accepts %j",
    (text) => {
      put(userFile, text);
      expect(load().values.policy).toBe("thrifty");
    },
  );

  it("takes an empty variable for none", () => {
    expect(load({ env: { THROUGHLINE_POLICY: "" } }).values.policy).toBe("thrifty");
  });

  it("does not let a model's name reach the prototype of every object", () => {
    put(userFile, '{ "models": { "__proto__": { "window": 7 } } }');
    load();
    expect(Object.hasOwn(Object.prototype, "window")).toBe(false);
  });
});

describe("a mistake in a file", () => {
  it.each([
    ['{\n  "polcy": "seed"\n}', 2, "unknown setting polcy; did you mean policy?"],
    [
      '{\n  "vault": {\n    "maxByte": 1\n  }\n}',
      3,
      "unknown setting vault.maxByte; did you mean vault.maxBytes?",
    ],
    ['{\n\n  "policy": "sed"\n}', 3, 'policy must be seed | thrifty, not "sed"'],
    ['{ "vault": { "maxBytes": -1 } }', 1, "vault.maxBytes must be a whole number from 0, not -1"],
    ['{ "vault": { "maxBytes": 1.5 } }', 1, "vault.maxBytes must be a whole number from 0, not 1.5"],
    ['{ "vault":\n 3 }', 2, "vault must be an object, not 3"],
    [
      '{ "models": { "x": { "window":\n "big" } } }',
      2,
      'models.x.window must be a whole number from 1, not "big"',
    ],
    [
      '{ "models": { "x": { "windw": 5 } } }',
      1,
      "unknown setting models.x.windw; did you mean models.x.window?",
    ],
    [
      '{ "models": { "x": { "prices": [{ "input": 1 }] } } }',
      1,
      "models.x.prices must be a list of { above, input, output, cacheWrite5m, cacheWrite1h, cacheRead }, not [",
    ],
    ['{ "model": "" }', 1, 'model must be text that is not empty, not ""'],
    ['{ "model": null }', 1, "model must be text that is not empty, not null"],
    ['{\n "policy": "seed",\n "policy": "thrifty" }', 3, "policy is set twice"],
    ["[]", 1, "the file must be an object, not []"],
    ['{\n  "policy" "seed"\n}', 2, "not valid JSON with comments (colon expected)"],
    ["\u0000\u0001", 1, "not valid JSON with comments"],
  ])("is named with file and line: %j", (text, line, message) => {
    const file = put(userFile, text);
    const error = failure();
    expect(error.code).toBe("config-invalid");
    expect(error.message).toContain(`${file}:${line}: ${message}`);
    expect(error.fix).toBeTruthy();
  });

  it("is refused when a folder stands in its place", () => {
    mkdirSync(path.join(folder, userFile), { recursive: true });
    expect(failure().code).toBe("not-a-file");
  });

  it("is refused when two files could be meant", () => {
    put(userFile, "{}");
    put("home/config/config.json", "{}");
    expect(failure().message).toContain("both exist");
  });
});

describe("a mistake elsewhere", () => {
  it("names the variable", () => {
    const error = failure({ env: { THROUGHLINE_VAULT_MAX_BYTES: "lots" } });
    expect(error.message).toBe(
      'THROUGHLINE_VAULT_MAX_BYTES: vault.maxBytes must be a whole number from 0, not "lots"',
    );
    expect(failure({ env: { THROUGHLINE_MODELS: "[1" } }).message).toContain(
      "THROUGHLINE_MODELS: models must be an object",
    );
  });

  it("names the flag", () => {
    expect(failure({ flags: { "replay.ttl": "2h" } }).message).toBe(
      '--ttl: replay.ttl must be 5m | 1h, not "2h"',
    );
  });
});
