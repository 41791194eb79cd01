// A store, an ingest and a transcript in a folder of their own, without a process around them.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach } from "vitest";
import { databaseFile, type Home, resolveHome } from "../../src/home/index.ts";
import { type Ingest, makeIngest } from "../../src/intake/ingest.ts";
import type { JsonObject } from "../../src/lib/index.ts";
import { openLog } from "../../src/log/log.ts";
import { redactValue } from "../../src/redact/index.ts";
import { type CapturedEvent, captureEvent } from "../../src/spool/index.ts";
import { openStore, type RedactedEvent, type Store } from "../../src/store/index.ts";

export { callRow, promptRow, resultRow, second } from "./rows.ts";

interface Kept {
  readonly home: Home;
  readonly folder: string;
  readonly store: Store;
  readonly ingest: Ingest;
  readonly log: ReturnType<typeof openLog>;
  /** Every event that is kept, in the order of its time. */
  events(): Promise<readonly RedactedEvent[]>;
  /** Makes a transcript, or adds to it. */
  transcript(name: string, rows: readonly JsonObject[]): string;
}

export function captured(payload: JsonObject, at: number): CapturedEvent {
  const event = captureEvent(payload, { lane: "hooks", writer: "test", now: at });
  if (event === undefined) throw new Error("that is no event");
  return event;
}

/** Fresh for every test of the calling file. */
export function keptHere(): Kept {
  let folder = "";
  let home: Home;
  let store: Store;
  let ingest: Ingest;
  let log: ReturnType<typeof openLog>;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "throughline-kept-"));
    home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: process.platform, homeFolder: folder });
    store = await openStore({ file: databaseFile(home) });
    const file = path.join(home.state, "worker.log");
    log = openLog({ file, level: "debug", maxBytes: 1_000_000, keep: 1, redact: (record) => record });
    const badFolder = path.join(home.state, "spool", "bad");
    const redact = (payload: JsonObject): JsonObject => redactValue(payload).value;
    ingest = makeIngest({ store, redact, isExcluded: () => false, badFolder, log });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    get home() {
      return home;
    },
    get folder() {
      return folder;
    },
    get store() {
      return store;
    },
    get ingest() {
      return ingest;
    },
    get log() {
      return log;
    },
    events: async () => (await store.events({ order: "oldest", limit: 500 })).items,
    transcript: (name, rows) => {
      const file = path.join(folder, "transcripts", `${name}.jsonl`);
      mkdirSync(path.dirname(file), { recursive: true });
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
      if (rows.length === 0) writeFileSync(file, "");
      else appendFileSync(file, text);
      return file;
    },
  };
}
