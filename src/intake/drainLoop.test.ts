// The loop over the spool: it sees what is written, goes on after failures by itself, and loses nothing at its end.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { captured } from "../../test/worker/kept.ts";
import { toolPayload } from "../../test/worker/payloads.ts";
import { until } from "../../test/worker/workers.ts";
import { openLog } from "../log/log.ts";
import { spoolBacklog, writeEvent } from "../spool/index.ts";
import { type DrainLoop, startDrainLoop } from "./drainLoop.ts";

let folder: string;
let spool: string;
let loop: DrainLoop | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-drain-"));
  spool = path.join(folder, "spool");
});
afterEach(async () => {
  await loop?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const write = (at: number): string => writeEvent(spool, captured(toolPayload("s1", at), Date.now()));

/** Keeps ids in a list; fails as often as it is told to. */
function start(failures = 0, pollMs = 60_000): { ids: string[]; attempts: () => number } {
  const ids: string[] = [];
  let attempts = 0;
  const log = openLog({
    file: path.join(folder, "log"),
    level: "debug",
    maxBytes: 1e6,
    keep: 1,
    redact: (record) => record,
  });
  const keep = async (events: readonly { id: string }[]) => {
    attempts += 1;
    if (attempts <= failures) throw new Error("the disk is full");
    ids.push(...events.map(({ id }) => id));
    return { added: events.length, known: 0, bad: 0 };
  };
  loop = startDrainLoop({ folder: spool, ingest: { keep }, log, pollMs });
  return { ids, attempts: () => attempts };
}

describe("the loop", () => {
  it("takes what was there before and what comes", async () => {
    write(1);
    const { ids } = start();
    await until(() => (ids.length === 1 ? true : undefined), "the first");
    write(2);
    await until(() => (ids.length === 2 ? true : undefined), "the second");
    await until(() => (spoolBacklog(spool).waiting === 0 ? true : undefined), "an empty spool");
  });

  it("goes on by itself after a failure, with no new event", async () => {
    write(1);
    const { ids } = start(1);
    await until(() => loop?.problem(), "the problem to be known");
    expect([spoolBacklog(spool).waiting, loop?.problem()]).toEqual([1, "the disk is full"]);
    await until(() => (ids.length === 1 ? true : undefined), "the event");
    await until(() => (loop?.problem() === undefined ? true : undefined), "the problem to be gone");
  });

  it("rejects a drain that failed, and keeps the files", async () => {
    write(1);
    start(1_000);
    await expect(loop?.drain()).rejects.toThrow("the disk is full");
    await loop?.stop();
    expect(spoolBacklog(spool).waiting).toBe(1);
  });

  it("drains once more when it is stopped", async () => {
    const { ids } = start();
    await loop?.drain();
    for (let at = 0; at < 50; at++) write(at);
    await loop?.stop();
    expect(ids).toHaveLength(50);
  });

  it("passes over what is no event", async () => {
    write(1);
    writeFileSync(path.join(spool, "0-broken.json"), "{");
    const { ids } = start();
    await loop?.drain();
    expect([ids.length, spoolBacklog(spool)]).toEqual([1, { waiting: 0, bad: 1 }]);
  });
});
