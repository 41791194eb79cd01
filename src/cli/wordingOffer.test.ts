// The offer of a model at the installation: an estimate by the user's own sessions, one question, and a setting that remembers the answer.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callRow, promptRow, resultRow } from "../../test/worker/rows.ts";
import { loadConfig } from "../config/index.ts";
import { resolveHome } from "../home/index.ts";
import { offerWording, wordingTokens } from "./wordingOffer.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-offer-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A terminal that gives the answer, and what it showed. */
function asking(answer: boolean, env: Record<string, string> = {}) {
  const home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: "linux", homeFolder: folder });
  const all = { CLAUDE_CONFIG_DIR: path.join(folder, ".claude"), ...env };
  const shown: string[] = [];
  const config = () => loadConfig({ home, env: all });
  const run = () =>
    offerWording({
      ...{ home, cwd: folder, env: all, config: config(), now: Date.now() },
      ask: async (details) => {
        shown.push(details);
        return answer;
      },
    });
  return { run, shown, provider: () => config().values.llm.provider };
}

describe("the offer of a model", () => {
  it("is made once, and a no is remembered", async () => {
    const { run, shown, provider } = asking(false);
    expect((await run()).join()).toMatch(/set: llm\.provider none .*config set llm\.provider claude-cli/);
    expect(await run()).toEqual([]);
    expect([shown.length, provider()]).toEqual([1, "none"]);
  });

  it("sets the provider when it is taken, and says how to undo it", async () => {
    const { run, shown, provider } = asking(true);
    expect((await run()).join()).toMatch(
      /claude-cli .*`throughline config set llm\.provider none` undoes it/,
    );
    expect(await run()).toEqual([]);
    expect([shown.length, provider()]).toEqual([1, "claude-cli"]);
    expect(shown[0]).toMatch(/some 3,500 tokens/);
  });

  it("is not made to one who has set a provider", async () => {
    expect(await asking(true, { THROUGHLINE_LLM_PROVIDER: "none" }).run()).toEqual([]);
  });

  it("names the tokens of a day by the sessions of the last week", async () => {
    const projects = path.join(folder, ".claude", "projects", "-app");
    mkdirSync(projects, { recursive: true });
    const turns = Array.from({ length: 7 }, (_, at) => [
      promptRow("s", at * 10, `do it ${at}`),
      callRow("s", at * 10 + 1, `c${at}`),
      resultRow("s", at * 10 + 2, `c${at}`),
    ]).flat();
    writeFileSync(path.join(projects, "s.jsonl"), turns.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const { run, shown } = asking(false);
    await run();
    // Seven turns of 1,850 tokens, each with those before it, over seven days.
    expect(shown[0]).toMatch(/had 1 turns with work a day: about 7,400 tokens a day/);
  });
});

describe("the tokens of a session", () => {
  it("count each turn with the earlier ones of its model session, and none without a call", () => {
    expect(wordingTokens([[1]])).toBe(1_850);
    expect(wordingTokens([[0, 1, 0, 1]])).toBe(1_850 + 2 * 1_850);
    // Four turns of ten calls reach 14,600; eight reach 29,200, nine are over 30,000 and the tenth begins anew.
    expect(wordingTokens([Array.from({ length: 10 }, () => 10)])).toBe(3_650 * 45 + 3_650);
  });
});
