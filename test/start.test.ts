// `npm start` tells the truth: every number it prints is what the library computes.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { textOf, toolPairs } from "../src/messages/index.ts";
import { policies, recordSession, replay, totalsByPolicy } from "../src/replay/index.ts";
import { estimateMessage, modelTableDate } from "../src/tokens/index.ts";
import { readConversation, summarizeTranscript } from "../src/transcript/index.ts";
import { memoryVault } from "../src/vault/index.ts";

const root = path.resolve(import.meta.dirname, "..");
const sample = path.join(root, "sample", "session.jsonl");
const folder = mkdtempSync(path.join(tmpdir(), "throughline-start-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(...args: string[]) {
  const [home, temporary] = [path.join(folder, "home"), path.join(folder, "tmp")];
  for (const made of [home, temporary]) mkdirSync(made, { recursive: true });
  // What the user has set for themselves must not change the story.
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: temporary, THROUGHLINE_REPLAY_TTL: "1h" };
  const { status, stdout } = spawnSync(process.execPath, [path.join(root, "scripts", "start.mjs"), ...args], {
    env,
    encoding: "utf8",
  });
  return { status, out: stdout, left: [...readdirSync(home), ...readdirSync(temporary)] };
}

const conversation = await readConversation(sample);
const story = start();

/** The named policies on the sample, with the numbers that the table shows. */
function expectedRows(names: readonly string[]): string[] {
  const session = recordSession("session", conversation);
  const all = policies.filter(({ name }) => names.includes(name));
  const results = all.map((policy) => replay(session, policy, { ttl: "5m" }));
  const percent = (share = 0): string => `${(share * 100).toFixed(1)} %`;
  return totalsByPolicy(results).map(({ policy, ratio, dollars, recalls, retention }) =>
    [policy, percent(ratio), `$${dollars.toFixed(2)}`, recalls, percent(retention)].join(" "),
  );
}

describe("npm start", () => {
  it("ends well and leaves nothing behind", () => {
    expect(story).toMatchObject({ status: 0, left: [] });
  });

  it("counts the sample as the library does", async () => {
    const summary = await summarizeTranscript(sample, {
      measure: (message) => estimateMessage(message, "old"),
    });
    const number = (value: number): string => value.toLocaleString("en-US");
    const { counts } = summary;
    expect(story.out).toContain(
      `  ${summary.turns} turns, ${conversation.requests.length} requests, ${counts.toolResults} tool results, ` +
        `${counts.thinkingBlocks} thinking blocks, about ${number(Math.round(summary.tokens))} tokens\n`,
    );
  });

  it("prints what each policy costs as the library computes it", () => {
    expect(story.out).toContain(`(cache of 5m, prices of ${modelTableDate}):\n`);
    const [, table = ""] = /in view\n([\s\S]*?)\n {2}Clearing/.exec(story.out) ?? [];
    const printed = table.split("\n").map((line) => line.trim().replace(/ {2,}/g, " "));
    expect(printed.length).toBeGreaterThanOrEqual(policies.length);
    expect(printed).toEqual(expectedRows(printed.map((row) => row.split(" ")[0] ?? "")));
  });

  it("claims of the policies what the table shows", () => {
    const cost = (policy: string): number =>
      Number(new RegExp(`^ *${policy} +([\\d.]+) %`, "m").exec(story.out)?.[1]);
    expect(cost("keep-5")).toBeGreaterThan(100);
    expect(cost("cold-only")).toBeLessThan(100);
  });

  it("stores the largest result and brings the lines back that stand there", () => {
    const texts = toolPairs(conversation.items).map(({ name, result }) => ({
      name,
      text: textOf(result?.content),
    }));
    const largest = texts.reduce((a, b) => (b.text.length > a.text.length ? b : a));
    const { handle, bytes } = memoryVault().put(largest.text, { session: "any" });
    const lines = largest.text.split("\n");
    const size = `${largest.name}, ${bytes.toLocaleString("en-US")} bytes, ${lines.length} lines`;
    expect(story.out).toContain(`(${size}) goes into the vault`);
    const shown = /recall (\S+) --lines (\d+)-(\d+)\n([\s\S]*?)\n\n/.exec(story.out) ?? [];
    const [from, to] = [Number(shown[2]), Number(shown[3])];
    expect(shown[1]).toBe(handle);
    expect(to - from).toBe(2);
    expect(shown[4]?.split("\n")).toEqual(lines.slice(from - 1, to).map((line) => `  ${line}`));
  });

  it("gives the same numbers to a program", () => {
    const { status, out, left } = start("--json");
    expect({ status, left }).toEqual({ status: 0, left: [] });
    expect(JSON.parse(out)).toMatchObject({
      transcript: { tool_results: conversation.counts.toolResults },
      replay: { ttl: "5m" },
      removed: { handle: expect.stringMatching(/^tl:[0-9a-f]{12}$/) },
    });
  });
});
