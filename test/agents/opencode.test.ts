// OpenCode's adapter: the contract of all adapters, and what is its own: sessions in a database, a plugin that is not ours.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { commandLine } from "../commandLine.ts";
import { agentContract, type ContractSession } from "./contract.ts";
import { pluginCommand, pluginPayload } from "./pluginContract.ts";

const plugin = (home: string) => path.join(home, ".config", "opencode", "plugin", "throughline.js");

const schema = `
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, version TEXT, title TEXT);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);`;

/** A database of OpenCode 1.18 with one session; only the columns that a reader needs. */
function writeSession(home: string, about: ContractSession): string {
  const { session, cwd, prompt, command, output, said } = about;
  const folder = path.join(home, ".local", "share", "opencode");
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "opencode.db");
  const database = new DatabaseSync(file);
  database.exec(schema);
  const time = (second: number) => ({ created: Date.UTC(2026, 2, 4, 10) + second * 1_000 });
  const add = (id: string, info: object, ...parts: object[]) => {
    database.prepare("INSERT INTO message VALUES (?, ?, ?)").run(id, session, JSON.stringify(info));
    for (const [at, part] of parts.entries())
      database
        .prepare("INSERT INTO part VALUES (?, ?, ?, ?)")
        .run(`prt_${id}_${at}`, id, session, JSON.stringify(part));
  };
  database.prepare("INSERT INTO session VALUES (?, NULL, ?, '1.18.33', 'A title')").run(session, cwd);
  const told = "<throughline-context>told</throughline-context>";
  const state = { status: "completed", input: { command }, output, metadata: { exit: 0 } };
  const answer = { role: "assistant", modelID: "m", providerID: "p" };
  add(
    "msg_1",
    { role: "user", time: time(1) },
    { type: "text", text: prompt },
    { type: "text", text: told, synthetic: true },
  );
  add("msg_2", { ...answer, time: time(2) }, { type: "tool", tool: "bash", callID: "call_1", state });
  add("msg_3", { ...answer, time: time(3), finish: "stop" }, { type: "text", text: said });
  database.close();
  return file;
}

agentContract({
  name: "opencode",
  files: { ".config/opencode/opencode.json": '{\r\n  "theme": "dark"\r\n}' },
  edited: { file: ".config/opencode/opencode.json", edit: (text) => text.replace("dark", "light") },
  commandFor: (home, event) => pluginCommand("opencode", plugin(home), event),
  payloadOf: (event, about) => pluginPayload(event, about, "msg_1", "call_1"),
  writeSession,
});

describe("OpenCode's own", () => {
  const terminal = commandLine();
  const run = (...args: string[]) => terminal.run(args, { HOME: terminal.folder });

  it("plugin of that name stays where it is not ours", () => {
    const other = "export const Mine = async () => ({});\n";
    terminal.write(".config/opencode/plugin/throughline.js", other);
    expect(run("install", "--agent", "opencode", "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining("is there and not ours"),
    });
    expect(readFileSync(plugin(terminal.folder), "utf8")).toBe(other);
  });

  it("plugin is shown by status", () => {
    terminal.write(".config/opencode/opencode.json", "{}");
    expect(run("install", "--agent", "opencode", "--yes").out).toContain("installed in");
    expect(run("status").out).toMatch(/opencode +plugin, tools/);
    expect(run("uninstall", "--agent", "opencode", "--yes").code).toBe(0);
    expect(existsSync(plugin(terminal.folder))).toBe(false);
  });

  it("sessions are written out only for as long as they are imported", () => {
    writeSession(terminal.folder, {
      ...{ session: "ses_1", cwd: terminal.folder, prompt: "rename the queue" },
      ...{ command: "true", output: "done", said: "It is renamed." },
    });
    expect(run("import", "--quiet", "--dry-run").out).toContain("1 new session");
    expect(existsSync(path.join(terminal.folder, ".local", "state", "throughline", "imported"))).toBe(false);
  });
});
