// The story that `npm start` prints: what became of one session, in numbers that were asked for a moment ago.

const icons = {
  decision: "⚖️ ",
  bugfix: "🔴",
  feature: "🟣",
  refactor: "🔄",
  discovery: "🔵",
  change: "✅",
};
const rules = {
  "append-only": "sends everything every time",
  "keep-5": "clears all but the 5 newest tool results, with every request",
  seed: "the five levels with the classic constants",
  thrifty: "the same levels, timed by cost, with handles (the default)",
};
const SHOWN_LINES = 3;
/** What a line may hold, two places of an icon included. */
const WIDEST = 96;

const number = (value) => value.toLocaleString("en-US");
const percent = (share) => `${(share * 100).toFixed(1)} %`;
const cut = (text) => (text.length > WIDEST ? `${text.slice(0, WIDEST - 1).trimEnd()}…` : text);

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd(),
  );
}

function captured({ payloads, seconds, counts, events }) {
  return [
    `1  Captured. ${payloads} events went through the hooks that Claude Code runs, in ${seconds.toFixed(1)} s.`,
    `   Kept, each once: ${counts.events} events, among them ${counts.prompts} prompts and ${events.tool + events["tool-failure"]} tool calls, ${events["tool-failure"]} of which failed.`,
  ];
}

/** What the icons stand for. */
function legend(observations) {
  const types = Object.keys(icons).filter((type) => observations.some((one) => one.type === type));
  return types.map((type) => `${icons[type].trim()} ${type}`).join("  ");
}

function observed({ captured: { counts }, observations }) {
  return [
    `2  Understood, without a model: ${observations.length} observations and ${counts.summaries} summaries.`,
    `   ${legend(observations)}`,
    ...observations.map(({ id, type, title }) => `   ${cut(`#${id}  ${icons[type]} ${title}`)}`),
  ];
}

function compacted({ window, recalled }) {
  const [{ preTokens, postTokens }] = window.boundaries;
  const { handle, bytes, pattern, matches } = recalled;
  return [
    `3  Compacted by the agent from ${number(preTokens)} tokens to ${number(postTokens)}.`,
    `   The ${number(bytes)} bytes that were said before are kept, and found by their handle:`,
    `   $ throughline recall ${handle} --pattern "${pattern}"`,
    ...matches.slice(0, SHOWN_LINES).map(({ line, text }) => `   ${line}: ${text}`),
    `   and ${matches.length - SHOWN_LINES} more lines; the agent's own summary has none of them.`,
  ];
}

function printIndex({ characters, index }) {
  return [
    `4  Remembered. The next session in this project is told ${number(characters)} characters, this index among them:`,
    // The last cell, what reading it costs, is left out for want of room.
    ...index.slice(0, SHOWN_LINES).map((line) => `   ${cut(line.replace(/ ~\d+ \|$/, ""))}`),
  ];
}

function cost(replay) {
  const rows = replay.filter(({ policy }) => policy in rules);
  return [
    "5  Cheaper. What the same requests would have cost under other rules for old tool results:",
    ...table([
      [" rule", "cost", "bill", "what it does"],
      ...rows.map(({ policy, ratio, dollars }) => [
        ` ${policy}`,
        percent(ratio),
        `$${dollars.toFixed(2)}`,
        rules[policy],
      ]),
    ]),
  ];
}

export function story(facts) {
  const parts = [
    [
      "A session that the real Claude Code played on a small project (sample/):",
      "why are late boats missing from the ferry board?",
    ],
    captured(facts.captured),
    observed(facts),
    compacted(facts),
    printIndex(facts.told),
    cost(facts.replay),
  ];
  return parts.map((lines) => lines.join("\n")).join("\n\n");
}

export const nextSteps = [
  "Try next:",
  ...table([
    ["node dist/cli.js import --dry-run", "what your own sessions would give to remember"],
    ["node dist/cli.js replay ~/.claude/projects", "what they cost, and would have cost"],
    ["node dist/cli.js install --dry-run", "what would change in Claude Code's settings"],
    ["node dist/cli.js --help", "every command"],
  ]),
].join("\n");
