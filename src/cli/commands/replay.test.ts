// `throughline replay` as a user types it.
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { ClaudeRows } from "../../../test/fixtures/transcript/session.ts";
import { assumptions, policies } from "../../replay/index.ts";

const terminal = commandLine();

/** A short session with one gap; `model` answers. */
function session(name: string, model = "claude-opus-4-5"): string {
  const rows = new ClaudeRows();
  const answer = (id: string, tokens: number, block: object): void => {
    const usage = { input_tokens: 5, cache_read_input_tokens: tokens - 5, cache_creation_input_tokens: 0 };
    rows.add("assistant", {
      message: { id, role: "assistant", model, content: [block], usage: { ...usage, output_tokens: 1 } },
      requestId: id,
    });
  };
  rows.user("please look at the file");
  answer("m1", 20_000, { type: "tool_use", id: "t1", name: "Read", input: { file_path: "/a" } });
  rows.user([{ type: "tool_result", tool_use_id: "t1", content: "line of code\n".repeat(300) }]);
  answer("m2", 21_200, { type: "text", text: "It is fine." });
  return terminal.write(name, rows.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

describe("throughline replay", () => {
  it("prints every policy with its cost, and what was assumed", () => {
    const { code, out, err } = terminal.run(["replay", session("one.jsonl")]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const { name } of policies) expect(out).toMatch(new RegExp(`^${name} +10\\d\\.\\d %`, "m"));
    for (const line of assumptions) expect(out).toContain(`- ${line}\n`);
  });

  it("takes folders, policies, a lifetime, a model and prices", () => {
    session("all/one.jsonl");
    session("all/two.jsonl");
    const prices = terminal.write(
      "prices.json",
      `{"claude-haiku-5-5": {"prices": [${JSON.stringify({ above: 0, input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 1, cacheRead: 0 })}]}}`,
    );
    const args = ["--policy", "keep-5", "--ttl", "1h", "--model", "haiku", "--prices", prices];
    const data = terminal.json("replay", "all", ...args) as {
      ttl: string;
      totals: { policy: string; sessions: number; cacheWritten: number; dollars: number }[];
    };
    expect(data).toMatchObject({ ttl: "1h", baseline: "append-only", skipped: [] });
    expect(data.totals.map(({ policy }) => policy)).toEqual(["append-only", "keep-5"]);
    for (const { sessions, dollars, cacheWritten } of data.totals) {
      expect(sessions).toBe(2);
      expect(dollars).toBeCloseTo(cacheWritten / 1e6, 5);
    }
  });

  it("tells sessions of the same name apart", () => {
    const files = [session("a/same.jsonl"), session("b/same.jsonl")];
    const { sessions } = terminal.json("replay", ...files, "--policy", "append-only") as {
      sessions: { session: string }[];
    };
    expect(sessions.map((one) => one.session)).toEqual(files);
  });

  it("leaves out what cannot be replayed, and says so", () => {
    session("all/one.jsonl");
    const strange = session("all/two.jsonl", "my-own-model");
    const { code, out } = terminal.run(["replay", "all"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^left out all.two\.jsonl: no model of the table answered \(my-own-model\); use --model$/m,
    );
    expect(terminal.run(["replay", strange])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`nothing to replay in ${strange}: no model of the table answered`),
    });
  });

  it.each([
    [["--ttl", "2h"], 2, '--ttl must be 5m | 1h, not "2h"'],
    [["--policy", "keep-7"], 2, "no policy keep-7"],
    [["--window", "12"], 2, "--window must be a number from 40000 to 100000000, not 12"],
    [["--cache-read", "7"], 2, "--cache-read must be a number from 0 to 1, not 7"],
    [["--model", "claud-opus"], 1, 'The model "claud-opus" is not in the model table.'],
    [["--prices", "missing.json"], 1, "cannot read the prices: ENOENT"],
    [["--prices", "one.jsonl"], 1, "one.jsonl:"],
    [["--prices", "wrong.json"], 1, "wrong.json:2: models.claude-opus-4-5.prices must be a list of"],
  ])("refuses %j with exit code %i and the reason", (args, code, reason) => {
    session("one.jsonl");
    terminal.write("wrong.json", '{\n"claude-opus-4-5": {"prices": 5}}');
    const outcome = terminal.run(["replay", "one.jsonl", ...args]);
    expect(outcome).toMatchObject({ code, out: "" });
    expect(outcome.err).toMatch(/^throughline: [^\n]+\nfix: [^\n]+\n$/);
    expect(outcome.err).toContain(reason);
    expect(terminal.hasWritten()).toBe(false);
  });
});
