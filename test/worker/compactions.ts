// A session with a transcript that is compacted: its rows, the hooks that report it, and the snapshots taken of it.
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeEach } from "vitest";
import { vaultFolder } from "../../src/home/index.ts";
import { lifecycleEventOf } from "../../src/intake/lifecycle.ts";
import type { JsonObject } from "../../src/lib/index.ts";
import type { CapturedEvent } from "../../src/spool/index.ts";
import { makeSnapshots, type SnapshotParts, type Snapshots } from "../../src/worker/jobs/snapshot.ts";
import { captured, keptHere, second } from "./kept.ts";

/** Reports events to the listener as the worker's lifecycle does. */
export async function notice(snapshots: Snapshots, ...events: readonly CapturedEvent[]): Promise<void> {
  for (const event of events) {
    const lifecycleEvent = lifecycleEventOf(event);
    if (lifecycleEvent) await snapshots.onLifecycleEvent(lifecycleEvent);
  }
}

/** A project whose session `s` has a prompt and an answer; fresh for every test of the calling file. */
export function compactedSession() {
  const kept = keptHere();
  let project = "";
  let transcript = "";
  let rows = 0;
  const row = (at: number, more: JsonObject): JsonObject => ({
    uuid: `row-${rows}`,
    parentUuid: rows++ === 0 ? null : `row-${rows - 2}`,
    sessionId: "s",
    cwd: project,
    timestamp: new Date(second(at)).toISOString(),
    isSidechain: false,
    ...more,
  });
  const promptRow = (at: number, text: string): JsonObject =>
    row(at, { type: "user", message: { role: "user", content: text } });
  const answerRow = (at: number, text: string): JsonObject =>
    row(at, {
      type: "assistant",
      message: { id: `msg-${at}`, role: "assistant", content: [{ type: "text", text }] },
    });
  beforeEach(() => {
    project = path.join(kept.folder, "project");
    mkdirSync(project);
    rows = 0;
    transcript = kept.transcript("s", [promptRow(1, "the first words"), answerRow(2, "the first answer")]);
  });
  const files = (): string[] =>
    existsSync(path.join(project, ".claude")) ? readdirSync(path.join(project, ".claude")).sort() : [];
  return {
    kept,
    get project() {
      return project;
    },
    get transcript() {
      return transcript;
    },
    promptRow,
    answerRow,
    boundaryRow: (at: number): JsonObject =>
      row(at, { type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "manual" } }),
    event: (at: number, name: string, more: JsonObject = {}): CapturedEvent =>
      captured(
        { hook_event_name: name, session_id: "s", transcript_path: transcript, cwd: project, ...more },
        second(at),
      ),
    /** The snapshots of one worker; another call is another worker. */
    snapshots: (now: () => number, more: Partial<SnapshotParts> = {}): Snapshots =>
      makeSnapshots({
        home: kept.home,
        vaultFolder: vaultFolder(kept.home),
        settingsFor: () => ({
          enabled: true,
          hours: 2,
          messages: 20,
          reference: "CLAUDE.md",
          language: "en",
        }),
        readers: [],
        redact: (text) => text,
        isExcluded: () => false,
        clock: { now },
        log: kept.log,
        ...more,
      }),
    /** Names of the snapshots in the project, oldest first, and what each holds. */
    files,
    texts: (): string[] => files().map((name) => readFileSync(path.join(project, ".claude", name), "utf8")),
  };
}
