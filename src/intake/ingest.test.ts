// From captured to kept: projects, secrets, events that cannot be kept, and a store that cannot keep anything.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { captured, keptHere, second } from "../../test/worker/kept.ts";
import { toolPayload } from "../../test/worker/payloads.ts";
import { projectOf } from "../home/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import { redactValue } from "../redact/index.ts";
import { makeIngest } from "./ingest.ts";

const kept = keptHere();
const badFolder = (): string => path.join(kept.home.state, "spool", "bad");

const isExcluded = (): boolean => false;

describe("keeping", () => {
  it("gives every event its project and takes its secrets", async () => {
    const secret = `${"gh"}p_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const payload = toolPayload("s1", 1, { cwd: kept.folder, tool_response: { stdout: `TOKEN=${secret}` } });
    // As if it had come past the hook's own scan.
    const event = { ...captured(payload, second(1)), payload };
    expect(await kept.ingest.keep([event, event])).toEqual({ added: 1, known: 1, bad: 0 });
    const [stored] = await kept.events();
    expect(stored?.project).toBe(projectOf(kept.folder).id);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it("sets aside the one event that cannot be kept, and keeps the others", async () => {
    const ingest = makeIngest({
      store: kept.store,
      redact: (payload) => {
        if (payload.tool_use_id === "toolu_s1_2") throw new Error("cannot be read");
        return redactValue(payload).value;
      },
      isExcluded,
      badFolder: badFolder(),
      log: kept.log,
    });
    const events = [1, 2, 3].map((at) => captured(toolPayload("s1", at), second(at)));
    expect(await ingest.keep(events)).toEqual({ added: 2, known: 0, bad: 1 });
    const [name = ""] = readdirSync(badFolder());
    expect(JSON.parse(readFileSync(path.join(badFolder(), name), "utf8"))).toEqual({
      ...events[1],
      setAside: "cannot be read",
    });
  });

  it("says so and loses nothing when nothing at all can be kept", async () => {
    const store = { recordEvents: () => Promise.reject(new Error("disk full")) };
    const ingest = makeIngest({
      store,
      redact: (payload) => payload,
      isExcluded,
      badFolder: badFolder(),
      log: kept.log,
    });
    await expect(ingest.keep([captured(toolPayload("s1", 1), second(1))])).rejects.toThrow("disk full");
    expect(() => readdirSync(badFolder())).toThrow("ENOENT");
  });

  it("blames no event for a disk that is full after the first", async () => {
    let room = 1;
    const store = {
      recordEvents: async (events: readonly { id: string }[]) => {
        if (events.length > room) throw new ThroughlineError("io-failed", "the disk is full");
        room -= events.length;
        return { added: events.map(({ id }) => id), known: [] };
      },
    };
    const ingest = makeIngest({
      store,
      redact: (payload) => payload,
      isExcluded,
      badFolder: badFolder(),
      log: kept.log,
    });
    const events = [1, 2, 3].map((at) => captured(toolPayload("s1", at), second(at)));
    await expect(ingest.keep(events)).rejects.toThrow("the disk is full");
    expect(() => readdirSync(badFolder())).toThrow("ENOENT");
  });
});
