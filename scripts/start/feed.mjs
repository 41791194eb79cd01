// Feeds the recorded session to the real hooks, one program a payload as Claude Code does it, in a folder of its own.
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../root.mjs";

const RECORDED_PROJECT = "/home/dev/ferry-times";
const SECOND = 1_000;
const sample = path.join(root, "sample");

const rowsIn = (file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** The program of each event, as the plugin names it. */
function programs() {
  const { hooks } = JSON.parse(readFileSync(path.join(root, "plugin", "hooks", "hooks.json"), "utf8"));
  return Object.fromEntries(
    Object.entries(hooks).map(([event, [group]]) => {
      const [, name] = /run\.sh" (\w+)/.exec(group.hooks[0].command);
      return [event, `${name}.cjs`];
    }),
  );
}

/** Where the demo lives: a project, a transcript, and the recorded session, all below one folder. */
export function demoPlace(folder) {
  const payloads = rowsIn(path.join(sample, "hooks.jsonl"));
  const { session_id: session, transcript_path: recorded } = payloads[0];
  const transcript = path.join(folder, "claude", `${session}.jsonl`);
  return { folder, project: path.join(folder, "ferry-times"), session, recorded, transcript, payloads };
}

/** The same value as it would be here: only folders differ. */
function inPlace(place, value) {
  const text = JSON.stringify(value)
    .replaceAll(place.recorded, place.transcript)
    .replaceAll(RECORDED_PROJECT, place.project);
  return JSON.parse(text);
}

/** The transcript as if the session had ended a minute ago: rows keep their distances. */
function recentRows(place, now) {
  const rows = rowsIn(path.join(sample, "session.jsonl"));
  const last = rows.findLast(({ timestamp }) => timestamp !== undefined).timestamp;
  const shift = now - 60 * SECOND - Date.parse(last);
  const move = ({ timestamp, ...row }) =>
    timestamp === undefined
      ? row
      : { ...row, timestamp: new Date(Date.parse(timestamp) + shift).toISOString() };
  return rows.map((row) => inPlace(place, move(row)));
}

/** Whether a row of the transcript is what a payload reports. */
function isAbout(payload, row) {
  const content = row.message?.content;
  switch (payload.hook_event_name) {
    case "UserPromptSubmit":
      return (
        row.type === "user" && JSON.stringify(content).includes(JSON.stringify(payload.prompt).slice(1, -1))
      );
    case "PostToolUse":
    case "PostToolUseFailure":
      return row.type === "user" && content?.[0]?.tool_use_id === payload.tool_use_id;
    case "Stop":
      return row.type === "assistant" && row.message.stop_reason === "end_turn";
    case "PreCompact":
      return row.subtype === "compact_boundary";
    default:
      return false;
  }
}

/** When each payload was handed over: at the row that it is about, or right after the one before it. */
function timesOf(payloads, rows) {
  let at = 0;
  let time = Date.parse(rows[0].timestamp) - SECOND;
  return payloads.map((payload) => {
    const found = rows.findIndex((row, index) => index >= at && isAbout(payload, row));
    if (found >= 0) at = found + 1;
    time = found < 0 ? time + 1 : Math.max(time + 1, Date.parse(rows[found].timestamp));
    return time;
  });
}

/** What an Edit did to the demo project, so that its files are as the session left them. */
function carryOut({ hook_event_name: event, tool_name: tool, tool_input: input }) {
  if (event !== "PostToolUse" || tool !== "Edit") return;
  const text = readFileSync(input.file_path, "utf8");
  writeFileSync(
    input.file_path,
    text.replace(input.old_string, () => input.new_string),
  );
}

/** Runs the program of a payload's event, at a time of day, and gives what it printed for the agent. */
export function runHook(place, payload, env, time = Date.now()) {
  const program = path.join(root, "dist", "hooks", programs()[payload.hook_event_name]);
  const clock = path.join(import.meta.dirname, "shiftedClock.cjs");
  const { status, stdout } = spawnSync(process.execPath, ["--require", clock, program], {
    cwd: place.project,
    env: { ...env, SHIFT_MS: String(time - Date.now()) },
    input: JSON.stringify(payload),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the hook of ${payload.hook_event_name} ended with ${status}`);
  return stdout;
}

/** Writes the transcript on as the session goes on: what is said later is not there before. */
function transcriptWriter(file, rows) {
  mkdirSync(path.dirname(file), { recursive: true });
  let written = 0;
  return (time) => {
    const end = rows.findIndex(({ timestamp }, at) => at >= written && Date.parse(timestamp) > time);
    const part = rows.slice(written, end < 0 ? rows.length : end);
    appendFileSync(file, part.map((row) => `${JSON.stringify(row)}\n`).join(""));
    written += part.length;
  };
}

/** Every payload in its turn, at its time. */
export function feed(place, env, onStep = () => undefined) {
  cpSync(path.join(sample, "ferry-times"), place.project, { recursive: true });
  const rows = recentRows(place, Date.now());
  const times = timesOf(place.payloads, rows);
  const write = transcriptWriter(place.transcript, rows);
  place.payloads.forEach((recorded, at) => {
    const payload = inPlace(place, recorded);
    // A compaction is announced before the first row of it is written.
    write(payload.hook_event_name === "PreCompact" ? times[at] - 1 : times[at]);
    carryOut(payload);
    runHook(place, payload, env, times[at]);
    onStep(at + 1, place.payloads.length);
  });
  write(Number.POSITIVE_INFINITY);
}
