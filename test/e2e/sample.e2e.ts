// The sample session is what the real CLI does: run again, it reports the same events and writes the same conversation.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { isObject, type JsonObject, parseJson } from "../../src/lib/index.ts";
import { bundled, neutral } from "../sample/recording.ts";
import { prompts, scenario } from "../sample/story.ts";
import { transcriptsIn } from "./drive.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const root = path.resolve(import.meta.dirname, "../..");
const sample = path.join(root, "sample");
const isRecording = process.env.THROUGHLINE_RECORD === "1";

const recordedEvents = [
  "SessionStart",
  "UserPromptSubmit",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "PreCompact",
  "PostCompact",
  "SessionEnd",
];

/** Hooks that write down what they are handed, and nothing else. */
function recordingSettings(folder: string): string {
  const command = `cat > ${folder}/$(date +%s%N).json`;
  const hooks = recordedEvents.map((event) => [event, [{ hooks: [{ type: "command", command }] }]]);
  return JSON.stringify({ hooks: Object.fromEntries(hooks) });
}

function demoProject({ work, home }: World): string {
  const folder = path.join(work, "ferry-times");
  cpSync(path.join(sample, "ferry-times"), folder, { recursive: true });
  writeFileSync(path.join(home, ".gitconfig"), "[user]\n\tname = Dev\n\temail = dev@ferry.example\n");
  return folder;
}

function rowsIn(text: string): JsonObject[] {
  return text.split("\n").flatMap((line) => {
    const row = parseJson(line);
    return isObject(row) ? [row] : [];
  });
}

async function runStory(): Promise<{ payloads: JsonObject[]; rows: JsonObject[] }> {
  const world = await openWorld();
  const folder = demoProject(world);
  const [hooks, settings] = [path.join(world.work, "hooks"), path.join(world.work, "settings.json")];
  mkdirSync(hooks);
  writeFileSync(settings, recordingSettings(hooks));
  const env = { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin` };
  const git = world.sandbox.spawn(["sh", "-c", "git init -q && git add -A && git commit -qm start"], {
    cwd: folder,
    env: { ...env, HOME: world.home },
    stdio: "ignore",
  });
  await new Promise((resolve) => git.once("close", resolve));
  world.api.play(scenario(folder));
  const run = await world.claude({ prompts, cwd: folder, settings, env, timeout: 110_000 });
  expect([run.exitCode, run.stderr, run.timedOut]).toEqual([0, "", false]);
  const session = run.sessions[0] ?? "";
  const place = { folder, home: world.home, session };
  const names = readdirSync(hooks).sort();
  const payloads = names.map((name) => readFileSync(path.join(hooks, name), "utf8"));
  const transcript = readFileSync(transcriptsIn(world.home).get(session) ?? "", "utf8");
  return { payloads: rowsIn(neutral(payloads.join("\n"), place)), rows: rowsIn(neutral(transcript, place)) };
}

const asLines = (rows: readonly JsonObject[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** What stays the same from run to run: which events there are, and what they are about. */
const gist = (payload: JsonObject): unknown[] => [
  payload.hook_event_name,
  payload.tool_name,
  payload.tool_input,
  payload.prompt,
  payload.trigger,
];

describe.skipIf(!hasClaude)("the sample session", () => {
  it("is what the real CLI reports and writes when it plays the story", async () => {
    const { payloads, rows } = await runStory();
    if (isRecording) {
      writeFileSync(path.join(sample, "hooks.jsonl"), asLines(payloads));
      writeFileSync(path.join(sample, "session.jsonl"), asLines(bundled(rows)));
    }
    const recorded = rowsIn(readFileSync(path.join(sample, "hooks.jsonl"), "utf8"));
    expect(payloads.map(gist)).toEqual(recorded.map(gist));
    const types = (all: readonly JsonObject[]): unknown[] =>
      all.flatMap(({ type }) => (type === "user" || type === "assistant" ? [type] : []));
    expect(types(bundled(rows))).toEqual(
      types(rowsIn(readFileSync(path.join(sample, "session.jsonl"), "utf8"))),
    );
  });
});
