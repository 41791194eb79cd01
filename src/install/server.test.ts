// Our entry among the MCP servers: put in beside others', brought up to date, and taken out to the byte.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Home } from "../home/index.ts";
import { installedProgram } from "./hookTable.ts";
import { carryOutInstall, type InstallRequest, prepareServer } from "./install.ts";
import { readReceipt, type Scope, scopes } from "./receipt.ts";
import { carryOutUninstall, prepareUninstall, type Removed } from "./uninstall.ts";

let folder = "";
let home: Home;
let userFile = "";
let projectFile = "";
const now = new Date("2026-01-02T03:04:05.678Z");

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-server-"));
  home = { config: path.join(folder, "c"), data: path.join(folder, "d"), state: path.join(folder, "s") };
  userFile = path.join(folder, ".claude.json");
  projectFile = path.join(folder, "project", ".mcp.json");
  mkdirSync(path.join(folder, "project"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const request = (scope: Scope): InstallRequest => ({
  home,
  scope,
  claude: {
    configFolder: path.join(folder, ".claude"),
    projectFolder: path.join(folder, "project"),
    userFile,
  },
  program: installedProgram("node", folder),
  runtime: { version: "1.2.3", paused: false, excluded: [], worker: { node: "node", script: "w" } },
  env: {},
});

const prepared = (scope: Scope, cli = "/package/dist/cli.js") => {
  const found = prepareServer(request(scope), { node: "/bin/node", cli, env: {} });
  if (found === undefined) throw new Error("no place for a server");
  return found;
};
const install = (scope: Scope, cli?: string) => carryOutInstall(prepared(scope, cli), now);
const uninstall = (of: readonly Scope[] = scopes): Removed[] =>
  carryOutUninstall(home, prepareUninstall({ home, claude: request("user").claude, scopes: of }), now);
const read = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

const entry = { type: "stdio", command: "/bin/node", args: ["/package/dist/cli.js", "mcp"], env: {} };

/** As Claude Code keeps it. */
const state = (): string =>
  `${JSON.stringify({ numStartups: 3, mcpServers: { other: { command: "x" } }, projects: { "/a": { allowedTools: [] } } }, null, 2)}`;

describe("our server", () => {
  it("stands where the scope has its servers", () => {
    for (const scope of scopes) install(scope);
    expect(read(userFile)).toEqual({
      mcpServers: { throughline: entry },
      projects: { [path.join(folder, "project")]: { mcpServers: { throughline: entry } } },
    });
    expect(read(projectFile)).toEqual({ mcpServers: { throughline: entry } });
    expect(readReceipt(home).installations.map(({ lane }) => lane)).toEqual(["mcp", "mcp", "mcp"]);
  });

  it("leaves no trace, whatever the order", () => {
    for (const order of [scopes, scopes.toReversed()]) {
      writeFileSync(userFile, state());
      for (const scope of scopes) install(scope);
      for (const scope of order) uninstall([scope]);
      expect(readFileSync(userFile, "utf8")).toBe(state());
      expect(existsSync(projectFile)).toBe(false);
      for (const scope of scopes) install(scope);
      uninstall();
      expect(readFileSync(userFile, "utf8")).toBe(state());
      rmSync(userFile);
    }
  });

  it("leaves, and nothing else does, when the agent has written the file since", () => {
    writeFileSync(userFile, state());
    install("user");
    install("local");
    const value = read(userFile) as { numStartups: number };
    writeFileSync(userFile, JSON.stringify({ ...value, numStartups: 4 }));
    expect(uninstall()).toMatchObject([{ outcome: "edited" }, { outcome: "edited" }]);
    expect(read(userFile)).toEqual({ ...JSON.parse(state()), numStartups: 4 });
  });

  it("is found and leaves without a receipt", () => {
    writeFileSync(userFile, state());
    install("user");
    rmSync(path.join(home.data, "install-receipt.json"));
    expect(uninstall()).toMatchObject([{ file: userFile }]);
    expect(read(userFile)).toEqual(JSON.parse(state()));
  });

  it("follows when the package moves, and is left alone when it is right", () => {
    install("user");
    expect(prepared("user").state).toBe("current");
    expect(prepared("user", "/elsewhere/dist/cli.js").state).toBe("update");
    install("user", "/elsewhere/dist/cli.js");
    expect(read(userFile)).toMatchObject({
      mcpServers: { throughline: { args: ["/elsewhere/dist/cli.js", "mcp"] } },
    });
    uninstall();
    expect(existsSync(userFile)).toBe(false);
  });

  it("does not take the place of another's server of that name", () => {
    const theirs = '{"mcpServers":{"throughline":{"command":"theirs"}}}';
    writeFileSync(userFile, theirs);
    const one = prepared("user");
    expect([one.state, one.plan.after]).toEqual(["current", theirs]);
    expect(one.notes).toEqual([expect.stringContaining("another server named throughline")]);
  });
});
