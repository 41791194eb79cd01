// One kind of damage from end to end: a copy of the base, the accident, the worker, and what came back.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { databaseFile, type Home, spoolFolder, workerSocket, workerStateFile } from "../../src/home/index.ts";
import { ask, call } from "../../src/ipc/index.ts";
import { systemErrorCode } from "../../src/lib/index.ts";
import { openLog } from "../../src/log/log.ts";
import { type DamageSummary, damageSummaries } from "../../src/recovery/index.ts";
import { openOrRecover } from "../../src/recovery/openStore.ts";
import { listDamage, writeReport } from "../../src/recovery/report.ts";
import { writeEvent } from "../../src/spool/index.ts";
import {
  automaticBackups,
  checkFile,
  countUntil,
  markDamaged,
  type Store,
  salvage,
  salvageStart,
} from "../../src/store/index.ts";
import { readHeld } from "../../src/store/sqlite/backup/held.ts";
import { releaseClosed } from "../../src/store/sqlite/driver.ts";
import { until } from "../until.ts";
import { captured } from "../worker/kept.ts";
import { promptPayload } from "../worker/payloads.ts";
import { type Base, homeIn, makeBase } from "./damageBase.ts";
import { type DamageKind, damageIn, damageKinds, type Pages, pagesOf } from "./damageKinds.ts";
import { allKeys, type Keys, listRows, type RowList, readableKeys, tables } from "./damageReader.ts";
import {
  cli,
  comesUp,
  settled,
  startMessage,
  startPlainWorker,
  statusOf,
  stopWorker,
} from "./damageWorker.ts";

export interface Outcome {
  readonly kind: string;
  /** Until `status` was answered and an event stored. */
  readonly upSeconds: number;
  readonly seconds: number;
  readonly damaged: readonly DamageSummary[];
  /** Rows before the damage, rows that SQLite returned after it, and rows of these that are not in the store now. */
  readonly before: number;
  readonly readable: number;
  readonly lostReadable: readonly string[];
  readonly hasEvent: boolean;
  /** What the two session starts after it said. */
  readonly told: readonly (string | undefined)[];
  readonly isKept: boolean;
  readonly check: string;
}

const JOURNAL_EVENTS = 60;

/** Has a worker store events and kills it, so that they are in the journal only. */
async function killWithJournal(homeFolder: string): Promise<void> {
  const home = homeIn(homeFolder);
  await startPlainWorker(homeFolder);
  const heldPrompts = (): number => readHeld(databaseFile(home))?.counts.prompts ?? 0;
  const before = heldPrompts();
  for (let at = 0; at < JOURNAL_EVENTS; at++)
    writeEvent(
      spoolFolder(home),
      captured(promptPayload("in-journal", `prompt ${at}`, { prompt_id: `p${at}` }), Date.now()),
    );
  await call(workerSocket(home), "drain");
  // The counts beside the database are written a moment after the commit.
  const isCounted = (): boolean => heldPrompts() >= before + JOURNAL_EVENTS;
  await until(isCounted, "the counts of what is held");
  process.kill(workerPid(home), "SIGKILL");
  const isGone = async (): Promise<boolean> =>
    (await ask(workerSocket(home), "ping", { timeoutMs: 500 })) === "absent";
  await until(isGone, "the end of the worker");
}

const sizeOf = (keys: Keys): number => tables.reduce((sum, table) => sum + keys[table].size, 0);

/** Everything that the worker and its salvage process do about the file itself, here and at once. */
export async function recoverHere(
  kind: DamageKind,
  { base, pages, rows }: Stage,
): Promise<{
  readonly isSetAside: boolean;
  readonly lostReadable: readonly string[];
  readonly report: DamageSummary | undefined;
  readonly problems: readonly string[];
}> {
  const homeFolder = path.join(base.folder, "here");
  const home = homeIn(homeFolder);
  const database = databaseFile(home);
  copyHome(base.homeFolder, homeFolder);
  await damageIn(kind, home, pages);
  const whole = databaseFile(base.home);
  const readable = await readableKeys(database, whole, { rows, pages, before: await allKeys(whole) });
  const log = openLog({
    file: path.join(home.state, "worker.log"),
    level: "fatal",
    maxBytes: 1_000_000,
    keep: 1,
    redact: (record) => record,
  });
  const open = (): Promise<Store> => openOrRecover({ home, log, now: Date.now, options: {} });
  await open().then((store) => store.close());
  const check = await checkFile(database);
  if (!check.ok) {
    markDamaged(database, check.problems[0] ?? "");
    await open().then((store) => store.close());
  }
  const { folder, report } = listDamage(home)[0] ?? {};
  let lostReadable = lostOf(readable, await allKeys(database));
  if (folder !== undefined && report !== undefined) {
    const damaged = path.join(folder, path.basename(database));
    const request = { database, damaged, held: report.held, now: Date.now, onProgress: () => undefined };
    const read = await salvage({ ...request, from: salvageStart });
    // Before the backup comes, which has most of it as well.
    lostReadable = lostOf(readable, await allKeys(database));
    const backups = automaticBackups(database).map(({ file }) => file);
    const position = await salvage({ ...request, from: read, backups });
    const present = await countUntil(database, Date.parse(report.at));
    writeReport(folder, { ...report, state: "done", position, present });
  }
  const store = await open();
  const { problems } = await store.integrityCheck();
  await store.close();
  await releaseClosed();
  return {
    isSetAside: report !== undefined,
    lostReadable,
    report: damageSummaries(home)[0],
    problems,
  };
}

