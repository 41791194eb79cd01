// The MCP handshake by a shell: the same answers as the server's, and the server itself from the first call of a tool on.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cliFile } from "../../test/commandLine.ts";

const script = path.join(path.dirname(cliFile), "mcp.sh");
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-mcp-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Line = Readonly<Record<string, unknown>> | string;

const clientInfo = { name: "test", version: "1" };
const initialize = (id: number | string, protocolVersion = "2025-11-25"): Line => ({
  ...{ method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo } },
  ...{ jsonrpc: "2.0", id },
});
const request = (id: number | string, method: string, params: object = {}): Line => ({
  ...{ jsonrpc: "2.0", id, method, params },
});
const ready = { jsonrpc: "2.0", method: "notifications/initialized" };

/** The answers by id. Node is given by a name that does not exist where it must not start. */
function answersOf(command: readonly string[], lines: readonly Line[]): Record<string, unknown> {
  const [program = "", ...args] = command;
  const { stdout, status } = spawnSync(program, args, {
    input: lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
    env: { PATH: process.env.PATH, HOME: folder, THROUGHLINE_HOME: path.join(folder, "home") },
    encoding: "utf8",
  });
  expect(status).toBe(0);
  const answers = stdout
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
  return Object.fromEntries(answers.map(({ id, ...rest }) => [String(id), rest]));
}

const byShell = (lines: readonly Line[], node = process.execPath) =>
  answersOf(["/bin/sh", script, node, cliFile], lines);
const byNode = (lines: readonly Line[]) => answersOf([process.execPath, cliFile, "mcp"], lines);

describe("the MCP handshake by a shell", () => {
  it("is answered as by the server, and starts no Node", () => {
    const lines = [
      request("server-discover-probe-1", "server/discover", { _meta: { "a/protocolVersion": "2026-07-28" } }),
      initialize(0),
      ready,
      request(1, "tools/list"),
      request(2, "ping"),
    ];
    const answers = byShell(lines, "/nowhere/node");
    expect(Object.keys(answers).sort()).toEqual(["0", "1", "2", "server-discover-probe-1"]);
    expect(answers).toEqual(byNode(lines));
  });

  it.each([
    ["a tool that is called", request(7, "recall me", {}), request(2, "tools/call", { name: "__IMPORTANT" })],
    [
      "a call that names a request in its arguments",
      ready,
      request(2, "tools/call", { name: "recall", arguments: { handle: '"method":"ping"', method: "ping" } }),
    ],
    ["a version that is not known", initialize("x", "1999-01-01"), request(3, "tools/list")],
    ["spaces and a second id", '{"id": 4, "method": "ping", "jsonrpc": "2.0", "params": {"id": 5}}', ready],
  ])("goes on with the server for %s, and answers nothing twice", (_, ...lines) => {
    const all = [initialize(0), ready, ...lines, request("last", "tools/list")];
    expect(byShell(all)).toEqual(byNode(all));
  });
});
