// Excluded folders as the hooks see them: whatever state the runtime file and the settings are in, nothing is written of one.
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hookHouse, payloads, quiet } from "../../test/hookProcess.ts";
import { answerFile, configStamp, lossFile, pauseFile, runtimeFile } from "../home/index.ts";
import { readLosses } from "../spool/index.ts";

const house = hookHouse();
const asUser = it.skipIf(process.platform === "win32" || process.getuid?.() === 0);

const secret = (): string => path.join(house.folder, "secret-project");
const canary = "canary-7391";

function folderWith(...names: string[]): string {
  const folder = path.join(secret(), ...names);
  mkdirSync(folder, { recursive: true });
  return folder;
}

function writeConfig(text: string, name = "config.jsonc"): string {
  mkdirSync(house.home.config, { recursive: true });
  const file = path.join(house.home.config, name);
  writeFileSync(file, text);
  return file;
}

const excluding = (...folders: string[]): string => JSON.stringify({ capture: { exclude: folders } });

function writeProject(text: string, folder = secret()): void {
  mkdirSync(path.join(folder, ".throughline"), { recursive: true });
  writeFileSync(path.join(folder, ".throughline", "config.jsonc"), text);
}

/** Every file of the home but the settings themselves. */
const written = (): string =>
  readdirSync(house.home.state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(path.join(entry.parentPath, entry.name), "utf8")}`)
    .filter((text) => !text.startsWith("runtime.json"))
    .join("\n");

const work = (cwd = secret()): object =>
  payloads.prompt({ cwd, prompt: canary, transcript_path: `${cwd}/t.jsonl` });

function expectNothing(cwd?: string, env?: NodeJS.ProcessEnv): void {
  expect(house.run("answer", work(cwd), env)).toEqual(quiet);
  expect(house.run("capture", payloads.tool({ cwd: cwd ?? secret(), tool_response: canary }), env)).toEqual(
    quiet,
  );
  expect(house.events()).toEqual([]);
  expect(written()).not.toMatch(/canary|secret-project/);
}

/** The rule is not simply that nothing is ever captured. */
function expectCaptured(env?: NodeJS.ProcessEnv): void {
  expect(house.run("capture", payloads.tool(), env)).toEqual(quiet);
  expect(house.events()).toHaveLength(1);
}

/** The sessions that the worker is to read from their transcripts. */
const marked = (): unknown => readLosses(lossFile(house.home));

describe("a folder that the user's settings exclude", () => {
  it.each([
    ["config.jsonc", `{\n  // by hand\n  "capture": { "exclude": ["SECRET", ], },\n}`],
    ["config.json", `{"capture":{"exclude":["SECRET"]},"no.such":1}`],
  ])("is not captured when %s was written by hand and no runtime file is there", (name, text) => {
    folderWith();
    writeConfig(text.replace("SECRET", secret()), name);
    expectNothing();
    expectCaptured();
  });

  it("is not captured when the runtime file was made from settings of before", () => {
    folderWith();
    house.writeRuntime({ excluded: [], config: configStamp(house.home) ?? "" });
    writeConfig(excluding(secret()));
    expectNothing();
    expectCaptured();
  });

  it("is not captured when a runtime file without a stamp is older than the settings", () => {
    folderWith();
    writeConfig(excluding(secret()));
    house.writeRuntime({ excluded: [] });
    utimesSync(runtimeFile(house.home), 1_000, 1_000);
    expectNothing();
    expectCaptured();
  });

  it("is read from the runtime file where that was made from the settings as they are", () => {
    folderWith();
    writeConfig("{ broken");
    house.writeRuntime({ excluded: [secret()], config: configStamp(house.home) ?? "" });
    expectNothing();
    expectCaptured();
  });

  it("is captured again when the settings are gone that excluded it", () => {
    folderWith();
    const file = writeConfig(excluding(secret()));
    house.writeRuntime({ excluded: [secret()], config: configStamp(house.home) ?? "" });
    rmSync(file);
    house.run("capture", payloads.tool({ cwd: secret() }));
    expect(house.events()).toHaveLength(1);
  });

  it("is not captured when the variable says so, whatever the runtime file says", () => {
    folderWith();
    house.writeRuntime({ excluded: [], config: configStamp(house.home) ?? "" });
    const env = { THROUGHLINE_CAPTURE_EXCLUDE: JSON.stringify([secret()]) };
    expectNothing(secret(), env);
    expectCaptured(env);
  });

  it("is not captured by way of a link, from below, or after the agent has gone elsewhere", () => {
    folderWith("src");
    const link = path.join(house.folder, "link");
    symlinkSync(secret(), link);
    writeConfig(excluding(secret()));
    expectNothing(path.join(secret(), "src"));
    expectNothing(link);
    expectNothing("/tmp", { CLAUDE_PROJECT_DIR: secret() });
  });

  it("is told nothing of what lies ready, and its snapshot is not decided on", () => {
    folderWith();
    writeConfig(excluding(secret()));
    mkdirSync(path.dirname(answerFile(house.home, secret())), { recursive: true });
    writeFileSync(answerFile(house.home, secret()), JSON.stringify({ stdout: { startup: "ready words" } }));
    expect(house.run("answer", payloads.start({ cwd: secret() }))).toEqual(quiet);
    writeConfig("{}");
    expect(house.run("answer", payloads.start({ cwd: secret() })).out).toBe("ready words");
  });
});

