// The story that `npm start` prints: what became of one session, in numbers that were asked for a moment ago.

const icons = {
  decision: "⚖️ ",
  bugfix: "🔴",
  feature: "🟣",
  refactor: "🔄",
  discovery: "🔵",
  change: "✅",
};
const SHOWN_LINES = 3;
const WIDEST = 96;

const number = (value) => value.toLocaleString("en-US");
const percent = (share) => `${(share * 100).toFixed(1)} %`;
const cut = (text) => (text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text);

export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd(),
  );
}

function captured({ payloads, seconds, counts, events }) {
  return [
    `1  Captured. ${payloads} events went through the hooks that Claude Code would run, ${seconds.toFixed(1)} s for all of them.`,
    `   Kept, each once: ${counts.events} events, among them ${counts.prompts} prompts and ${events.tool + events["tool-failure"]} tool calls, ${events["tool-failure"]} of which failed.`,
  ];
}

function observed({ captured: { counts }, observations }) {
  return [
    `2  Understood, without a model: ${observations.length} observations and ${counts.summaries} summaries.`,
    ...observations.map(({ id, type, title }) => `   #${id}  ${icons[type]} ${cut(title)}`),
  ];
}

function compacted({ window, recalled }) {
  const [{ preTokens, postTokens }] = window.boundaries;
  const { handle, bytes, pattern, matches } = recalled;
  return [
    `3  Compacted by the agent from ${number(preTokens)} tokens to ${number(postTokens)}. The ${number(bytes)} bytes that were said before are in the vault.`,
    `   $ throughline recall ${handle} --pattern "${pattern}"`,
    ...matches.slice(0, SHOWN_LINES).map(({ line, text }) => `   ${line}: ${text}`),
    `   and ${matches.length - SHOWN_LINES} more lines that the agent's own summary does not have.`,
  ];
}

function told({ characters, index }) {
  return [
    `4  Remembered. The next session in this project starts with ${number(characters)} characters, an index among them:`,
    ...index.slice(0, SHOWN_LINES).map((line) => `   ${cut(line)}`),
  ];
}

function cost(replay) {
  const shown = ["append-only", "keep-5", "seed", "thrifty"];
  const rows = replay.filter(({ policy }) => shown.includes(policy));
  return [
    "5  Cheaper. What the same requests would have cost under other rules for old tool results:",
    ...table([
      [" rule", "cost", "bill"],
      ...rows.map(({ policy, ratio, dollars }) => [` ${policy}`, percent(ratio), `$${dollars.toFixed(2)}`]),
    ]),
  ];
}

export function story(facts) {
  const parts = [
    [
      "A session that the real Claude Code played on a small project (sample/): why are late boats missing from the ferry board?",
    ],
    captured(facts.captured),
    observed(facts),
    compacted(facts),
    told(facts.told),
    cost(facts.replay),
  ];
  return parts.map((lines) => lines.join("\n")).join("\n\n");
}

export const nextSteps = [
  "Try next:",
  ...table([
    [
      "node dist/cli.js import --dry-run",
      "what your own Claude Code sessions would give; nothing is written",
    ],
    ["node dist/cli.js replay ~/.claude/projects/YOUR-PROJECT", "what they cost, and would have cost"],
    ["node dist/cli.js install --dry-run", "what it would change in Claude Code; nothing is written"],
    ["node dist/cli.js --help", "every command"],
  ]),
].join("\n");