const KILLS = 3;

/** Kills the worker and its salvage process again and again while the rows come back, then lets a worker end the work. */
export async function killWhileSalvaging(
  kind: DamageKind,
  { base, pages, rows }: Stage,
): Promise<{
  readonly lostReadable: readonly string[];
  /** How often a salvage process was among those that were killed. */
  readonly kills: number;
  readonly damaged: readonly DamageSummary[];
}> {
  const homeFolder = mkdtempSync(path.join(base.folder, "killed-"));
  const home = homeIn(homeFolder);
  copyHome(base.homeFolder, homeFolder);
  await damageIn(kind, home, pages);
  const whole = databaseFile(base.home);
  const before = await allKeys(whole);
  const readable = await readableKeys(databaseFile(home), whole, { rows, pages, before });
  let kills = 0;
  for (let round = 0; round < KILLS; round++) {
    await cli(homeFolder, "worker", "start");
    await sleep(150 * round);
    const isUnderWay = ["salvaging", "rebuilding"].includes(damageSummaries(home)[0]?.state ?? "");
    if (killWithChildren(home) > 0 && isUnderWay) kills += 1;
  }
  await cli(homeFolder, "worker", "start");
  const damaged = await settled(homeFolder, 60_000);
  await stopWorker(homeFolder);
  return { lostReadable: lostOf(readable, await allKeys(databaseFile(home))), kills, damaged };
}

function workerPid(home: Home): number {
  return (JSON.parse(readFileSync(workerStateFile(home), "utf8")) as { pid: number }).pid;
}

/** Children first: without their worker they would end by themselves. Gives how many there were. */
function killWithChildren(home: Home): number {
  const worker = workerPid(home);
  const children = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === worker)
    .map(([pid = 0]) => pid);
  for (const pid of [...children, worker]) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // A child may have ended since it was listed.
      if (systemErrorCode(error) !== "ESRCH") throw error;
    }
  }
  return children.length;
}

function copyHome(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
}

const lostOf = (readable: Keys, after: Keys): string[] =>
  tables.flatMap((table) =>
    [...readable[table]].filter((key) => !after[table].has(key)).map((key) => `${table}: ${key}`),
  );

export interface Stage {
  readonly base: Base;
  readonly pages: Pages;
  readonly rows: RowList;
}

/** A base of its own for the calling test file, removed after its tests. */
export function stageOf(size: Parameters<typeof makeBase>[0]): () => Stage {
  let stage: Stage | undefined;
  const made = (): Stage => stage ?? expect.fail("the stage is made before the tests");
  beforeAll(async () => {
    const base = await makeBase(size);
    const database = databaseFile(base.home);
    stage = { base, pages: await pagesOf(database), rows: await listRows(database) };
  });
  afterAll(() => rmSync(made().base.folder, { recursive: true, force: true }));
  return made;
}

/** A store of about 3 MB, and two sessions with transcripts. */
export const SMALL_STORE = { events: 600, payloadBytes: 3_500, sessions: 2, turns: 10 };

export function kindOf(name: string): DamageKind {
  return damageKinds.find((one) => one.name === name) ?? expect.fail(`no damage ${name}`);
}

export async function runKind(
  kind: DamageKind,
  { base, pages, rows }: Stage,
  timeoutMs: number,
): Promise<Outcome> {
  const homeFolder = mkdtempSync(path.join(base.folder, "case-"));
  const home = homeIn(homeFolder);
  const database = databaseFile(home);
  const whole = databaseFile(base.home);
  copyHome(base.homeFolder, homeFolder);
  let isStopped = false;
  try {
    if (kind.before === "killed") await killWithJournal(homeFolder);
    const before = await allKeys(kind.before === "killed" ? database : whole);
    await damageIn(kind, home, pages);
    const readable = await readableKeys(database, whole, { rows, pages, before });
    const began = performance.now();
    const upSeconds = await comesUp(homeFolder, "after-damage", kind.repair && (() => kind.repair?.(home)));
    const damaged = await settled(homeFolder, timeoutMs);
    const seconds = (performance.now() - began) / 1_000;
    const told = [await startMessage(homeFolder, "next-one"), await startMessage(homeFolder, "next-two")];
    const status = await statusOf(homeFolder);
    await stopWorker(homeFolder);
    isStopped = true;
    const check = await cli(homeFolder, "data", "check").catch((error: { stdout: string }) => error.stdout);
    const after = await allKeys(database);
    const lostReadable = lostOf(readable, after);
    const isKept = damaged.every(({ folder }) => hasReport(folder));
    const hasEvent = after.sdk_sessions.has("after-damage") && after.user_prompts.size > 0;
    return {
      ...{ kind: kind.name, upSeconds, seconds, lostReadable, hasEvent, told, isKept, check },
      before: sizeOf(before),
      damaged: status.damaged,
      readable: sizeOf(readable),
    };
  } finally {
    if (!isStopped) await stopWorker(homeFolder).catch(() => undefined);
    rmSync(homeFolder, { recursive: true, force: true });
  }
}

function hasReport(folder: string): boolean {
  try {
    return readFileSync(path.join(folder, "report.json")).length > 0;
  } catch {
    return false;
  }
}
