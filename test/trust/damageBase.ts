// A home with a store of any size, a backup of its first part, and transcripts of its last sessions: what damage is done to.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { databaseFile, type Home, resolveHome, spoolFolder } from "../../src/home/index.ts";
import { type JsonObject, MINUTE, writeFileAtomic } from "../../src/lib/index.ts";
import { writeEvent } from "../../src/spool/index.ts";
import {
  type NewMessage,
  type NewObservation,
  type NewSummary,
  openStore,
  type RedactedEvent,
} from "../../src/store/index.ts";
import { releaseClosed } from "../../src/store/sqlite/driver.ts";
import { openVault } from "../../src/vault/index.ts";
import { seededRandom } from "../kill/seededRandom.ts";
import { captured } from "../worker/kept.ts";
import { callRow, promptRow, resultRow } from "../worker/rows.ts";
import { startPlainWorker, stopWorker } from "./damageWorker.ts";

export interface Base {
  readonly folder: string;
  /** What THROUGHLINE_HOME says. */
  readonly homeFolder: string;
  readonly home: Home;
  /** Sessions that have a transcript, and how many events each has there. */
  readonly live: { readonly sessions: number; readonly turns: number };
}

export function homeIn(homeFolder: string): Home {
  return resolveHome({ env: { THROUGHLINE_HOME: homeFolder }, platform: process.platform, homeFolder });
}

const START = Date.parse("2026-03-01T08:00:00.000Z");

/** Numbers from 0 to 1, the same for the same seed. */
export function fractions(seed: number): () => number {
  const below = seededRandom(seed);
  return () => below(2 ** 30) / 2 ** 30;
}

/** Words that repeat as words do, and bytes that do not. */
function textOf(random: () => number, bytes: number): string {
  const words: string[] = [];
  for (let length = 0; length < bytes; ) {
    const word = Math.floor(random() * 4_000).toString(36);
    words.push(word);
    length += word.length + 1;
  }
  return words.join(" ");
}

interface Bulk {
  /** The other rows are in proportion. */
  readonly events: number;
  readonly payloadBytes: number;
}

/** Sessions of a hundred events, with a prompt in ten, and observations, summaries and messages of each. */
async function fillBulk(file: string, { events, payloadBytes }: Bulk): Promise<void> {
  const random = fractions(11);
  const store = await openStore({ file, work: () => undefined });
  for (let at = 0; at < events; at += 100) {
    const session = `bulk-${at / 100}`;
    const project = `project-${(at / 100) % 3}-0000000${(at / 100) % 3}`;
    const time = (index: number): string => new Date(START + (at + index) * MINUTE).toISOString();
    const base = { session, project };
    const batch: RedactedEvent[] = Array.from({ length: Math.min(100, events - at) }, (_, index) => ({
      ...{
        v: 1,
        id: `ev_bulk_${at + index}`,
        lane: "hooks",
        writer: "test",
        at: time(index),
        cwd: "/",
        ...base,
      },
      ...(index % 10 === 0
        ? { kind: "prompt", payload: { prompt: textOf(random, 200) } }
        : { kind: "tool", payload: { tool_name: "Bash", tool_response: textOf(random, payloadBytes) } }),
    }));
    await store.recordEvents(batch);
    const observations: NewObservation[] = [0, 1, 2, 3, 4].map((index) => ({
      ...{
        ...base,
        uid: `ob_bulk_${at}_${index}`,
        promptNumber: index + 1,
        at: time(index * 20),
        type: "change",
      },
      ...{
        title: textOf(random, 40),
        narrative: textOf(random, 300),
        concepts: ["one", "two"],
        filesRead: ["src/a.ts"],
      },
    }));
    await store.addObservations(observations);
    const summaries: NewSummary[] = [
      {
        ...base,
        uid: `su_bulk_${at}`,
        promptNumber: 9,
        at: time(99),
        request: textOf(random, 80),
        learned: textOf(random, 200),
      },
    ];
    await store.addSummaries(summaries);
    const messages: NewMessage[] = [0, 1, 2, 3, 4, 5].map((index) => ({
      ...{
        ...base,
        uuid: `m-${at}-${index}`,
        role: index % 2 === 0 ? "user" : "assistant",
        at: time(index * 10),
      },
      text: textOf(random, index === 5 ? 9_000 : 250),
    }));
    await store.addMessages(messages);
  }
  await store.close();
  await releaseClosed();
}

function writeTranscripts(folder: string, live: Base["live"]): { session: string; file: string }[] {
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: live.sessions }, (_, number) => {
    const session = `live-${number}`;
    const rows: JsonObject[] = Array.from({ length: live.turns }, (_, turn) => [
      promptRow(session, turn * 10, `what about part ${turn} of ${session}`),
      callRow(session, turn * 10 + 1, `${session}-${turn}`),
      resultRow(session, turn * 10 + 2, `${session}-${turn}`),
    ]).flat();
    const file = path.join(folder, `${session}.jsonl`);
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return { session, file };
  });
}

/** Made once: bulk rows, a backup of them, then sessions that a worker reads off their transcripts. */
export async function makeBase(size: Bulk & Base["live"]): Promise<Base> {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-damage-"));
  const homeFolder = path.join(folder, "base");
  const home = homeIn(homeFolder);
  const file = databaseFile(home);
  await fillBulk(file, size);
  const store = await openStore({ file });
  await store.backup(
    path.join(home.data, "backups", "auto", "throughline-2026-11-01T00-00-00-000Z-daily.db"),
  );
  await store.close();
  await releaseClosed();
  openVault(path.join(home.data, "vault")).put(Buffer.from("bytes of the vault ".repeat(500)), {
    session: "bulk-0",
  });
  const ledger = path.join(home.data, "projects", "project-0-00000000", "bulk-0", "ledger.jsonl");
  writeFileAtomic(ledger, '{"v":1}\n');
  writeFileAtomic(path.join(home.config, "config.json"), "{}\n");
  const transcripts = writeTranscripts(path.join(folder, "transcripts"), size);
  mkdirSync(home.state, { recursive: true, mode: 0o700 });
  for (const { session, file: transcript } of transcripts) {
    const payload = {
      ...{ hook_event_name: "SessionStart", session_id: session, cwd: "/", source: "startup" },
      transcript_path: transcript,
    };
    writeEvent(spoolFolder(home), captured(payload, START));
  }
  await startPlainWorker(homeFolder);
  await stopWorker(homeFolder);
  return { folder, homeFolder, home, live: size };
}
