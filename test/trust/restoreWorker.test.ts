// Backup and restore with a worker at work: it goes on during a backup, and is out of the way during a restore.
import { spawnSync } from "node:child_process";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { restoreJournal } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { releaseClosed } from "../../src/store/sqlite/driver.ts";
import { cliFile } from "../commandLine.ts";
import { builtWorker } from "../worker/bundle.ts";
import { ended, pidThere, workerHome } from "../worker/workers.ts";

const worker = workerHome();
const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [cliFile, ...args], {
    env: worker.env(),
    cwd: worker.folder,
    encoding: "utf8",
  });
const prompt = (id: string) => ({
  ...{ hook_event_name: "UserPromptSubmit", session_id: "s1", cwd: worker.folder, prompt: id, prompt_id: id },
});
async function events(): Promise<number> {
  const count = await worker.withStore(async (store) => (await store.stats()).counts.events);
  await releaseClosed();
  return count;
}

describe("a running worker", () => {
  it("goes on during a backup, and is stopped by a restore without losing what it holds", async () => {
    const child = await worker.run(builtWorker);
    worker.spoolEvent(prompt("one"));
    await call(worker.socket, "drain");
    const made = run("data", "backup", "set");
    expect([made.status, await pidThere(worker.socket)]).toEqual([0, child.pid]);
    worker.spoolEvent(prompt("two"));
    await call(worker.socket, "drain");
    const restored = run("data", "restore", "set");
    expect(restored.stderr).toBe("");
    expect(restored.status).toBe(0);
    expect(await ended(child)).toBe(0);
    const before = await events();
    expect(run("data", "restore", "--undo").status).toBe(0);
    expect(await events()).toBeGreaterThan(before);
    expect(run("data", "check").status).toBe(0);
  });

  it("finishes a restore that was interrupted before it opens anything", async () => {
    const first = await worker.run(builtWorker);
    worker.spoolEvent(prompt("one"));
    expect(run("data", "backup", "set").status).toBe(0);
    first.kill("SIGTERM");
    await ended(first);
    const { data } = worker.home;
    const before = await events();
    // As a process leaves it that dies between the two renames.
    const aside = `${data}.replaced-x`;
    const staged = `${data}.restoring`;
    renameSync(data, staged);
    const moves = [{ target: data, staged, aside, isData: true }];
    writeFileSync(restoreJournal(worker.home), JSON.stringify({ at: "2026-11-16T09:00:00.000Z", moves }));
    await worker.run(builtWorker);
    await worker.status();
    expect(existsSync(restoreJournal(worker.home))).toBe(false);
    expect(await events()).toBe(before);
  });
});
