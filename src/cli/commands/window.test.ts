// `throughline window` as a user types it.
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { ClaudeRows, smallSession } from "../../../test/fixtures/transcript/session.ts";

const terminal = commandLine();
const jsonl = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** Two turns: the first reads a long log, the second asks for more. */
function longLog(): ClaudeRows {
  const rows = new ClaudeRows();
  const log = Array.from({ length: 3_000 }, (_, at) => `12:00:0${at % 10} request ${at} served`).join("\n");
  rows.user("why is it slow?");
  rows.call("m1", "toolu_1");
  rows.user([{ type: "tool_result", tool_use_id: "toolu_1", content: log }]);
  rows.say("m2", "It is not.");
  rows.user("look again");
  rows.say("m3", "Still not.");
  rows.user("thank you");
  return rows;
}
const write = (rows: ClaudeRows): string => terminal.write("session.jsonl", jsonl(rows.rows));

interface Shown {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly params: { readonly body: object; readonly betas: readonly string[] };
  readonly receipt: {
    readonly policy: string;
    readonly model: string;
    readonly tokens: { readonly before: number; readonly after: number };
    readonly cache: { readonly predicted: string; readonly idle: number };
    readonly repairs: readonly unknown[];
  };
}
const shown = (...args: string[]): Shown => terminal.json("window", ...args) as Shown;

