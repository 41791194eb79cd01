// What a hook could not write is marked by its session alone, and read from the transcript by the next worker.
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hookLog, lossFile, runtimeFile } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { isObject, type JsonObject } from "../../src/lib/index.ts";
import { readLosses } from "../../src/spool/index.ts";
import { runHook } from "../hookProcess.ts";
import { builtWorker } from "../worker/bundle.ts";
import { callRow, promptRow, resultRow } from "../worker/rows.ts";
import { pidThere, until, workerHome } from "../worker/workers.ts";

const place = workerHome();
const session = "5e550000-0000-4000-8000-000000000001";

const claude = (): string => path.join(place.folder, "claude");
const env = (): NodeJS.ProcessEnv => place.env({ CLAUDE_CONFIG_DIR: claude(), HOME: place.folder });

/** A transcript of one prompt and some calls, at the place where Claude Code has it. */
function transcript(name = session): string {
  const file = path.join(claude(), "projects", "-p", `${name}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  const rows = [promptRow(name, 0, "do it"), callRow(name, 1, "toolu_1"), resultRow(name, 1, "toolu_1")];
  appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return file;
}

const payload = (more: JsonObject): JsonObject => ({ session_id: session, cwd: "/", ...more });
const prompt = (more: JsonObject = {}): JsonObject =>
  payload({ hook_event_name: "UserPromptSubmit", prompt: "a secret thing", prompt_id: "p0", ...more });

const pending = async (): Promise<unknown> => {
  const { losses } = await place.status();
  return isObject(losses) ? losses.pending : undefined;
};
const refilled = (): Promise<true> =>
  until(async () => ((await pending()) === 0 ? true : undefined), "the refill");

async function keptEvents(): Promise<string[]> {
  await call(place.socket, "shutdown", { timeoutMs: 60_000 });
  return place.withStore(async (store) =>
    (await store.events({ limit: 100, order: "oldest" })).items.map(
      ({ kind, lane, payload: { prompt: text, tool_use_id: id } }) => `${kind} ${lane} ${text ?? id}`,
    ),
  );
}

describe("a damaged runtime.json beside settings that cannot be read", () => {
  it("keeps an event from the disk, its session comes from the transcript, and the hook starts the worker", async () => {
    const file = transcript();
    mkdirSync(place.home.state, { recursive: true, mode: 0o700 });
    mkdirSync(place.home.config, { recursive: true });
    const settings = path.join(place.home.config, "config.jsonc");
    writeFileSync(settings, '{"capture": {"exclude": ["/home');
    writeFileSync(runtimeFile(place.home), '{"version": "1.0.0", "excluded": ["/home');
    await runHook("answer", prompt({ transcript_path: file }), env());
    const written = readdirSync(place.home.state).filter((name) =>
      statSync(path.join(place.home.state, name)).isFile(),
    );
    for (const name of written)
      expect(readFileSync(path.join(place.home.state, name), "utf8")).not.toContain("secret thing");
    await until(() => pidThere(place.socket), "the worker that the hook started");
    expect(await pending()).toBe(1);
    writeFileSync(settings, "{}");
    await refilled();
    expect(JSON.parse(readFileSync(runtimeFile(place.home), "utf8"))).toMatchObject({ paused: false });
    expect(await keptEvents()).toEqual(["prompt transcript do it", "tool transcript toolu_1"]);
  });
});

describe("a session of which no event could be written", () => {
  it("is found in the agent's folders; one without a mark there is left alone", async () => {
    const file = transcript();
    transcript("0ther000-0000-4000-8000-000000000002");
    mkdirSync(place.home.state, { recursive: true, mode: 0o700 });
    writeFileSync(place.spool, "a file where the spool should be");
    await runHook("capture", prompt({ transcript_path: file }), env());
    expect(readLosses(lossFile(place.home))).toMatchObject({ count: 1, sessions: [{ session }] });
    expect(readFileSync(hookLog(place.home), "utf8")).not.toContain("secret thing");
    rmSync(place.spool);
    await place.run(builtWorker, { CLAUDE_CONFIG_DIR: claude() });
    await refilled();
    expect(await place.status()).toMatchObject({ losses: { lost: 1, refilled: 2, pending: 0 } });
    expect(await keptEvents()).toEqual(["prompt transcript do it", "tool transcript toolu_1"]);
  });
});

describe("a damaged transcripts.json", () => {
  it("is made anew from the store, and what hooks missed is still found", async () => {
    const file = transcript();
    place.spoolEvent(
      payload({
        hook_event_name: "PostToolUse",
        tool_name: "Bash",
        tool_use_id: "toolu_1",
        transcript_path: file,
      }),
    );
    const first = await place.run(builtWorker);
    await call(place.socket, "drain", { timeoutMs: 20_000 });
    first.kill("SIGKILL");
    writeFileSync(path.join(place.home.state, "transcripts.json"), "\0\0garbage");
    for (const row of [callRow(session, 9, "toolu_9"), resultRow(session, 9, "toolu_9")])
      appendFileSync(file, `${JSON.stringify(row)}\n`);
    await place.run(builtWorker);
    await until(
      async () =>
        (await place.withStore((store) => store.events({ limit: 9 }))).items.length === 3 || undefined,
      "the rest",
    );
    expect((await keptEvents()).toSorted()).toEqual([
      "prompt transcript do it",
      "tool hooks toolu_1",
      "tool transcript toolu_9",
    ]);
  });
});
