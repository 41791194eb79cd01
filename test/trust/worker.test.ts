// Another user in the worker's place: hook, commands and MCP send nothing there; a long path needs no shared folder.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, it } from "vitest";
import { hookLog, resolveHome, workerSocket } from "../../src/home/index.ts";
import { readPointer } from "../../src/ipc/connect.ts";
import { ask } from "../../src/ipc/index.ts";
import { lightSha256 } from "../../src/lib/index.ts";
import { cliFile, commandLine } from "../commandLine.ts";
import { hookFile, payloads } from "../hookProcess.ts";
import { readSources } from "../sourceTree.ts";
import { ended, until } from "../until.ts";

const line = commandLine();
const NOBODY = 65_534;
/** What no foreign process may get to see. */
const WORDS = "plum-coloured plans";

let children: ChildProcess[] = [];
let shared: string[] = [];
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(children.map(ended));
  for (const file of shared) rmSync(file, { recursive: true, force: true });
  [children, shared] = [[], []];
});

/** A folder that others can enter, as the folders of tests cannot be. */
function sharedFolder(): string {
  const folder = mkdtempSync("/tmp/tl-trust-");
  shared.push(folder);
  chmodSync(folder, 0o755);
  return folder;
}

const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  THROUGHLINE_HOME: line.homeFolder,
  THROUGHLINE_WORKER_PORT: "0",
  ...more,
});

const homeOf = (env: Record<string, string>) =>
  resolveHome({ env, platform: process.platform, homeFolder: line.folder });

/** A server of another user that answers like a worker and keeps what it hears. */
async function foreignWorker(socket: string, folder: string): Promise<() => string> {
  const heard = path.join(folder, "heard");
  const script = `
    const { appendFileSync } = require("node:fs");
    require("node:net").createServer((c) => c.on("error", () => c.destroy()).on("data", (d) => {
      appendFileSync(${JSON.stringify(heard)}, d);
      const { id } = JSON.parse(String(d));
      c.write(JSON.stringify({ v: 1, id, ok: true, data: { pid: 1, version: "99.0.0", code: "x", port: 80, stdout: "OBEY" } }) + "\\n");
    })).listen(${JSON.stringify(socket)}, () => require("node:fs").chmodSync(${JSON.stringify(socket)}, 0o777));`;
  children.push(spawn(process.execPath, ["-e", script], { uid: NOBODY, gid: NOBODY, stdio: "inherit" }));
  await until(() => existsSync(socket) || undefined, "the other user's socket");
  return () => (existsSync(heard) ? readFileSync(heard, "utf8") : "");
}

async function saveOverMcp(env: Record<string, string>): Promise<string> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [cliFile, "mcp"], cwd: line.folder, env }),
  );
  const result = await client.callTool({ name: "save_memory", arguments: { text: WORDS, title: WORDS } });
  await client.close();
  const [first] = result.content;
  return first?.type === "text" ? first.text : "";
}

const hook = (env: Record<string, string>) =>
  spawnSync(process.execPath, [hookFile("answer")], {
    env,
    cwd: line.folder,
    input: JSON.stringify(payloads.prompt({ prompt: WORDS })),
    encoding: "utf8",
  });

describe.runIf(process.getuid?.() === 0)("a state folder in which another user listens", () => {
  it("gets nothing from commands, MCP or hooks, and opens no browser", async () => {
    const env = environment({ THROUGHLINE_HOME: sharedFolder() });
    const home = homeOf(env);
    const { state } = home;
    mkdirSync(state);
    chownSync(state, NOBODY, NOBODY);
    chmodSync(state, 0o777);
    const heard = await foreignWorker(workerSocket(home), state);
    expect(hook(env)).toMatchObject({ status: 0, stdout: "" });
    expect(readFileSync(hookLog(home), "utf8")).toContain("foreign");
    for (const args of [["search", WORDS], ["status"], ["doctor"]]) line.run(args, env);
    for (const args of [["open"], ["worker", "start"], ["worker", "stop"], ["worker", "status"]]) {
      const { code, err } = line.run(args, env);
      expect([args, code]).toEqual([args, 1]);
      expect(err).toContain("nothing was sent");
      expect(err).toContain("THROUGHLINE_HOME");
    }
    expect(await saveOverMcp(env)).toContain("nothing was sent");
    expect(heard()).toBe("");
  }, 60_000);
});

describe("a state folder whose path is too long for a socket", () => {
  const long = () => environment({ THROUGHLINE_HOME: path.join(line.folder, "x".repeat(120)) });

  it("has its worker in a private folder, which hook, commands and MCP find", async () => {
    const env = long();
    const home = homeOf(env);
    expect(line.run(["worker", "start"], env)).toMatchObject({ code: 0 });
    const place = readPointer(workerSocket(home))?.path ?? "";
    expect(statSync(path.dirname(place)).mode & 0o777).toBe(0o700);
    expect(statSync(place).isSocket()).toBe(true);
    expect(await ask(workerSocket(home), "ping")).toMatchObject({ ok: true });
    expect(await saveOverMcp(env)).toContain("Kept as #1");
    expect(line.run(["search", "plum"], env).out).toContain(WORDS);
    expect(hook(env)).toMatchObject({ status: 0 });
    expect(existsSync(hookLog(home))).toBe(false);
    expect(line.run(["worker", "stop"], env)).toMatchObject({ code: 0, out: "stopped\n" });
    expect(line.run(["worker", "status"], env)).toMatchObject({ code: 3 });
  }, 60_000);

  it.runIf(process.getuid?.() === 0)(
    "sends nothing to the place that another user could guess",
    async () => {
      const env = long();
      const guess = `/tmp/throughline-${lightSha256(homeOf(env).state).slice(0, 16)}.sock`;
      const folder = sharedFolder();
      shared.push(guess);
      chownSync(folder, NOBODY, NOBODY);
      const heard = await foreignWorker(guess, folder);
      line.run(["search", WORDS], env);
      expect(line.run(["worker", "status"], env).code).toBe(3);
      expect(heard()).toBe("");
    },
    30_000,
  );
});

describe("the way to the worker", () => {
  it("is one: no other file connects to a socket", () => {
    const root = path.resolve(import.meta.dirname, "../../src");
    const connecting = readSources(root).filter(({ text }) =>
      /import \{[^}]*\b(?:connect|createConnection)\b[^}]*\} from "node:net"|socketPath/.test(text),
    );
    // The second only asks whether a socket that it is about to bind is dead, and sends nothing. The third connects to the API,
    // and the others to the endpoint that `ipc/connect` has checked.
    expect(connecting.map(({ file }) => file)).toEqual([
      "ipc/connect.ts",
      "ipc/socketLock.ts",
      "plugins/host.ts",
      "proxy/dial.ts",
      "proxy/workerSeam.ts",
    ]);
    for (const checked of connecting.filter(({ file }) => /^(plugins|proxy\/workerSeam)/.test(file)))
      expect(checked.text).toMatch(
        /endpointAt\((?:socket|workerSocket\(home\))\)[\s\S]*socketPath: endpoint\.path/,
      );
  });
});
