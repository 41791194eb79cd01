// Work that takes longer than anybody waits for it.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { withLongPolling } from "./compaction.ts";
import type { Asker } from "./protocol.ts";

const asker = { session: "s1", project: "/app" } as Asker;

/** Work that is done when it is told to be. */
function slowWork() {
  let finish: (value: object | undefined) => void = () => undefined;
  let begun = 0;
  const op = withLongPolling(() => {
    begun += 1;
    return new Promise<object | undefined>((resolve) => {
      finish = resolve;
    });
  }, 20);
  return { op, finish: (value: object | undefined) => finish(value), begun: () => begun };
}

describe("slow work", () => {
  it("is said to be under way, and handed out to who asks again, once it is done", async () => {
    const { op, finish, begun } = slowWork();
    expect(await op(asker, {})).toEqual({ isUnderway: true });
    expect(await op(asker, { again: true })).toEqual({ isUnderway: true });
    finish({ messages: ["the summary"] });
    await sleep(0);
    expect(await op(asker, { again: true })).toEqual({ messages: ["the summary"] });
    expect(begun()).toBe(1);
    expect(await op(asker, { again: true })).toBeUndefined();
  });

  it("is begun for who asks for it, and by no other's asking again", async () => {
    const { op, begun } = slowWork();
    expect(await op(asker, { again: true })).toBeUndefined();
    expect(await op(asker, {})).toEqual({ isUnderway: true });
    expect(await op({ ...asker, session: "s2" }, { again: true })).toBeUndefined();
    expect(begun()).toBe(1);
  });

  it("that fails fails for who waits for it, and can be begun anew", async () => {
    let attempts = 0;
    const op = withLongPolling(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("no words");
      return { messages: [] };
    });
    await expect(op(asker, {})).rejects.toThrow("no words");
    expect(await op(asker, {})).toEqual({ messages: [] });
  });
});
