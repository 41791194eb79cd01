// The worker archives what is announced and what is not, and nothing that was not to be kept.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { captured, keptHere, promptRow, second } from "../../../test/worker/kept.ts";
import { findArchive, listArchives, readArchive, readMarkdown } from "../../archive/index.ts";
import { forgetEverywhere } from "../../forget/forget.ts";
import { vaultFolder } from "../../home/index.ts";
import type { LifecycleEvent } from "../../intake/lifecycle.ts";
import { openMarks, type TranscriptMarks } from "../../intake/transcripts/transcriptMarks.ts";
import { ensureFolder } from "../../lib/index.ts";
import { archiveSettings } from "../../settings/settings.ts";
import { openVault } from "../../vault/index.ts";
import { type ArchiverParts, makeArchiver } from "./archive.ts";

const kept = keptHere();
let marks: TranscriptMarks;

beforeEach(() => {
  marks = openMarks(kept.home, second(0));
});

const configure = (settings: object): void => {
  ensureFolder(kept.home.config);
  writeFileSync(path.join(kept.home.config, "config.json"), JSON.stringify(settings));
};

function known(session: string, ...words: string[]): string {
  const rows = words.map((text, index) => ({ type: "user", ...promptRow(session, index + 1, text) }));
  const file = kept.transcript(session, rows);
  marks.set(file, { session, offset: 0 }, second(0));
  return file;
}

function archiver(more: Partial<ArchiverParts> = {}) {
  const { home, log } = kept;
  const settingsFor = archiveSettings(home, {});
  return makeArchiver({ home, settingsFor, pauses: () => [], isExcluded: () => false, marks, log, ...more });
}

/** One sweep, from beginning to end. */
async function sweep(more: Partial<ArchiverParts> = {}): Promise<void> {
  const own = archiver(more);
  own.start();
  await own.stop();
}

const words = (session: string): string[] =>
  readMarkdown(readArchive(findArchive(kept.home.data, session))).parts.map(({ text }) => text);
const sessions = (): string[] => listArchives(kept.home.data).map(({ session }) => session);

const lifecycleEvent = (
  session: string,
  transcriptPath: string,
  kind: LifecycleEvent["kind"],
): LifecycleEvent => ({
  kind,
  id: "ev_1",
  session,
  transcriptPath,
  cwd: "/",
  trigger: "auto",
  at: second(1),
});

describe("archiving in the worker", () => {
  it("takes what is announced before a compaction and at an end, and does not make the caller wait", async () => {
    const own = archiver();
    await own.onLifecycleEvent(lifecycleEvent("alpha", known("alpha", "first"), "compacting"));
    await own.onLifecycleEvent(lifecycleEvent("beta", known("beta", "other"), "ended"));
    await own.onLifecycleEvent(lifecycleEvent("gamma", known("gamma", "later"), "compacted"));
    await own.stop();
    expect(sessions().sort()).toEqual(["alpha", "beta"]);
  });

  it("sweeps up sessions that never compacted and never said that they ended", async () => {
    known("alpha", "first", "second");
    await sweep();
    expect(words("alpha")).toEqual(["first", "second"]);
  });

  it("leaves out what happened in a pause, in an excluded folder, or where it is switched off", async () => {
    known("alpha", "first", "in the pause", "third");
    await sweep({ pauses: () => [{ from: second(2), to: second(2) }] });
    expect(words("alpha")).toEqual(["first", "third"]);
    known("beta", "secret work");
    await sweep({ isExcluded: () => true });
    expect(sessions()).toEqual(["alpha"]);
    configure({ archive: { enabled: false } });
    await sweep();
    expect(sessions()).toEqual(["alpha"]);
  });

  it("waits while the settings cannot be read: they may say no", async () => {
    known("alpha", "first");
    configure({ archive: { enabled: "what?" } });
    await sweep();
    expect(sessions()).toEqual([]);
  });

  it("goes on with the next session when one cannot be read", async () => {
    const broken = known("alpha", "first");
    writeFileSync(broken, Buffer.from([0, 1, 2, 0]));
    known("beta", "fine");
    await sweep();
    expect(sessions()).toEqual(["beta"]);
  });

  it("compresses the oldest when archives take more room than they may, and removes nothing", async () => {
    for (const session of ["alpha", "beta"]) known(session, "many words ".repeat(2_000));
    configure({ archive: { maxBytes: 35_000 } });
    await sweep();
    const archives = listArchives(kept.home.data);
    expect(archives.map(({ isCompressed }) => isCompressed).sort()).toEqual([false, true]);
  });

  it("does not bring back what was forgotten, also when the session goes on", async () => {
    known("alpha", "first");
    await sweep();
    const { home, store } = kept;
    const parts = { home, store, vault: openVault(vaultFolder(home)), marks, now: second(5) };
    const { found, left } = await forgetEverywhere(parts, { session: "alpha" });
    expect([found.archives.length, left?.archives.length]).toEqual([1, 0]);
    const transcript = known("gamma", "first of another");
    const prompt = { hook_event_name: "UserPromptSubmit", session_id: "gamma", prompt: "first of another" };
    await kept.ingest.keep([captured({ ...prompt, transcript_path: transcript }, second(1))]);
    await forgetEverywhere(parts, { session: "gamma" });
    for (const session of ["alpha", "gamma"]) known(session, "", "afterwards");
    await sweep();
    expect(words("alpha")).toEqual(["afterwards"]);
    expect(words("gamma")).toEqual(["afterwards"]);
  });
});
