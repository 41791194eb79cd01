// `throughline replay` as a user types it: as a process where threads, kills or the built files matter, else in this one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { cliFile, commandLine } from "../../../../test/commandLine.ts";
import { ClaudeRows } from "../../../../test/fixtures/transcript/session.ts";
import { replayFolder } from "../../../home/index.ts";
import { assumptions, policies } from "../../../replay/index.ts";

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
    for (const { name } of policies) expect(out).toMatch(new RegExp(`^${name}( +10\\d\\.\\d %){3}`, "m"));
    const said = out.replace(/\n {2}/g, " ");
    for (const line of assumptions) expect(said).toContain(`- ${line}\n`);
    expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  it("takes folders, policies, a lifetime, a model and prices", async () => {
    session("all/one.jsonl");
    session("all/two.jsonl");
    const prices = terminal.write(
      "prices.json",
      `{"claude-haiku-5-5": {"prices": [${JSON.stringify({ above: 0, input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 1, cacheRead: 0 })}]}}`,
    );
    const args = ["--policy", "keep-5", "--ttl", "1h", "--model", "haiku", "--prices", prices];
    const data = (await terminal.jsonInProcess("replay", "all", ...args)) as {
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

  it("tells sessions of the same name apart", async () => {
    const files = [session("a/same.jsonl"), session("b/same.jsonl")];
    const { sessions } = (await terminal.jsonInProcess("replay", ...files, "--policy", "append-only")) as {
      sessions: { session: string }[];
    };
    expect(sessions.map((one) => one.session)).toEqual(files);
  });

  it("leaves out what cannot be replayed, and says so", async () => {
    session("all/one.jsonl");
    const strange = session("all/two.jsonl", "my-own-model");
    const { code, err } = await terminal.runInProcess(["replay", "all"]);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^skipped all.two\.jsonl: no model of the table answered \(my-own-model\); use --model$/m,
    );
    expect(await terminal.runInProcess(["replay", strange])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`nothing to replay in ${strange}: no model of the table answered`),
    });
  });

  it.each([
    [["--ttl", "2h"], 2, '--ttl must be 5m | 1h, not "2h"'],
    [["--policy", "keep-7"], 2, "no policy keep-7"],
    [["--window", "12"], 2, "--window must be a number from 40000 to 100000000, not 12"],
    [["--jobs", "0"], 2, "--jobs must be a number from 1 to 64, not 0"],
    [["--html", "no/such/folder.html"], 1, "for the page"],
    [["--html", "one.jsonl"], 2, "one.jsonl exists and is not a replay page; it was not changed"],
    [["--html", "."], 1, ". is a folder"],
    [["--cache-read", "7"], 2, "--cache-read must be a number from 0 to 1, not 7"],
    [["--model", "claud-opus"], 1, 'The model "claud-opus" is not in the model table.'],
    [["--prices", "missing.json"], 1, "cannot read the prices: ENOENT"],
    [["--prices", "one.jsonl"], 1, "one.jsonl:"],
    [["--prices", "wrong.json"], 1, "wrong.json:2: models.claude-opus-4-5.prices must be a list of"],
  ])("refuses %j with exit code %i and the reason", async (args, code, reason) => {
    session("one.jsonl");
    terminal.write("wrong.json", '{\n"claude-opus-4-5": {"prices": 5}}');
    const outcome = await terminal.runInProcess(["replay", "one.jsonl", ...args]);
    expect(outcome).toMatchObject({ code, out: "" });
    expect(outcome.err).toMatch(/^throughline: [^\n]+\nfix: [^\n]+\n$/);
    expect(outcome.err).toContain(reason);
    expect(terminal.hasWritten()).toBe(false);
  });
});