describe("while it cannot be known what is excluded", () => {
  const broken = (): void => {
    folderWith();
    writeConfig("{ half");
    writeFileSync(runtimeFile(house.home), "{ half");
  };

  it("a hook marks the session alone, and says why in the log", () => {
    broken();
    expectNothing();
    const session = "0d52b3bd-0000-4000-8000-000000000001";
    expect(marked()).toMatchObject({ count: 2, sessions: [{ session }] });
    expect(house.log()).toEqual(Array(2).fill(expect.stringContaining("the settings cannot be read")));
  });

  it("a pause holds, too", () => {
    broken();
    writeFileSync(pauseFile(house.home), "");
    expectNothing();
    expect(marked()).toMatchObject({ count: 0 });
  });

  it("a variable that is no list of folders counts as unknown", () => {
    expectNothing("/home/dev/app", { THROUGHLINE_CAPTURE_EXCLUDE: "/home/dev" });
    expect(marked()).toMatchObject({ count: 2 });
  });

  asUser("a file that may not be read counts as unknown", () => {
    folderWith();
    chmodSync(writeConfig(excluding(secret())), 0o000);
    expectNothing();
    expect(marked()).toMatchObject({ count: 2 });
  });

  it("a runtime file that is broken does no harm where the settings can be read", () => {
    writeFileSync(runtimeFile(house.home), "{ half");
    expectCaptured();
  });
});

describe("a project's own file, not trusted", () => {
  it.each([
    ["itself", '{"capture":{"exclude":["."]}}'],
    ["everything", '{"capture":{"exclude":["/**"]}}'],
    ["a folder of its own", '{"capture":{"exclude":["src"]}}'],
  ])("excludes %s inside the project, and nothing elsewhere", (_, text) => {
    folderWith(".git");
    writeProject(text);
    expectNothing(folderWith("src", "deep"));
    expectCaptured();
  });

  it("excludes the project while it cannot be read", () => {
    folderWith(".git");
    writeProject('{"capture": ');
    expectNothing();
    rmSync(path.join(secret(), ".throughline"), { recursive: true });
    mkdirSync(path.join(secret(), ".throughline", "config.json"), { recursive: true });
    expectNothing();
    expectCaptured();
  });

  it("cannot take back what the user or a folder above it excludes", () => {
    folderWith(".git");
    writeProject('{"capture":{"exclude":["."]}}');
    const inner = folderWith("vendor");
    writeProject('{"capture":{"exclude":[]}}', inner);
    expectNothing(inner);
    rmSync(path.join(secret(), ".throughline"), { recursive: true });
    writeConfig(excluding(secret()));
    expectNothing(inner);
  });

  it("switches snapshots and words off, and nothing on", () => {
    folderWith();
    mkdirSync(path.dirname(answerFile(house.home, secret())), { recursive: true });
    writeFileSync(answerFile(house.home, secret()), JSON.stringify({ stdout: { startup: "ready words" } }));
    writeProject('{"inject":{"enabled":false}}');
    expect(house.run("answer", payloads.start({ cwd: secret() }))).toEqual(quiet);
    writeProject('{"inject":{"enabled":true}}');
    writeConfig('{"inject":{"enabled":false}}');
    expect(house.run("answer", payloads.start({ cwd: secret() }))).toEqual(quiet);
    writeConfig("{}");
    expect(house.run("answer", payloads.start({ cwd: secret() })).out).toBe("ready words");
  });
});
