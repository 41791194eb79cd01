// The spool keeps every event until it is safe elsewhere, and nothing in it can hold up the rest.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chosenSeed } from "../../test/seed.ts";
import { drainSpool, spoolBacklog } from "./drain.ts";
import { type CapturedEvent, eventId } from "./event.ts";
import { writeEvent } from "./write.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-spool-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const event = (key: string, text = ""): CapturedEvent => ({
  v: 1,
  id: eventId({ session: "s", kind: "tool", key }),
  kind: "tool",
  at: "2026-03-01T10:00:00.000Z",
  session: "s",
  lane: "hooks",
  writer: "0",
  payload: { tool_use_id: key, text },
});
const keyOf = ({ payload }: CapturedEvent): unknown => payload.tool_use_id;

/** Writes an event under a name of the test's choice, so that its place in the order is known. */
function place(name: string, key: string): void {
  const written = writeEvent(folder, event(key));
  renameSync(path.join(folder, written), path.join(folder, `${name}.json`));
}

/** Drains into a list. */
async function drained(batch = 10): Promise<unknown[]> {
  const keys: unknown[] = [];
  await drainSpool(folder, { batch, handle: async (events) => keys.push(...events.map(keyOf)) });
  return keys;
}

describe("writeEvent", () => {
  it("names files so that they sort by time, and leaves nothing else behind", async () => {
    const names: string[] = [];
    for (const key of ["a", "b", "c"]) {
      names.push(writeEvent(path.join(folder, "spool"), event(key)));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(readdirSync(path.join(folder, "spool")).sort()).toEqual(names);
  });

  it("leaves nothing behind when it fails", () => {
    writeFileSync(path.join(folder, "file"), "");
    expect(() => writeEvent(path.join(folder, "file"), event("a"))).toThrow("ENOTDIR");
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(() => writeEvent(folder, { ...event("a"), payload: circular })).toThrow("circular");
    expect(readdirSync(folder)).toEqual(["file"]);
  });
});

describe("drainSpool", () => {
  it("hands over everything, oldest first, in batches, and empties the folder", async () => {
    for (const name of ["3", "1", "2", "5", "4"]) place(name, name);
    const batches: unknown[][] = [];
    const report = await drainSpool(folder, {
      batch: 2,
      handle: async (events) => batches.push(events.map(keyOf)),
    });
    expect(batches).toEqual([["1", "2"], ["3", "4"], ["5"]]);
    expect(report).toEqual({ handled: 5, bad: 0, recovered: 0 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is content where there is no spool yet", async () => {
    const report = await drainSpool(path.join(folder, "none"), { batch: 1, handle: async () => undefined });
    expect(report).toEqual({ handled: 0, bad: 0, recovered: 0 });
  });

  it("deletes a file only after its event is safe", async () => {
    for (const name of ["1", "2", "3"]) place(name, name);
    await drainSpool(folder, {
      batch: 2,
      handle: async (events) => {
        await new Promise((resolve) => setImmediate(resolve));
        for (const one of events) expect(existsSync(path.join(folder, `${keyOf(one)}.json`))).toBe(true);
      },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("keeps what could not be made safe, and hands it over again with the same id", async () => {
    for (const name of ["1", "2", "3"]) place(name, name);
    const seen: string[] = [];
    const failing = drainSpool(folder, {
      batch: 1,
      handle: async ([one]) => {
        seen.push(one?.id ?? "");
        if (seen.length === 2) throw new Error("no room");
      },
    });
    await expect(failing).rejects.toThrow("no room");
    expect(readdirSync(folder).sort()).toEqual(["2.json", "3.json"]);
    await drainSpool(folder, { batch: 1, handle: async ([one]) => seen.push(one?.id ?? "") });
    expect(seen).toEqual(["1", "2", "2", "3"].map((key) => event(key).id));
  });

  it("takes what arrives while it works", async () => {
    place("1", "1");
    const keys: unknown[] = [];
    await drainSpool(folder, {
      batch: 1,
      handle: async (events) => {
        if (keys.length < 3) place(String(keys.length + 2), String(keys.length + 2));
        keys.push(...events.map(keyOf));
      },
    });
    expect(keys).toEqual(["1", "2", "3", "4"]);
  });

  it.each([
    ["half an event", JSON.stringify(event("x")).slice(0, 60)],
    ["nothing", ""],
    ["no event", '{"hello":"world"}'],
    ["an event of another time", JSON.stringify({ ...event("x"), v: 2 })],
    ["an event of no known kind", JSON.stringify({ ...event("x"), kind: "dream" })],
    ["an event without a payload", JSON.stringify({ ...event("x"), payload: [] })],
    ["bytes", "\u0000\ufffd"],
  ])("sets aside a file with %s, keeps it, and goes on", async (_, content) => {
    place("1", "1");
    writeFileSync(path.join(folder, "2.json"), content);
    place("3", "3");
    expect(await drained()).toEqual(["1", "3"]);
    expect(readFileSync(path.join(folder, "bad", "2.json"), "utf8")).toBe(content);
    expect(spoolBacklog(folder)).toEqual({ waiting: 0, bad: 1 });
    expect(await drained()).toEqual([]);
  });

  it("goes on past a folder, past a link to nowhere, and past what cannot even be set aside", async () => {
    mkdirSync(path.join(folder, "1.json"));
    symlinkSync(path.join(folder, "nowhere"), path.join(folder, "2.json"));
    place("3", "3");
    expect(await drained()).toEqual(["3"]);
    rmSync(path.join(folder, "bad"), { recursive: true });
    writeFileSync(path.join(folder, "bad"), "in the way");
    writeFileSync(path.join(folder, "4.json"), "{");
    place("5", "5");
    expect(await drained()).toEqual(["5"]);
    expect(existsSync(path.join(folder, "4.json"))).toBe(true);
  });

  it("brings back a whole event that lost its writer, and clears away a part of one", async () => {
    const old = new Date(Date.now() - 3_600_000);
    const leave = (name: string, content: string, time?: Date): void => {
      writeFileSync(path.join(folder, name), content);
      if (time) utimesSync(path.join(folder, name), time, time);
    };
    leave(".1.json.tmp", JSON.stringify(event("1")), old);
    leave(".2.json.tmp", JSON.stringify(event("2")).slice(0, 50), old);
    leave(".3.json.tmp", JSON.stringify(event("3")).slice(0, 50));
    const keys: unknown[] = [];
    const report = await drainSpool(folder, {
      batch: 9,
      handle: async (events) => keys.push(...events.map(keyOf)),
    });
    expect(keys).toEqual(["1"]);
    expect(report).toEqual({ handled: 1, bad: 0, recovered: 1 });
    expect(readdirSync(folder)).toEqual([".3.json.tmp"]);
  });

  it("hands over every event at least once and in order, whatever fails and however it is cut", async () => {
    const plan = fc.record({
      count: fc.integer({ min: 0, max: 25 }),
      batch: fc.integer({ min: 1, max: 8 }),
      failures: fc.array(fc.constantFrom("before", "after", "no"), { maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ count, batch, failures }) => {
        const keys = Array.from({ length: count }, (_, at) => String(at).padStart(3, "0"));
        for (const key of keys) place(key, key);
        const safe: string[] = [];
        const left = [...failures];
        const handle = async (events: readonly CapturedEvent[]): Promise<void> => {
          const failure = left.shift();
          if (failure === "before") throw new Error("not committed");
          for (const one of events) if (!safe.includes(one.id)) safe.push(one.id);
          if (failure === "after") throw new Error("died before the files were gone");
        };
        for (let tries = 0; tries <= failures.length; tries++) {
          await drainSpool(folder, { batch, handle }).catch(() => undefined);
        }
        expect(safe).toEqual(keys.map((key) => event(key).id));
        expect(readdirSync(folder)).toEqual([]);
      }),
      { numRuns: 60, seed: chosenSeed() },
    );
  });
});
