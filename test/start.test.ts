// `npm start` tells the truth: every claim of its story is held against the database, the vault and the library.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { widthOf } from "../src/cli/output.ts";
import { databaseFile, resolveHome, vaultFolder, workerStateFile } from "../src/home/index.ts";
import { textOf } from "../src/messages/index.ts";
import { policies, recordSession, replay, totalsByPolicy } from "../src/replay/index.ts";
import { openStore, type Store } from "../src/store/index.ts";
import { readConversation } from "../src/transcript/index.ts";
import { openVault } from "../src/vault/index.ts";
import { ended } from "./until.ts";

const root = path.resolve(import.meta.dirname, "..");
const sample = path.join(root, "sample", "session.jsonl");
const folder = mkdtempSync(path.join(tmpdir(), "tl-st-"));
const kept = path.join(folder, "kept");
const home = resolveHome({
  env: { THROUGHLINE_HOME: path.join(kept, "throughline") },
  platform: process.platform,
  homeFolder: folder,
});

// What the user has set for themselves must not change the story, and nothing of theirs may be touched.
const userHome = path.join(folder, "home");
const temporary = path.join(folder, "tmp");
let story = "";
let store: Store;
let page: Response;
let address: string;
let another: string;

/** All that it says, up to where it says this. */
function saidUntil(child: ChildProcess, words: string): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
      if (said.includes(words)) resolve(said);
    });
    child.once("close", () => reject(new Error(`it ended by itself: ${said}`)));
  });
}

beforeAll(async () => {
  for (const made of [userHome, temporary]) mkdirSync(made, { recursive: true });
  const child = spawn(process.execPath, [path.join(root, "scripts", "start.mjs"), "--folder", kept], {
    env: { PATH: process.env.PATH, HOME: userHome, TMPDIR: temporary, THROUGHLINE_REPLAY_TTL: "1h" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const finished = ended(child);
  story = await saidUntil(child, "Ctrl-C");
  [, address = ""] = /See it: (\S+)/.exec(story) ?? [];
  const more = saidUntil(child, "#code=");
  child.stdin?.write("\n");
  another = await more;
  page = await fetch(new URL("/", address));
  child.kill("SIGINT");
  expect(await finished).toBe(0);
  store = await openStore({ file: databaseFile(home) });
});

afterAll(async () => {
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

const number = (value: number): string => value.toLocaleString("en-US");

describe("npm start", () => {
  it("stays up with the viewer until Ctrl-C, leaves no process, and touches nothing of the user's", async () => {
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(existsSync(workerStateFile(home))).toBe(false);
    await expect(fetch(new URL("/health", address))).rejects.toThrow();
    expect([...readdirSync(userHome), ...readdirSync(temporary)]).toEqual([]);
  });

  it("gives another address at Enter", () => {
    const [, next = ""] = /^See it: (\S+)$/m.exec(another) ?? [];
    expect(new URL(next).origin).toBe(new URL(address).origin);
    expect(next).not.toBe(address);
  });

  it("fits a terminal", () => {
    const isAddress = (line: string): boolean => line.startsWith("See it:");
    expect(story.split("\n").filter((line) => widthOf(line) > 100 && !isAddress(line))).toEqual([]);
  });

  it("kept what it says it kept, each once", async () => {
    const payloads = readFileSync(path.join(root, "sample", "hooks.jsonl"), "utf8")
      .trim()
      .split("\n");
    const { session_id: session } = JSON.parse(payloads[0] ?? "{}");
    const { items } = await store.events({ session, limit: 500 });
    const count = (kind: string): number => items.filter((event) => event.kind === kind).length;
    expect(story).toContain(`Captured. ${payloads.length} events went through the hooks`);
    expect(items).toHaveLength(payloads.length);
    const [tools, failed] = [count("tool") + count("tool-failure"), count("tool-failure")];
    expect(story).toContain(
      `${items.length} events, among them ${count("prompt")} prompts and ${tools} tool calls, ${failed} of which failed.`,
    );
  });

  it("observed what it says it observed", async () => {
    const { items } = await store.observations({ order: "oldest" });
    const { items: summaries } = await store.summaries();
    expect(story).toContain(`${items.length} observations and ${summaries.length} summaries.`);
    expect(items.length).toBeGreaterThan(4);
    for (const { id, title } of items) {
      expect(story).toMatch(new RegExp(`#${id}  .+`));
      expect(story).toContain(title.slice(0, 60));
    }
  });

  it("brings back lines that were compacted away, from the place it names", async () => {
    const { items, boundaries } = await readConversation(sample);
    const [boundary] = boundaries;
    if (boundary?.kind !== "compact") throw new Error("the sample was not compacted");
    const { preTokens = 0, postTokens = 0 } = boundary;
    expect(story).toContain(`from ${number(preTokens)} tokens to ${number(postTokens)}.`);
    const [, handle = ""] = /recall (tl:[0-9a-f]{12}) --pattern "NO BOAT"/.exec(story) ?? [];
    const vault = openVault(vaultFolder(home));
    const whole = new TextDecoder().decode(vault.read(handle));
    expect(story).toContain(`The ${number(Buffer.byteLength(whole))} bytes`);
    const shown = [...story.matchAll(/^ {3}(\d+): (.*NO BOAT)$/gm)];
    expect(shown).toHaveLength(3);
    for (const [, line, said] of shown) expect(whole.split("\n")[Number(line) - 1]).toBe(said);
    const all = whole.split("\n").filter((line) => line.includes("NO BOAT"));
    expect(story).toContain(`and ${all.length - 3} more lines`);
    const summary = items.find(({ compactSummary }) => compactSummary);
    expect(textOf(summary?.message.content)).not.toContain("NO BOAT");
  });

  it("tells the next session what stands in the database", async () => {
    const rows = [...story.matchAll(/^ {3}\| #(\d+) \|.*\| (.{20})/gm)];
    expect(rows).toHaveLength(3);
    for (const [, id, title = ""] of rows) {
      const [row] = await store.observationsById([Number(id)]);
      expect(row?.title.startsWith(title)).toBe(true);
    }
  });

  it("prints what each rule costs as the library computes it", async () => {
    const session = recordSession("session", await readConversation(sample));
    const shown = ["append-only", "keep-5", "seed", "thrifty"];
    const results = policies
      .filter(({ name }) => shown.includes(name))
      .map((policy) => replay(session, policy, { ttl: "5m" }));
    for (const { policy, ratio = 0, dollars } of totalsByPolicy(results)) {
      const line = new RegExp(
        `^ +${policy} +${(ratio * 100).toFixed(1)} % +\\$${dollars.toFixed(2)}  \\S`,
        "m",
      );
      expect(story).toMatch(line);
    }
  });
});
