// Holds locks to what they promise: one holder, and none that is dead.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeLock, withLock } from "./lock.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-lock-"));
  file = path.join(folder, "lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const deadProcess = (): number => spawnSync(process.execPath, ["-e", ""]).pid;

describe("a lock", () => {
  it("has one holder at a time, and leaves nothing behind", () => {
    const release = takeLock(file);
    expect(takeLock(file)).toBeUndefined();
    release?.();
    takeLock(file)?.();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("of a dead process is taken over", () => {
    writeFileSync(file, String(deadProcess()));
    takeLock(file)?.();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.runIf(process.platform === "linux")("of a dead process that was not reaped is taken over", async () => {
    // The shell becomes a program that never asks what became of its child, before the child ends.
    const parent = spawn("sh", ["-c", "sleep 0.5 & echo $!; exec sleep 60"]);
    const [line] = await once(createInterface(parent.stdout), "line");
    try {
      const state = (): string => readFileSync(`/proc/${Number(line)}/stat`, "utf8").split(" ")[2] ?? "";
      while (state() !== "Z") await sleep(5);
      writeFileSync(file, String(Number(line)));
      expect(takeLock(file)).toBeTypeOf("function");
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("counts no longer than its holders say, whichever process has its id now", () => {
    writeFileSync(file, String(process.pid));
    const past = Date.now() / 1_000 - 60;
    utimesSync(file, past, past);
    expect(takeLock(file, 120_000)).toBeUndefined();
    expect(takeLock(file, 10_000)).toBeTypeOf("function");
  });

  it("without an owner counts for a moment only", () => {
    writeFileSync(file, "");
    expect(takeLock(file)).toBeUndefined();
    const past = Date.now() / 1_000 - 60;
    utimesSync(file, past, past);
    expect(takeLock(file)).toBeTypeOf("function");
  });

  it("that was taken over is not let go of by who has lost it, and that one can know", async () => {
    const past = Date.now() / 1_000 - 60;
    await withLock(
      file,
      (isHeld) => {
        expect(isHeld()).toBe(true);
        utimesSync(file, past, past);
        const other = takeLock(file, 10_000);
        expect(other).toBeTypeOf("function");
        expect(isHeld()).toBe(false);
      },
      { staleMs: 10_000 },
    );
    expect(existsSync(file)).toBe(true);
    expect(takeLock(file)).toBeUndefined();
  });

  it("is waited for", async () => {
    const order: string[] = [];
    await Promise.all(
      ["a", "b", "c"].map((name) =>
        withLock(file, async () => {
          order.push(`${name} in`);
          await Promise.resolve();
          order.push(`${name} out`);
        }),
      ),
    );
    for (let at = 0; at < order.length; at += 2) expect(order[at + 1]).toBe(order[at]?.replace("in", "out"));
    expect(existsSync(file)).toBe(false);
  });

  it("that is never let go is complained about", async () => {
    takeLock(file);
    await expect(withLock(file, () => undefined, { timeoutMs: 5 })).rejects.toMatchObject({ code: "busy" });
  });
});
