// The shell program of the plugin: finds Node without PATH and the package beside it, and does nothing beside an installation.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "./until.ts";

const root = path.resolve(import.meta.dirname, "..");

let folder = "";
let home = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-plugin-"));
  home = path.join(folder, "home of me");
  mkdirSync(home);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...names: readonly string[]): string => path.join(folder, ...names);

function put(file: string, text: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o700 });
  return file;
}

/** A package with the plugin in it, as a clone or what npm installs. */
function placePackage(name: string, version = "1.0.0"): string {
  for (const bundle of ["answer", "capture"])
    put(
      at(name, "dist", "hooks", `${bundle}.cjs`),
      `process.stdout.write("${bundle} ${version}"); require("node:fs").writeFileSync(${JSON.stringify(at("got"))}, require("node:fs").readFileSync(0))`,
    );
  put(at(name, "dist", "worker.js"), "");
  put(
    at(name, "dist", "cli.js"),
    `require("node:fs").appendFileSync(${JSON.stringify(at("commands"))}, process.argv.slice(2).join(" "))`,
  );
  put(at(name, "dist", "mcp.sh"), 'echo "$@"');
  cpSync(path.join(root, "plugin", "hooks", "run.sh"), at(name, "plugin", "hooks", "run.sh"));
  put(
    at(name, "plugin", ".claude-plugin", "plugin.json"),
    `{\n  "name": "throughline",\n  "version": "${version}"\n}`,
  );
  return at(name, "plugin");
}

/** What a version manager installs: a Node that notes each start. */
const placeNode = (...names: readonly string[]): string =>
  put(
    path.join(home, ...names),
    `#!/bin/sh\necho started >> "${at("starts")}"\nexec "${process.execPath}" "$@"\n`,
  );

function run(plugin: string, ...args: readonly string[]) {
  const env = { HOME: home, PATH: at("no programs"), CLAUDE_PLUGIN_DATA: at("plugin data") };
  // What the shell itself calls.
  for (const name of ["sh", "cat", "grep", "sed", "mkdir", "mv", "tail", "readlink"])
    put(at("no programs", name), `#!/bin/sh\nPATH=/usr/bin:/bin exec ${name} "$@"\n`);
  const { status, stdout, stderr } = spawnSync("/bin/sh", [path.join(plugin, "hooks", "run.sh"), ...args], {
    env,
    input: "{}",
    encoding: "utf8",
  });
  return { status, out: stdout, err: stderr };
}

const said = (out: string) => ({ status: 0, out, err: "" });
const starts = (): number => readFileSync(at("starts"), "utf8").split("\n").length - 1;

describe("the program of the plugin", () => {
  it("finds the Node of a version manager without PATH, keeps it, and finds another when that is gone", () => {
    const plugin = placePackage("a clone");
    const node = placeNode(".nvm", "versions", "node", "v20.19.5", "bin", "node");
    expect(run(plugin, "answer", "start")).toEqual(said("answer 1.0.0"));
    const known = starts();
    expect(run(plugin, "capture")).toEqual(said("capture 1.0.0"));
    expect(run(plugin, "answer", "start")).toEqual(said("answer 1.0.0"));
    expect(starts()).toBe(known + 2);
    rmSync(node);
    // What comes before the next session is left alone; that session finds what is there now.
    expect(run(plugin, "capture")).toEqual(said(""));
    placeNode(".nvm", "versions", "node", "v24.1.0", "bin", "node");
    expect(run(plugin, "answer", "start")).toEqual(said("answer 1.0.0"));
    expect(readFileSync(at("plugin data", "found"), "utf8")).toContain("v24.1.0");
  });

  it("finds the package of the marketplace from a copy, and says in one line where there is none", () => {
    const source = placePackage("a clone");
    placeNode(".volta", "bin", "node");
    const plugins = path.join(home, ".claude", "plugins");
    const copy = path.join(plugins, "cache", "throughline", "throughline", "1.0.0");
    cpSync(source, copy, { recursive: true });
    const line = run(copy, "answer", "start");
    expect(JSON.parse(line.out)).toEqual({
      systemMessage: expect.stringMatching(/^Throughline: .*npm run build/),
    });
    expect(run(copy, "capture")).toEqual(said(""));
    put(
      path.join(plugins, "known_marketplaces.json"),
      JSON.stringify(
        { other: { installLocation: "/nowhere" }, throughline: { installLocation: at("a clone") } },
        null,
        2,
      ),
    );
    expect(run(copy, "answer", "start")).toEqual(said("answer 1.0.0"));
  });

  it("does nothing beside an installation, and offers no tools there", () => {
    const plugin = placePackage("a clone");
    const node = placeNode(".volta", "bin", "node");
    expect(run(plugin, "mcp").out).toBe(`${node} ${at("a clone", "dist", "cli.js")}\n`);
    put(path.join(home, ".claude", "settings.json"), '{"hooks":{"Stop":["/a/dist/hooks/answer.cjs"]}}');
    for (const way of [
      ["answer", "start"],
      ["answer", "prompt"],
      ["capture", "behind"],
    ] as const)
      expect(run(plugin, ...way)).toEqual(said(""));
    expect(existsSync(at("got"))).toBe(false);
    expect(run(plugin, "mcp").out).toMatch(/ none\n$/);
  });

  it("lets no agent wait where nothing is answered, and hands over the payload", async () => {
    const plugin = placePackage("a clone");
    placeNode(".volta", "bin", "node");
    expect(run(plugin, "answer", "start").out).toBe("answer 1.0.0");
    rmSync(at("got"));
    expect(run(plugin, "capture", "behind")).toEqual(said(""));
    await until(() => existsSync(at("got")) && readFileSync(at("got"), "utf8") === "{}", "the payload");
    put(path.join(home, ".config", "throughline", "config.json"), '{"inject":{"prompts":true}}');
    expect(run(plugin, "answer", "prompt")).toEqual(said(""));
    run(plugin, "answer", "start");
    expect(run(plugin, "answer", "prompt")).toEqual(said("answer 1.0.0"));
  });

  it("starts the worker of a new version, which takes over from the old one", async () => {
    placeNode(".volta", "bin", "node");
    run(placePackage("a clone"), "answer", "start");
    expect(existsSync(at("commands"))).toBe(false);
    run(placePackage("a clone", "1.1.0"), "answer", "start");
    await until(() => existsSync(at("commands")), "the command");
    expect(readFileSync(at("commands"), "utf8")).toBe("worker start");
  });
});
