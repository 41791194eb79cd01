// The life of a project in which strangers planted something: a session with a compaction, the next session, and every tool.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ask } from "../../../src/ipc/index.ts";
import { isObject } from "../../../src/lib/index.ts";
import { openBackend } from "../../../src/mcp/backend.ts";
import { captureEvent, writeEvent } from "../../../src/spool/index.ts";
import { describeFailure, tools } from "../../../src/tools/index.ts";
import { ClaudeRows } from "../../fixtures/transcript/session.ts";
import { hookFile } from "../../hookProcess.ts";
import { builtWorker } from "../../worker/bundle.ts";
import type { WorkerHome } from "../../worker/workers.ts";
import type { Told } from "./injected.ts";
import type { Site, Work } from "./site.ts";

type Payload = Record<string, unknown>;

interface Life {
  readonly site: Site;
  readonly work: Work;
  readonly told: Told[];
  /** Lines that a person is shown. */
  readonly shown: string[];
}

/** What a hook's answer tells a model, whichever way it is put, and what it shows a person. */
function read(life: Life, where: string, stdout: string): void {
  if (stdout === "") return;
  if (!stdout.startsWith("{")) {
    life.told.push({ where, text: stdout });
    return;
  }
  const { systemMessage, hookSpecificOutput } = JSON.parse(stdout) as Payload;
  if (typeof systemMessage === "string") life.shown.push(systemMessage);
  const context = isObject(hookSpecificOutput) ? hookSpecificOutput.additionalContext : undefined;
  if (typeof context === "string") life.told.push({ where, text: context });
}

const eventOf = (life: Life, name: string, session: string, more: Payload): Payload => ({
  hook_event_name: name,
  session_id: session,
  cwd: life.site.folder,
  prompt_id: `${session}-prompt`,
  ...more,
  ...life.work.payload,
});

/** As the hook does it: the event into the spool, then the worker is asked. */
async function hooked(
  house: WorkerHome,
  life: Life,
  name: string,
  session: string,
  more: Payload,
): Promise<void> {
  const payload = eventOf(life, name, session, more);
  const event = captureEvent(payload, { lane: "hooks", writer: "test", now: Date.now() });
  if (event === undefined) return;
  writeEvent(house.spool, event);
  const answering = ["SessionStart", "UserPromptSubmit", "PreCompact"].includes(name);
  if (!answering) return;
  const args = { event, project: life.site.folder };
  const reply = await ask(house.socket, "answer", { args, timeoutMs: 20_000 });
  const stdout = typeof reply === "object" && reply.ok && isObject(reply.data) ? reply.data.stdout : "";
  read(life, `${name} ${String(more.source ?? "")}`.trim(), String(stdout ?? ""));
}

/** The same by the hook's own program, in a home where no worker answers. */
export function startAlone(life: Life, home: string): void {
  const payload = eventOf(life, "SessionStart", "alone", { source: "startup" });
  const { stdout } = spawnSync(process.execPath, [hookFile("answer")], {
    cwd: life.site.folder,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      THROUGHLINE_HOME: home,
      CLAUDE_PROJECT_DIR: life.site.folder,
    },
    input: JSON.stringify(payload),
    encoding: "utf8",
  });
  read(life, "SessionStart without a worker", stdout);
}

