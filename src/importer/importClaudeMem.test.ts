// What claude-mem remembered, imported: with its sessions, once, without secrets, and with a word of where it came from.
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { START, theirSecret, writeClaudeMem } from "../../test/fixtures/import/claudeMem.ts";
import { captured, keptHere } from "../../test/worker/kept.ts";
import type { Pause } from "../home/pause.ts";
import type { JsonObject } from "../lib/index.ts";
import { redactValue } from "../redact/index.ts";
import type { Database } from "../store/sqlite/driver.ts";
import { type ImportedClaudeMem, importClaudeMem } from "./importClaudeMem.ts";
import { UnreadableSource } from "./model.ts";

const kept = keptHere();
const open: Database[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
});

async function theirs(version: "today" | "earlier" = "today"): Promise<string> {
  const file = path.join(kept.folder, `${version}.db`);
  open.push(await writeClaudeMem(file, version));
  return file;
}

function importing(
  file: string,
  given: { pauses?: readonly Pause[]; excluded?: string } = {},
): Promise<ImportedClaudeMem> {
  const { store, home, log } = kept;
  const parts = {
    store,
    redact: (payload: JsonObject) => redactValue(payload).value,
    badFolder: path.join(home.state, "spool", "bad"),
    pauses: () => given.pauses ?? [],
    isExcluded: (...folders: readonly (string | undefined)[]) =>
      given.excluded !== undefined && folders.includes(given.excluded),
    clock: { now: () => START },
    log,
  };
  return importClaudeMem(parts, file, { signal: new AbortController().signal, onProgress: () => undefined });
}

const counts = async () => (await kept.store.stats()).counts;

describe("a database of claude-mem", () => {
  it("becomes sessions, prompts, observations and summaries with the times of then", async () => {
    expect(await importing(await theirs())).toEqual({
      outcome: "imported",
      sessions: 3,
      prompts: 4,
      observations: 3,
      summaries: 1,
      leftOut: 0,
    });
    const observations = (await kept.store.observations({ order: "oldest" })).items;
    expect(observations).toMatchObject([
      {
        type: "bugfix",
        title: "Fixed the login",
        subtitle: "A session was lost",
        facts: ["The cookie had no path", "It is set now"],
        concepts: ["auth"],
        filesRead: ["src/login.ts"],
        claudeSessionId: "s1",
        promptNumber: 1,
        createdAtEpoch: START + 120_000,
        correlationId: "claude-mem:1",
      },
      { type: "discovery", title: "A key was printed", facts: ["not json"], concepts: ["security_alert"] },
      { title: "Nobody knows my session", claudeSessionId: "claude-mem-lost" },
    ]);
    expect((await kept.store.summaries()).items).toMatchObject([
      { request: "fix the login", learned: "Cookies need a path", notes: "Edited: src/login.ts" },
    ]);
    const prompts = (await kept.store.prompts({ order: "oldest" })).items;
    expect(prompts.map(({ promptText, promptNumber }) => `${promptNumber} ${promptText}`)).toEqual([
      "1 fix the login with [redacted: anthropic-key]",
      "2 continue",
      "3 continue",
      "1 what is left?",
    ]);
    const sessions = (await kept.store.sessions({ order: "oldest" })).items;
    expect(sessions.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(new Set(sessions.map(({ project }) => project.replace(/-[0-9a-f]{8}$/, "")))).toEqual(
      new Set(["app", "unknown"]),
    );
    const everything = JSON.stringify([await kept.events(), observations, prompts]);
    expect(everything).not.toContain(theirSecret);
  });

  it("adds nothing twice, also from a copy, and what is new later", async () => {
    const file = await theirs();
    await importing(file);
    const before = await counts();
    expect(await importing(file)).toMatchObject({ outcome: "unchanged", observations: 0 });
    open[0]?.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const copy = path.join(kept.folder, "copy.db");
    copyFileSync(file, copy);
    expect(await importing(copy)).toMatchObject({ outcome: "imported", prompts: 0, observations: 0 });
    expect(await counts()).toEqual(before);
    open[0]?.exec(`INSERT INTO user_prompts (content_session_id, prompt_number, prompt_text, created_at, created_at_epoch)
      VALUES ('s1', 4, 'continue', '', ${START + 900_000})`);
    expect(await importing(file)).toMatchObject({ outcome: "imported", prompts: 1, observations: 0 });
  });

  it("is not changed by a byte", async () => {
    const file = await theirs();
    const before = [file, `${file}-wal`].map((one) => readFileSync(one, "latin1"));
    await importing(file);
    expect([file, `${file}-wal`].map((one) => readFileSync(one, "latin1"))).toEqual(before);
  });

  it("of an earlier version is read as well", async () => {
    expect(await importing(await theirs("earlier"))).toMatchObject({ observations: 1, prompts: 0 });
    expect((await kept.store.observations()).items).toMatchObject([
      {
        claudeSessionId: "old",
        type: "refactor",
        title: "Rewrote the parser",
        text: "Rewrote the parser\nIt is a third of its size.",
        createdAt: "2025-10-01T00:01:00.000Z",
      },
    ]);
  });

  it("belongs to the project and the prompts that are known of its sessions", async () => {
    const base = { session_id: "s1", cwd: kept.folder, hook_event_name: "UserPromptSubmit" };
    await kept.ingest.keep([
      captured({ ...base, prompt: `fix the login with ${theirSecret}`, prompt_id: "p1" }, START + 60_000),
      captured({ ...base, prompt: "continue", prompt_id: "p2" }, START + 300_000),
    ]);
    const known = await kept.store.session("s1");
    // One "continue" of two, and the session that no other source has.
    expect(await importing(await theirs())).toMatchObject({ prompts: 2 });
    const { items } = await kept.store.observations({ session: "s1" });
    expect(items.map(({ project }) => project)).toEqual([known?.project, known?.project]);
    // Hooks told of that session, and will tell of its end.
    expect(await kept.store.session("s1")).toMatchObject({ status: "active" });
  });

  it("leaves out what happened in a pause, and what touched an excluded folder", async () => {
    const file = await theirs();
    const pauses = [{ from: START + 300_000, to: START + 400_000 }];
    expect(await importing(file, { pauses, excluded: "/work/secret" })).toMatchObject({
      prompts: 1,
      observations: 1,
      leftOut: 6,
    });
    expect(await importing(file)).toMatchObject({ prompts: 3, observations: 2, leftOut: 0 });
  });

  it("is told apart from any other file", async () => {
    await expect(importing(path.join(kept.home.data, "throughline.db"))).rejects.toThrow(UnreadableSource);
    await expect(importing(path.join(kept.folder, "none.db"))).rejects.toThrow(UnreadableSource);
  });
});
