// `npm start`: sets up, then shows on a sample session what works today. Every number is computed while you wait;
// data goes into a temporary folder, and nothing of yours is read or changed. `-- --json` prints the numbers alone.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./root.mjs";
import { setup } from "./setup.mjs";

const sample = path.join("sample", "session.jsonl");
const SHOWN_LINES = 3;

/** The environment of a user who has set nothing. */
function freshEnvironment(home) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("THROUGHLINE_"));
  return { ...Object.fromEntries(own), THROUGHLINE_HOME: home, NO_COLOR: "1" };
}

/** Runs the built command as a user would and gives what it printed. */
function throughline(home, ...args) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(root, "dist", "cli.js"), ...args],
    {
      cwd: root,
      env: freshEnvironment(home),
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (status !== 0) throw new Error(`throughline ${args.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

/** Stores the largest tool result of the session, as a level of the pipeline does when it takes one out of the window. */
async function takeOutLargest(env) {
  const library = await import("../dist/index.js");
  const { items, sessionId } = await library.readConversation(path.join(root, sample));
  const results = library.toolPairs(items).filter(({ result }) => typeof result?.content === "string");
  const largest = results.reduce((a, b) => (b.result.content.length > a.result.content.length ? b : a));
  const home = library.resolveHome({ env, platform: process.platform, homeFolder: root });
  const { handle, bytes } = library.openVault(library.vaultFolder(home)).put(largest.result.content, {
    session: sessionId,
    tool: largest.name,
    toolUseId: largest.id,
  });
  const lines = largest.result.content.split("\n");
  const first = lines.findIndex((line) => line.includes("AssertionError")) + 2;
  return { handle, bytes, tool: largest.name, lines: lines.length, range: [first, first + SHOWN_LINES - 1] };
}

async function gather(home) {
  const transcript = JSON.parse(throughline(home, "transcript", sample, "--json"));
  const replay = JSON.parse(throughline(home, "replay", sample, "--json"));
  const removed = await takeOutLargest(freshEnvironment(home));
  const recalled = throughline(home, "recall", removed.handle, "--lines", removed.range.join("-"));
  return { transcript, replay, removed, recalled };
}

const number = (value) => value.toLocaleString("en-US");
const percent = (share) => `${(share * 100).toFixed(1)} %`;

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd(),
  );
}

function story({ transcript, replay, removed, recalled }) {
  const rows = replay.totals.map(({ policy, ratio, dollars, recalls, retention }) => [
    policy,
    percent(ratio),
    `$${dollars.toFixed(2)}`,
    String(recalls),
    percent(retention),
  ]);
  return [
    `A sample session, ${sample}: an agent finds and fixes a bug in a ferry timetable.`,
    `  ${number(transcript.turns)} turns, ${number(replay.totals[0].requests)} requests, ${number(transcript.tool_results)} tool results, ${number(transcript.thinking_blocks)} thinking blocks, about ${number(transcript.tokens)} tokens`,
    "",
    `What it would have cost under other rules (cache of ${replay.ttl}, prices of ${replay.prices_as_of}):`,
    ...table([["policy", "cost", "bill", "recalls", "in view"], ...rows]),
    "  Clearing old results with every request breaks the prompt cache; clearing them when it is cold anyway does not.",
    "",
    `Its largest tool result (${removed.tool}, ${number(removed.bytes)} bytes, ${number(removed.lines)} lines) goes into the vault and leaves a handle.`,
    "Three of its lines come back when they are needed, byte for byte:",
    `  $ throughline recall ${removed.handle} --lines ${removed.range.join("-")}`,
    ...recalled
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
    "",
    "Try next:",
    ...table([
      ["node dist/cli.js install --dry-run", "what it would change in Claude Code; nothing is written"],
      ["node dist/cli.js replay ~/.claude/projects/YOUR-PROJECT", "your own sessions; nothing is written"],
      [`node dist/cli.js transcript ${sample}`, "what a session holds"],
      ["node dist/cli.js --help", "every command"],
      ["npm test", "every promise, checked"],
    ]),
  ].join("\n");
}

await setup();
const home = mkdtempSync(path.join(tmpdir(), "throughline-start-"));
try {
  const facts = await gather(home);
  console.log(process.argv.includes("--json") ? JSON.stringify(facts, null, 2) : story(facts));
} finally {
  rmSync(home, { recursive: true, force: true });
}
