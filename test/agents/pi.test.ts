// pi's adapter: the contract of all adapters, and what is its own: a file of that name that is not ours.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commandLine } from "../commandLine.ts";
import { agentContract, type ContractSession } from "./contract.ts";
import { pluginCommand, pluginPayload } from "./pluginContract.ts";

const extension = (home: string) => path.join(home, ".pi", "agent", "extensions", "throughline.ts");

/** A session of pi 0.74, one row a line. */
function writeSession(home: string, about: ContractSession): string {
  const { session, cwd, prompt, command, output, said } = about;
  const at = (second: number) => new Date(Date.UTC(2026, 2, 4, 10) + second * 1_000).toISOString();
  const assistant = (content: object[], stopReason: string) => ({
    role: "assistant",
    model: "m",
    content,
    stopReason,
  });
  const call = { type: "toolCall", id: "call_1", name: "bash", arguments: { command } };
  const result = {
    ...{ role: "toolResult", toolCallId: "call_1", toolName: "bash", isError: false },
    content: [{ type: "text", text: output }],
  };
  const told = "<throughline-context>told</throughline-context>";
  const entries = [
    { type: "model_change", id: "e0", provider: "p", modelId: "m" },
    { type: "message", id: "e1", message: { role: "user", content: [{ type: "text", text: prompt }] } },
    { type: "custom_message", id: "e2", customType: "throughline", content: told, display: false },
    { type: "message", id: "e3", message: assistant([call], "toolUse") },
    { type: "message", id: "e4", message: result },
    { type: "message", id: "e5", message: assistant([{ type: "text", text: said }], "stop") },
  ];
  const rows = [
    { type: "session", version: 3, id: session, timestamp: at(0), cwd },
    ...entries.map((entry, index) => ({
      ...entry,
      parentId: index === 0 ? null : `e${index - 1}`,
      timestamp: at(index + 1),
    })),
  ];
  const folder = path.join(home, ".pi", "agent", "sessions", "--work--");
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `2026-03-04T10-00-00-000Z_${session}.jsonl`);
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return file;
}

agentContract({
  name: "pi",
  files: { ".pi/agent/settings.json": '{\r\n  "theme": "dark"\r\n}' },
  edited: { file: ".pi/agent/settings.json", edit: (text) => text.replace("dark", "light") },
  commandFor: (home, event) => pluginCommand("pi", extension(home), event),
  payloadOf: (event, about, transcript) => ({
    ...pluginPayload(event, about, "after-e0", "call_1"),
    transcript_path: transcript,
  }),
  writeSession,
});

describe("pi's own", () => {
  const terminal = commandLine();
  const run = (...args: string[]) => terminal.run(args, { HOME: terminal.folder });

  it("extension of that name stays where it is not ours", () => {
    terminal.write(".pi/agent/extensions/throughline.ts", "export default () => {};\n");
    expect(run("install", "--agent", "pi", "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining("is there and not ours"),
    });
    expect(readFileSync(extension(terminal.folder), "utf8")).toBe("export default () => {};\n");
  });

  it("plugin is shown by status, and replaced where it is an older one", () => {
    terminal.write(".pi/agent/settings.json", "{}");
    expect(run("install", "--agent", "pi", "--yes").out).toContain("installed in");
    const text = readFileSync(extension(terminal.folder), "utf8");
    writeFileSync(extension(terminal.folder), text.replaceAll(process.execPath, "/gone/node"));
    run("install", "--agent", "pi", "--yes");
    expect(readFileSync(extension(terminal.folder), "utf8")).toBe(text);
    expect(run("status").out).toMatch(/pi +plugin, tools/);
    expect(run("uninstall", "--agent", "pi", "--yes").code).toBe(0);
    expect(existsSync(extension(terminal.folder))).toBe(false);
  });
});
