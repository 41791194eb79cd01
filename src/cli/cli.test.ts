// The built command as a user meets it: output, errors, exit codes, pipes and signals.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { cliFile, commandLine } from "../../test/commandLine.ts";

const terminal = commandLine();
const { run, environment } = terminal;
let userFile: string;
let folder: string;
beforeEach(() => {
  folder = terminal.folder;
  userFile = path.join(terminal.homeFolder, "config", "config.jsonc");
});

function writeUserFile(text: string): void {
  mkdirSync(path.dirname(userFile), { recursive: true });
  writeFileSync(userFile, text);
}

describe("throughline", () => {
  it("says its version", () => {
    const { version } = JSON.parse(readFileSync(path.resolve(cliFile, "../../package.json"), "utf8"));
    expect(run(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
    expect(JSON.parse(run(["-v", "--json"]).out)).toEqual({ version });
  });

  it("shows its commands when asked for nothing or for help", () => {
    const help = run([]);
    expect(help).toEqual(run(["--help"]));
    expect(help).toMatchObject({ code: 0, err: "" });
    expect(help.out).toMatch(/Set up\n(.*\n)*? {2}config +show and change settings/);
    expect(run(["help"])).toEqual(help);
    expect(help.out).not.toMatch(/^ {2}transcript /m);
    expect(run(["help", "--all"]).out).toMatch(/Work on one transcript\n {2}ledger .*\n {2}transcript /);
    expect(run(["help", "config", "set"])).toEqual(run(["config", "set", "--help"]));
    expect(run(["help", "replay"]).out).toMatch(/^what recorded sessions[\s\S]*\n# Replay/);
    expect(run(["help", "lanes"]).out).toMatch(/^# Two lanes into Claude Code\n/);
    expect(run(["help", "lnaes"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("no help on lnaes"),
    });
    expect(run(["config", "set", "-h"]).out).toMatch(/throughline config set KEY VALUE \[flags\]/);
  });

  it.each([
    [["conifg"], "unknown command conifg; did you mean config?"],
    [["config", "lst"], "unknown command lst; did you mean list?"],
    [["snap"], "unknown command snap; did you mean snapshot?"],
    [["uninstall", "--purge"], "unknown flag --purge; did you mean --purge-data?"],
    [["search", "x", "--limit", "many"], "--limit must be a whole number, not many"],
    [["config"], "throughline config needs a command"],
    [["--verison"], "unknown flag --verison; did you mean --version?"],
    [["config", "list", "--orign"], "unknown flag --orign; did you mean --origin?"],
    [["config", "list", "--json=yes"], "--json takes no value"],
    [["config", "get"], "KEY is missing"],
    [["config", "get", "policy", "extra"], "unexpected argument extra"],
    [["config", "get", "polcy"], "unknown setting polcy; did you mean policy?"],
  ])("leaves %j with exit code 2 and the reason", (args, message) => {
    const { code, out, err } = run(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^throughline: [^\n]+\nfix: [^\n]+\n$/);
    expect(err).toContain(`throughline: ${message}\n`);
  });

  it("runs a command by its former name, and names the new one on stderr", () => {
    const { code, out, err } = run(["backup", "--help"]);
    expect({ code, out }).toEqual({ code: 0, out: run(["data", "backup", "--help"]).out });
    expect(err).toBe(
      "`throughline backup` is now `throughline data backup`; the old name works through 0.2\n",
    );
    expect(JSON.parse(run(["observations", "--json"]).out)).toEqual(
      JSON.parse(run(["show", "observations", "--json"]).out),
    );
  });

  it("gives errors as one JSON document when asked for JSON", () => {
    for (const args of [
      ["conifg", "--json"],
      ["--json", "config", "get", "polcy"],
    ]) {
      const { code, out, err } = run(args);
      expect({ code, err }).toEqual({ code: 2, err: "" });
      expect(JSON.parse(out)).toEqual({
        error: { code: "usage", message: expect.stringContaining("did you mean"), fix: expect.any(String) },
      });
    }
  });

  it("shows a stack only on request", () => {
    expect(run(["conifg"]).err).not.toContain("    at ");
    expect(run(["conifg"], { THROUGHLINE_DEBUG: "1" }).err).toContain("    at ");
  });

  it("colours only where it is wanted", () => {
    const code = String.fromCharCode(27);
    expect(run(["--help"]).out).not.toContain(code);
    expect(run(["--help"], { FORCE_COLOR: "1" }).out).toContain(code);
    expect(run(["conifg"], { FORCE_COLOR: "1" }).err).toContain(code);
    expect(run(["--help"], { FORCE_COLOR: "0" }).out).not.toContain(code);
    expect(run(["--help"], { NO_COLOR: "1" }).out).not.toContain(code);
  });

  it.skipIf(process.platform === "win32")("ends quietly when its reader has gone", async () => {
    const child = spawn(process.execPath, [cliFile, "config", "schema"], { cwd: folder, env: environment() });
    child.stdout.destroy();
    const errors: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, err: Buffer.concat(errors).toString() }).toEqual({ code: 0, err: "" });
  });

  it.skipIf(process.platform === "win32")("ends at Ctrl-C even while it waits inside a read", async () => {
    const pipe = path.join(folder, "prices.json");
    execFileSync("mkfifo", [pipe]);
    const args = ["replay", "session.jsonl", "--prices", pipe];
    const child = spawn(process.execPath, [cliFile, ...args], { cwd: folder, env: environment() });
    const ended = new Promise((resolve) => child.on("close", (_code, signal) => resolve(signal)));
    // Opening the other end waits for the reader, so the command is inside its read when the signal comes.
    const writer = await open(pipe, "w");
    child.kill("SIGINT");
    expect(await ended).toBe("SIGINT");
    await writer.close();
  });
});

describe("throughline config", () => {
  it("takes folders as they are typed, one after the other, and lists as JSON", () => {
    const excluded = (): string[] =>
      JSON.parse(run(["config", "get", "capture.exclude", "--json"]).out).value;
    const home = path.join(folder, "me");
    expect(run(["config", "set", "capture.exclude", "~/private"], { HOME: home }).code).toBe(0);
    expect(run(["config", "set", "capture.exclude", "secrets"]).code).toBe(0);
    expect(excluded()).toEqual([path.join(home, "private"), expect.stringMatching(/.secrets$/)]);
    expect(run(["config", "set", "capture.exclude", '["/one"]']).code).toBe(0);
    expect(excluded()).toEqual(["/one"]);
  });

  it("says what each setting does, in lines that fit", () => {
    const { out } = run(["config", "list"]);
    expect(out).toMatch(/^llm\.provider {2}none\n {4}Model provider for summaries/m);
    expect(out.split("\n").filter((line) => line.startsWith("    ") && line.length > 100)).toEqual([]);
  });

  it("lists every value with its origin", () => {
    writeUserFile('{\n  "policy": "seed"\n}');
    const { out } = run(["config", "list", "--origin"], { THROUGHLINE_REPLAY_TTL: "1h" });
    expect(out).toMatch(/^locale +auto +default$/m);
    expect(out).toContain(`${userFile}:2`);
    expect(out).toMatch(/^replay\.ttl +1h +THROUGHLINE_REPLAY_TTL$/m);
    const { settings } = JSON.parse(run(["config", "list", "--json"]).out);
    expect(settings).toContainEqual({
      key: "policy",
      value: "seed",
      origin: { source: "user", file: userFile, line: 2 },
    });
  });

  it("sets, gets and unsets", () => {
    expect(run(["config", "get", "policy"]).out).toBe("thrifty\n");
    expect(run(["config", "set", "policy", "seed"]).out).toBe(`policy: (not set) → seed\n${userFile}\n`);
    expect(run(["config", "get", "policy"]).out).toBe("seed\n");
    expect(JSON.parse(run(["config", "unset", "policy", "--json"]).out)).toEqual({
      key: "policy",
      file: userFile,
      before: "seed",
      after: null,
    });
    expect(run(["config", "get", "policy"]).out).toBe("thrifty\n");
  });

  it("keeps the project's settings in the project", () => {
    mkdirSync(path.join(folder, ".git"));
    expect(run(["config", "set", "replay.ttl", "1h", "--project"]).code).toBe(0);
    expect(existsSync(path.join(folder, ".throughline", "config.jsonc"))).toBe(true);
    expect(existsSync(userFile)).toBe(false);
    expect(run(["config", "path"]).out).toMatch(/user .*\(does not exist yet\)\nproject .*config\.jsonc\n$/);
  });

  it("writes nothing that is not allowed", () => {
    const { code, err } = run(["config", "set", "vault.maxBytes", "--", "-5"]);
    expect(code).toBe(1);
    expect(err).toContain("throughline: vault.maxBytes must be a whole number from 0, not -5\n");
    expect(existsSync(userFile)).toBe(false);
  });

  it("stops at a broken file and says where it breaks", () => {
    writeUserFile('{\n  "policy": seed\n}');
    const { code, out, err } = run(["config", "list"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(`throughline: ${userFile}:2: not valid JSON with comments`);
  });

  it("prints the schema that is in the package", () => {
    expect(run(["config", "schema"]).out).toBe(
      readFileSync(path.resolve(cliFile, "../../config.schema.json"), "utf8"),
    );
  });
});