/** Sessions that take a moment each, and the folder they are in. */
function longSessions(count: number): string {
  for (let at = 0; at < count; at++) {
    const rows = new ClaudeRows();
    rows.user(`begin with part ${at}`);
    for (let step = 1; step <= 15; step++) {
      const usage = { input_tokens: 5, cache_read_input_tokens: 20_000 + step * 900, output_tokens: 1 };
      const input = { file_path: `/srv/part${at}/aRatherLongFileName${step}.ts` };
      const content = [{ type: "tool_use", id: `t${step}`, name: "Read", input }];
      rows.add("assistant", {
        message: { id: `m${step}`, role: "assistant", model: "claude-opus-4-5", content, usage },
        requestId: `m${step}`,
      });
      rows.user([
        { type: "tool_result", tool_use_id: `t${step}`, content: `${at} line of code\n`.repeat(200) },
      ]);
    }
    terminal.write(`long/s${at}.jsonl`, rows.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  return path.join(terminal.folder, "long");
}

const keptFiles = (): string[] => {
  const folder = replayFolder(terminal.home);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^\w+\.json$/.test(name)) : [];
  return names.map((name) => path.join(folder, name));
};

describe("throughline replay --html", () => {
  it("writes a page with the numbers of --json", () => {
    session("one.jsonl");
    const { totals } = terminal.json("replay", "one.jsonl", "--html", "out.html") as {
      totals: (Record<string, number> & { lookedAt: Record<"never" | "always", { ratio: number }> })[];
    };
    const page = readFileSync(path.join(terminal.folder, "out.html"), "utf8");
    const table = page.match(/<table id="totals">.*?<\/table>/s)?.[0] ?? "";
    for (const total of totals) {
      const row = table.match(new RegExp(`data-policy="${total.policy}">.*?</tr>`, "s"))?.[0] ?? "";
      const figures = [...row.matchAll(/data-name="(\w+)" value="([^"]+)"/g)];
      expect(figures).toHaveLength(14);
      const { never, always } = total.lookedAt;
      const shown: Record<string, unknown> = { ...total, neverRatio: never.ratio, alwaysRatio: always.ratio };
      for (const [, name = "", value] of figures) expect(Number(value)).toBe(shown[name]);
    }
    expect(terminal.run(["replay", "one.jsonl", "--html", "out.html"]).out).toContain("page: out.html");
  });

  it("shows names and models of sessions as text, whatever they hold", async () => {
    session("all/<img src=x onerror=alert(1)>.jsonl");
    session("all/odd.jsonl", "<script>alert(2)</script>");
    expect((await terminal.runInProcess(["replay", "all", "--html", "out.html"])).code).toBe(0);
    const page = readFileSync(path.join(terminal.folder, "out.html"), "utf8");
    expect(page).toContain("<bdi>&lt;img src=x onerror=alert(1)&gt;</bdi>");
    expect(page).toContain("no model of the table answered (&lt;script&gt;alert(2)&lt;/script&gt;)");
    expect(page).not.toMatch(/<script|<img/);
  });
});

describe("throughline replay, again", () => {
  it("gives the same numbers from threads as from one", () => {
    const folder = longSessions(3);
    const one = terminal.json("replay", folder, "--jobs", "1", "--fresh");
    expect(terminal.json("replay", folder, "--jobs", "3", "--fresh")).toEqual(one);
  });

  it("takes finished sessions from before, unless it is told not to", async () => {
    session("one.jsonl");
    const dollars = async (...args: string[]) => {
      const { totals } = (await terminal.jsonInProcess("replay", "one.jsonl", ...args)) as {
        totals: { dollars: number }[];
      };
      return totals[0]?.dollars ?? 0;
    };
    const measured = await dollars();
    const [kept = ""] = keptFiles();
    const changed = readFileSync(kept, "utf8").replaceAll(/"dollars":[\d.]+/g, '"dollars":42');
    writeFileSync(kept, changed);
    expect(await dollars()).toBe(42);
    expect(await dollars("--ttl", "1h")).not.toBe(42);
    expect((await terminal.runInProcess(["replay", "one.jsonl"])).out).toContain(
      "cached: 1 of 1 session; --fresh",
    );
    expect(await dollars("--fresh")).toBe(measured);
    expect(await dollars()).toBe(measured);
  });

  it("computes only the policies that are not known yet", async () => {
    session("one.jsonl");
    const few = (await terminal.jsonInProcess("replay", "one.jsonl", "--policy", "keep-5")) as {
      sessions: object[];
    };
    const all = (await terminal.jsonInProcess("replay", "one.jsonl")) as { sessions: object[] };
    expect(all.sessions).toHaveLength(policies.length);
    expect(all.sessions).toEqual(expect.arrayContaining(few.sessions));
  });

  it("measures again what has changed", async () => {
    const file = session("one.jsonl");
    const before = await terminal.jsonInProcess("replay", file);
    writeFileSync(file, readFileSync(file, "utf8").replace("21195", "31195"));
    expect(await terminal.jsonInProcess("replay", file)).not.toEqual(before);
  });

  it("goes on after kill -9 with what is left to do, and ends with the same numbers", async () => {
    const folder = longSessions(8);
    const child = spawn(process.execPath, [cliFile, "replay", folder, "--jobs", "1"], {
      env: terminal.environment(),
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    while (keptFiles().length < 2 && child.exitCode === null) await sleep(2);
    child.kill("SIGKILL");
    await ended;
    const whole = keptFiles();
    expect(whole.length).toBeGreaterThanOrEqual(2);
    expect(whole.length).toBeLessThan(8);
    const times = whole.map((file) => statSync(file).mtimeMs);
    const resumed = terminal.json("replay", folder);
    expect(whole.map((file) => statSync(file).mtimeMs)).toEqual(times);
    expect(resumed).toEqual(terminal.json("replay", folder, "--fresh"));
  });

  it("gives the numbers also where nothing can be kept", async () => {
    session("one.jsonl");
    terminal.write("home", "a file where a folder should be");
    const { code, out } = await terminal.runInProcess(["replay", "one.jsonl"]);
    expect(code).toBe(0);
    expect(out).toContain("results could not be cached: ");
  });
});
