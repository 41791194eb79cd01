// `throughline compact` as a user types it.
import { chmodSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { answerText, summaryText } from "../../../test/fixtures/compact/conversation.ts";
import { code } from "../../../test/fixtures/pipeline/filling.ts";
import { ClaudeRows } from "../../../test/fixtures/transcript/session.ts";
import { check, type Message, textOf } from "../../messages/index.ts";

const terminal = commandLine();

/** A request and as many rounds, each of which reads a file of about a thousand tokens. */
function session(count: number, fields: Record<string, unknown> = {}): ClaudeRows {
  const rows = new ClaudeRows();
  rows.user("Never touch the schema. Rename computeInvoiceTotals everywhere.", fields);
  for (let at = 1; at <= count; at++) {
    rows.call(`m${at}`, `toolu_${at}`, fields);
    rows.user([{ type: "tool_result", tool_use_id: `toolu_${at}`, content: code(at) }], fields);
  }
  rows.say("end", "The first half is renamed.", fields);
  rows.user("Now the other half, please.", fields);
  return rows;
}

const write = (rows: ClaudeRows): string =>
  terminal.write("session.jsonl", rows.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

interface Compacted {
  readonly messages: readonly Message[];
  readonly params: { readonly body: object };
  readonly receipt: {
    readonly tokens: { readonly before: number; readonly after: number };
    readonly compaction: { readonly from: string; readonly kept: number };
    readonly edits: readonly { readonly handles?: readonly string[] }[];
  };
}
const compacted = (...args: string[]): Compacted => terminal.json("compact", ...args) as Compacted;

describe("throughline compact", () => {
  it("shows the size, the summary, what was kept and where the rest is", () => {
    const { code: exit, out, err } = terminal.run(["compact", write(session(40)), "--target", "6000"]);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toMatch(/^tokens +\d+ → \d+, at most \d+$/m);
    expect(out).toMatch(/^summary +from the messages themselves$/m);
    expect(out).toMatch(/^kept +\d+ messages, of \d+ that are sent$/m);
    expect(out).toContain("1. Primary Request and Intent:");
    const handle = /^handles +(tl:[0-9a-f]+)/m.exec(out)?.[1] ?? "";
    expect(terminal.run(["recall", handle]).out).toContain("computeInvoiceTotals1_1");
  });

  it("stays below the target with a valid array, and says what was done as data", () => {
    const { messages, params, receipt } = compacted(write(session(40)), "--target", "5000");
    expect(receipt.tokens.after).toBeLessThanOrEqual(5_000);
    expect(receipt.tokens.before).toBeGreaterThan(30_000);
    expect(receipt.compaction.from).toBe("messages");
    expect(check(messages)).toEqual([]);
    expect(params.body).toEqual({});
    expect(JSON.stringify(messages)).toContain("Now the other half, please.");
  });

  it("sums up from a message on, or up to one", () => {
    const file = write(session(20));
    const from = compacted(file, "--from", "uuid-22");
    expect(JSON.stringify(from.messages)).toContain("toolu_10");
    expect(JSON.stringify(from.messages)).not.toContain('"toolu_11"');
    const upTo = compacted(file, "--up-to", "uuid-22");
    expect(JSON.stringify(upTo.messages)).not.toContain('"toolu_10"');
    expect(JSON.stringify(upTo.messages)).toContain("toolu_11");
    for (const { messages } of [from, upTo]) expect(check(messages)).toEqual([]);
  });

  it("is made of what was said, not of the agent's own summary", () => {
    const rows = session(30);
    rows.compact();
    rows.user("And the tests.");
    const { messages } = compacted(write(rows), "--target", "4000");
    expect(JSON.stringify(messages)).toContain("Never touch the schema");
    expect(JSON.stringify(messages)).toContain("And the tests.");
  });

  it.each([
    [["--from", "a", "--up-to", "b"], "usage"],
    [["--target", "none"], "usage"],
    [["--target", "20"], "usage"],
    [["--from", "nobody"], "not-found"],
    [["--provider", "oracle"], "config-invalid"],
  ])("refuses %j", (args, expected) => {
    const { code: exit, out } = terminal.run(["compact", write(session(3)), ...args, "--json"]);
    expect(exit).not.toBe(0);
    expect(JSON.parse(out)).toMatchObject({ error: { code: expected } });
  });

  it.skipIf(process.platform === "win32")(
    "gives a model the wishes of the call and of the project, and no secret",
    () => {
      const note = path.join(terminal.folder, "asked.txt");
      const reply = {
        type: "result",
        subtype: "success",
        is_error: false,
        result: answerText(summaryText("half of it is renamed")),
        stop_reason: "end_turn",
        usage: { input_tokens: 10, output_tokens: 4 },
      };
      const program = terminal.write(
        "claude",
        `#!${process.execPath}\nconst fs = require("node:fs");\nfs.writeFileSync(${JSON.stringify(note)}, fs.readFileSync(0, "utf8"));\nprocess.stdout.write(${JSON.stringify(JSON.stringify(reply))});\n`,
      );
      chmodSync(program, 0o700);
      terminal.write("project/CLAUDE.md", "# App\n\n## Compact Instructions\nKeep every test name.\n");
      const rows = session(30, { cwd: path.join(terminal.folder, "project") });
      rows.user("My key is sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHHIIIIJJJJKKKK-LLLLMMMMNNNNAA.");
      rows.say("last", "I have not used it.");
      rows.user("Go on.");
      const { code: exit, out } = terminal.run(
        [
          "compact",
          write(rows),
          "--provider",
          "claude-cli",
          "--instructions",
          "Mind the schema.",
          "--json",
          "--target",
          "6000",
        ],
        { THROUGHLINE_LLM_COMMAND: program },
      );
      expect(exit).toBe(0);
      expect(existsSync(note)).toBe(true);
      const asked = readFileSync(note, "utf8");
      expect(asked).toContain("Mind the schema.");
      expect(asked).toContain("Keep every test name.");
      expect(asked).not.toContain("sk-ant-api03");
      const { messages, receipt } = JSON.parse(out) as Compacted;
      expect(receipt.compaction.from).toBe("model");
      expect(textOf(messages[0]?.content)).toContain("half of it is renamed");
    },
  );
});