function writeTranscript({ site, work }: Life, session: string): string {
  const rows = new ClaudeRows();
  const own = { cwd: site.folder, sessionId: session };
  rows.user("make the ferry board show late boats", own);
  (work.tools ?? []).forEach(({ name, input, output }, at) => {
    rows.assistant(`m${at}`, { type: "tool_use", id: `toolu_${session}_${at}`, name, input }, own);
    rows.user([{ type: "tool_result", tool_use_id: `toolu_${session}_${at}`, content: output }], own);
  });
  for (const [at, text] of ["I decided to keep late boats.", ...(work.says ?? [])].entries())
    rows.say(`s${at}`, text, own);
  for (const row of work.rows ?? []) rows.add(String(row.type ?? "user"), { ...own, ...row });
  const file = path.join(site.outside, "projects", `${session}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, rows.rows.map((row) => `${JSON.stringify(row)}\n`).join("") + (work.tail ?? ""));
  return file;
}

/** The first session: it starts, works, is compacted and ends. */
export async function firstSession(house: WorkerHome, life: Life): Promise<void> {
  const session = `${path.basename(life.site.folder)}-a`;
  const transcript_path = writeTranscript(life, session);
  const hook = (name: string, more: Payload = {}): Promise<void> =>
    hooked(house, life, name, session, { transcript_path, ...more });
  await hook("SessionStart", { source: "startup" });
  await hook("UserPromptSubmit", { prompt: "make the ferry board show late boats" });
  for (const [at, { name, input, output }] of (life.work.tools ?? []).entries()) {
    const response = name === "Bash" ? { stdout: output, stderr: "", interrupted: false } : output;
    const call = { tool_name: name, tool_input: input, tool_response: response };
    await hook("PostToolUse", { ...call, tool_use_id: `toolu_${session}_${at}` });
  }
  // Work of the agent's own, so that there is something to remember beside what was planted.
  const board = path.join(life.site.folder, "board.ts");
  const edit = { file_path: board, old_string: "boats", new_string: "[...boats, ...lateBoats]" };
  const worked = { tool_name: "Edit", tool_input: edit, tool_response: { filePath: board } };
  await hook("PostToolUse", { ...worked, tool_use_id: `toolu_${session}_edit` });
  await hook("PreCompact", { trigger: "manual", custom_instructions: null });
  await hook("SessionStart", { source: "compact" });
  for (const text of life.work.saves ?? []) await called(house, life, "save_memory", { text, title: text });
  await hook("Stop", {
    last_assistant_message: [
      `The ferry board of ${path.basename(life.site.folder)} shows late boats now.`,
      ...(life.work.says ?? []),
    ].join("\n"),
  });
}

/** Until nothing is left in the spool or in the queue. */
export async function settled(house: WorkerHome): Promise<void> {
  for (;;) {
    await ask(house.socket, "drain", { timeoutMs: 20_000 });
    const reply = await ask(house.socket, "import", { args: {}, timeoutMs: 20_000 });
    const isIdle = typeof reply === "object" && reply.ok && isObject(reply.data) && reply.data.workLeft === 0;
    // The end of a turn waits some seconds for late hooks, and is not due until then.
    const { summarize } = await house.withStore(async (store) => (await store.queueStats(Date.now())).byKind);
    if (isIdle && (summarize?.ready ?? 0) === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A tool as a model of that project calls it; what it answers is told, and so is a failure. */
async function called(house: WorkerHome, life: Life, name: string, input: Payload): Promise<Payload> {
  const { home } = house;
  const env = house.env();
  const program = { node: process.execPath, script: builtWorker };
  const around = {
    ...{ home, env, folder: life.site.folder, isExcluded: () => false, model: "claude-opus-4-5", models: {} },
    backend: openBackend({ home, env, program }),
  };
  try {
    const tool = tools.find((one) => one.name === name);
    const answer = await tool?.answer(around, tool.input.parse(input));
    if (answer !== undefined) life.told.push({ where: name, text: answer.text });
    return answer?.data ?? {};
  } catch (error) {
    life.told.push({ where: `${name} failed`, text: describeFailure(error) });
    return {};
  }
}

/** The next session, and all that a model can ask for in it. */
export async function nextSession(house: WorkerHome, life: Life): Promise<void> {
  const { site, work, told } = life;
  const session = `${path.basename(site.folder)}-b`;
  await hooked(house, life, "SessionStart", session, { source: "startup" });
  const prompt =
    work.prompt ??
    `what did the ferry board of ${path.basename(site.folder)} say of late boats and ${site.mark}`;
  await hooked(house, life, "UserPromptSubmit", session, { prompt });
  const call = (name: string, input: Payload): Promise<Payload> => called(house, life, name, input);
  const found = await call("search", { query: site.mark });
  const ids = (Array.isArray(found.items) ? found.items : []).map((one) => String((one as Payload).id));
  const { items } = await call("search", { query: "ferry board" });
  // The words of an entry's own title are clearly about it: the answer repeats what was planted in it.
  const titles = (Array.isArray(items) ? items : []).map((one) => String((one as Payload).title));
  for (const title of titles.slice(0, 2))
    await hooked(house, life, "UserPromptSubmit", session, { prompt: title });
  await call("timeline", { around: ids[0] ?? "ferry" });
  if (ids.length > 0) await call("get_observations", { ids: ids.slice(0, 10) });
  const [handle] = /tl:[0-9a-f]{12}/.exec(told.map(({ text }) => text).join("\n")) ?? [];
  if (handle !== undefined && handle !== "tl:000000000000") await call("recall", { handle });
}

export function newLife(site: Site, work: Work | undefined): Life {
  return { site, work: work ?? {}, told: [], shown: [] };
}
