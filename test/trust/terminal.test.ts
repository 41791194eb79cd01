// Stored text, file names and arguments that would steer a terminal, through every command that prints them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { databaseFile, ledgerFile, sessionPlace, vaultFolder } from "../../src/home/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { openStore } from "../../src/store/index.ts";
import { openVault } from "../../src/vault/index.ts";
import { commandLine } from "../commandLine.ts";
import { ClaudeRows } from "../fixtures/transcript/session.ts";
import { readSources } from "../sourceTree.ts";

/** Each with a number of its own beside it, so that it is known where it was printed. */
const payloads = [
  ...[
    "\u001b[2J",
    "\u001b[1;1H",
    "\u001b[8m",
    "\u001b[38;5;200m",
    "\u001b[?1049h",
    "\u001b[6n",
    "\u001b[31m",
  ],
  ...["\u001b]0;title\u0007", "\u001b]8;;https://evil.example\u001b\\", "\u001b]52;c;ZXZpbA==\u0007"],
  ...[
    "\u001bP$q\u001b\\",
    "\u001b_x\u001b\\",
    "\u001bc",
    "\u001b",
    "\u009b2J",
    "\u009d52;c;eA==\u009c",
    "\u0090q\u009c",
  ],
  ...[
    "\u0000",
    "\u0007",
    "\b\b\b",
    "\u000b",
    "\f",
    "\rforged",
    "\u000e",
    "\u007f",
    "\u0085",
    "\u008d",
    "\u009f",
  ],
  ...["\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u202c", "\u2066", "\u2068", "\u2069"],
  ...["\u200b", "\u200c", "\u2060", "\ufeff", "\u2028", "\u2029", "\u{e0068}\u{e0069}", "\u00ad"],
];
const named = payloads.map((payload, at) => `p${at}${payload}q`);
const HOSTILE = named.join(" ");

const FORBIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const ESC = "\u001b";
/** Our own: bold, dim, red, green, yellow, and their ends. */
const COLOURS = new RegExp(`(?<!p\\d{1,2})${ESC}\\[(?:1|2|22|3[1-3]|39)m`, "g");

const forbiddenIn = (text: string): string[] =>
  [...new Set(text.replace(/[\n\t]/g, "").match(FORBIDDEN) ?? [])].map(
    (each) => `U+${each.codePointAt(0)?.toString(16)}`,
  );

const line = commandLine("file");
const SESSION = "5f1c0000-0000-4000-8000-000000000001";
/** Names of files hold no zero, and no more than 255 bytes. */
const NAME = "n\u001b]52;c;ZXZpbA==\u0007\u202e\u009b2J\u200bname";
const files = { transcript: "", handle: "" };

async function fillStore(): Promise<void> {
  const store = await openStore({ file: databaseFile(line.home) });
  const of = { session: SESSION, project: "app-00000001", promptNumber: 1, at: "2026-11-16T09:00:00Z" };
  await store.addObservations([
    {
      ...of,
      uid: "a",
      type: "bugfix",
      title: `harbour ${HOSTILE}`,
      subtitle: HOSTILE,
      narrative: HOSTILE,
      facts: [HOSTILE],
      concepts: named,
      filesModified: [`src/${HOSTILE}`],
    },
  ]);
  await store.addSummaries([
    {
      ...of,
      uid: "s",
      request: `harbour ${HOSTILE}`,
      learned: HOSTILE,
      completed: HOSTILE,
      nextSteps: HOSTILE,
    },
  ]);
  await store.addMessages([{ ...of, uuid: "m", role: "tool", text: `harbour ${HOSTILE}` }]);
  await store.close();
}