describe("throughline window", () => {
  it("shows what the model would see next, level by level", () => {
    const { code, out, err } = terminal.run(["window", write(longLog()), "--policy", "seed"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^policy +seed on claude-opus-4-5 \(keep-all-thinking\)$/m);
    expect(out).toMatch(/^tokens +\d+ → \d+, at most \d+$/m);
    expect(out).toMatch(/^cache +warm, lifetime 5m, idle 2 s$/m);
    expect(out).toMatch(/^cost +\$[\d.]+ instead of \$[\d.]+$/m);
    expect(out).toMatch(
      /budget +replace-result toolu_1 \d+ → \d+ tokens: .*over the limit of \d+ tl:[0-9a-f]{12}$/m,
    );
    expect(out).toMatch(/^user +← <persisted-output> Output too large/m);
    expect(out).toMatch(/^user +thank you \[id:[a-z0-9]{6}\]$/m);
  });

  it("gives messages, parameters and receipt to a program", () => {
    const { messages, params, receipt } = shown(write(longLog()));
    expect(messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(messages[0]?.content).toMatch(/^why is it slow\?\n\[id:[a-z0-9]{6}\]$/);
    expect(params).toEqual({ body: {}, betas: [] });
    expect(receipt).toMatchObject({ policy: "thrifty", model: "claude-opus-4-5", repairs: [] });
    // So early in a session a look would cost more than the cut saves.
    expect(JSON.stringify(messages[2])).toContain("request 2999 served");
  });

  it("follows the classic constants when asked to", () => {
    const { messages, params, receipt } = shown(write(longLog()), "--policy", "seed");
    expect(receipt.policy).toBe("seed");
    expect(params.betas).toEqual(["context-management-2025-06-27"]);
    expect(JSON.stringify(messages[2])).toMatch(/Preview \(first 2 KB\)/);
  });

  it("goes back to any recorded request", () => {
    const file = write(longLog());
    expect([1, 2, 3].map((at) => shown(file, "--at", String(at)).messages.length)).toEqual([1, 3, 5]);
    const { code, err } = terminal.run(["window", file, "--at", "4"]);
    expect(code).not.toBe(0);
    expect(err).toContain("--at must be from 1 to 3, not 4");
    expect(terminal.run(["window", file, "--at", "x"]).code).not.toBe(0);
  });

  it("asks what would be if the request were made later", () => {
    const file = write(longLog());
    const { receipt } = shown(file, "--now", "2026-03-01T12:00:00Z");
    expect(receipt.cache.predicted).toBe("cold");
    const { code, err } = terminal.run(["window", file, "--now", "tomorrow"]);
    expect(code).not.toBe(0);
    expect(err).toMatch(/--now must be a day or an ISO time, not tomorrow[\s\S]*fix:/);
  });

  it("takes the window behind a compaction", () => {
    const { messages } = shown(write(smallSession()));
    expect(messages[0]?.content).toBe("This session is being continued from a previous conversation.");
    expect(JSON.stringify(messages)).not.toContain("make the login work");
  });

  it("goes by another model, and refuses an unknown one", () => {
    const file = write(longLog());
    expect(shown(file, "--model", "claude-opus-5-5").receipt.model).toBe("claude-opus-5-5");
    const { code, err } = terminal.run(["window", file, "--model", "claude-opsu-5-5"]);
    expect(code).not.toBe(0);
    expect(err).toMatch(/"claude-opsu-5-5" is not in the model table[\s\S]*fix: Name claude-opus-5-5/);
  });

  it("refuses a policy that there is not", () => {
    const { code, err } = terminal.run(["window", write(longLog()), "--policy", "greedy"]);
    expect(code).not.toBe(0);
    expect(err).toContain('--policy must be seed | thrifty, not "greedy"');
  });

  it("reads around damage, mends what is broken, and says so", () => {
    const rows = longLog();
    rows.result("toolu_gone");
    const file = terminal.write("broken.jsonl", `${jsonl(rows.rows)}not json\n{"half":`);
    const { code, out } = terminal.run(["window", file]);
    expect(code).toBe(0);
    expect(out).toMatch(/repair +message \d+: left out tool_result/);
  });

  it("has a clear word for files that hold no conversation", () => {
    for (const [name, content] of [
      ["empty.jsonl", ""],
      ["notes.txt", "just words\n"],
      ["binary.jsonl", new Uint8Array([0, 1, 2, 255, 0, 254])],
    ] as const) {
      const { code, out, err } = terminal.run(["window", terminal.write(name, content)]);
      expect({ name, code: code !== 0, out, lines: err.trimEnd().split("\n").length }).toEqual({
        name,
        code: true,
        out: "",
        lines: 2,
      });
      expect(err).toMatch(/^throughline: .+\nfix: .+/);
    }
    expect(terminal.run(["window", "nowhere.jsonl"]).err).toMatch(/^throughline: .+\nfix: .+/);
    expect(terminal.run(["window", terminal.folder]).code).not.toBe(0);
    expect(terminal.run(["window"]).code).toBe(2);
  });

  it("shows collapsed and staged spans once collapse is switched on", () => {
    const rows = new ClaudeRows();
    rows.user("go through all modules");
    for (let at = 1; at <= 40; at++) {
      rows.call(`m${at}`, `toolu_${at}`);
      const lines = Array.from(
        { length: 12 },
        (_, n) => `module${at}: function computeTotals${at}_${n} is fine`,
      );
      rows.user([{ type: "tool_result", tool_use_id: `toolu_${at}`, content: lines.join("\n") }]);
    }
    const file = write(rows);
    const small = { THROUGHLINE_MODELS: JSON.stringify({ "claude-opus-4-5": { window: 43_000 } }) };
    const off = terminal.run(["window", file, "--policy", "seed"], small);
    expect(off.out).not.toContain("collapse");
    const { code, out } = terminal.run(["window", file, "--policy", "seed"], {
      ...small,
      THROUGHLINE_COLLAPSE_ENABLED: "true",
    });
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ *\+? *collapse +collapse-commit uuid-\d+ to uuid-\d+ \d+ → \d+ tokens: .* tl:[0-9a-f]{12} tl:[0-9a-f]{12}$/m,
    );
    expect(out.match(/collapse-snapshot/g)).toHaveLength(1);
    expect(out).toMatch(/^user +\[Earlier messages collapsed: \d+ messages, kept word for word; recall tl:/m);
  });

  it("writes nothing", () => {
    terminal.run(["window", write(longLog())]);
    expect(terminal.hasWritten()).toBe(false);
  });
});