function writeTranscript(): void {
  const rows = new ClaudeRows();
  rows.user(`fix the harbour ${HOSTILE}`);
  rows.call("m1", "toolu_1");
  rows.user([{ type: "tool_result", tool_use_id: "toolu_1", content: HOSTILE.repeat(200) }]);
  rows.say("m2", `Done: ${HOSTILE}`);
  files.transcript = line.write(`${NAME}.jsonl`, rows.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

function writeMemory(): void {
  const { folder } = line.json("memory", "list") as { folder: string };
  mkdirSync(folder, { recursive: true });
  const head = `---\nname: harbour ${HOSTILE.replace(/[\n\r]/g, " ")}\ndescription: ${named.join("")}\ntype: project\n---\n`;
  writeFileSync(path.join(folder, "harbour.md"), `${head}${HOSTILE}\n`.replaceAll("\u0000", ""));
}

beforeAll(async () => {
  await fillStore();
  writeTranscript();
  files.handle = openVault(vaultFolder(line.home)).put(`harbour\n${HOSTILE}`, {
    session: SESSION,
    tool: HOSTILE,
    toolUseId: "toolu_1",
  }).handle;
  openLedger(ledgerFile(sessionPlace(line.home, "app", SESSION))).append([
    {
      ...{ v: 1, id: "e1", at: "2026-01-01T00:00:00.000Z", by: "here", level: "budget", why: HOSTILE },
      edit: { kind: "replace-result", toolUseId: "toolu_1", content: "short" },
    },
  ]);
  line.write(NAME, "no transcript");
  line.write(".throughline.json", JSON.stringify({ [HOSTILE]: 1 }));
  writeMemory();
  // The list of archives has something to show.
  line.run(["archive", files.transcript]);
}, 60_000);

const commands = (): [string, readonly string[]][] => [
  ["search", ["search", "harbour"]],
  ["search in full", ["search", "harbour", "--layer", "full", "--explain"]],
  ["timeline", ["timeline", "#1"]],
  ["observations", ["show", "observations"]],
  ["summaries", ["show", "summaries"]],
  ["show", ["show", "#1", "S1", "M1"]],
  ["notes", ["notes", files.transcript, "--update"]],
  ["transcript", ["transcript", files.transcript]],
  ["window", ["window", files.transcript]],
  ["compact", ["compact", files.transcript]],
  ["archive", ["archive", files.transcript]],
  ["archive list", ["archive", "list"]],
  ["ledger", ["ledger", SESSION]],
  ["recall of a session", ["recall", "--session", SESSION]],
  ["recall by a pattern", ["recall", "--session", SESSION, "--pattern", "p1"]],
  ["memory list", ["memory", "list"]],
  ["memory show", ["memory", "show", "harbour"]],
  ["memory search", ["memory", "search", "p1"]],
  ["memory lint", ["memory", "lint"]],
  ["an unknown command", [HOSTILE.replaceAll("\u0000", "")]],
  ["an unknown flag", ["search", `--${HOSTILE.replaceAll("\u0000", "")}`]],
  ["a wrong value", ["search", "x", "--limit", HOSTILE.replaceAll("\u0000", "")]],
  ["a file that is no transcript", ["transcript", NAME]],
  ["a file that is not there", ["archive", `${NAME}-gone`]],
  ["a folder to replay", ["replay", NAME]],
  ["a setting that is none", ["config", "get", NAME]],
  ["settings", ["config", "list", "--origin"]],
];

/** They print no stored text, or names that are safe for files. */
const namesNothing = ["settings", "archive", "memory lint"];

/** Everything that a command prints, in colour. */
async function printed(args: readonly string[]): Promise<string> {
  const { out, err } = await line.runInProcess(args, { FORCE_COLOR: "1" });
  return out + err;
}

describe("what a command prints", () => {
  it.each(commands().map(([what]) => what))("%s: steers no terminal, nor does its JSON", async (what) => {
    const args = new Map(commands()).get(what) ?? [];
    const [told, json] = [await printed(args), await printed([...args, "--json"])];
    expect(forbiddenIn(told.replace(COLOURS, ""))).toEqual([]);
    expect(forbiddenIn(json)).toEqual([]);
    expect(() => JSON.parse(json)).not.toThrow();
    // Something of the hostile text was there to be printed.
    if (!namesNothing.includes(what)) expect(told).toMatch(/p\d+\\u\{|n\\u\{1b\}/);
  });

  it("is everything: no payload is left out, and JSON has it unchanged", () => {
    const { out } = line.run(["show", "#1"]);
    for (const at of named.keys()) expect(out).toContain(`p${at}`);
    const shown = line.json("show", "#1") as { items: readonly { title: string }[] };
    expect(shown.items[0]?.title).toContain(named[3]);
  });

  it("is exact where exact bytes are asked for and no terminal reads them", () => {
    expect(line.run(["recall", files.handle]).out).toBe(`harbour\n${HOSTILE}`);
  });
});

describe("the command line", () => {
  it("writes in one place", () => {
    const folder = path.resolve(import.meta.dirname, "../../src/cli");
    const writing = readSources(folder).filter(({ text }) =>
      /process\.(?:stdout|stderr)\b|process\[|\bconsole\.|\bwriteSync\(\s*[12]\b/.test(text),
    );
    expect(writing.map(({ file }) => file)).toEqual(["terminal.ts"]);
    const asking = readSources(folder).filter(({ text }) => text.includes("@clack/prompts"));
    expect(asking.map(({ file }) => file)).toEqual(["confirm.ts"]);
    const questions = readFileSync(path.join(folder, "confirm.ts"), "utf8").match(
      /(?:message|placeholder): \w+/g,
    );
    expect(new Set(questions)).toEqual(new Set(["message: rendered", "placeholder: rendered"]));
  });
});
