// Reading ahead: from half of the room on, never what stays, a part with each request, and stored for the compaction to come.
import { describe, expect, it } from "vitest";
import { KEEP_ALL } from "../../../test/fixtures/pipeline/client.ts";
import { asked, fillingSession, rounds } from "../../../test/fixtures/pipeline/filling.ts";
import type { Message } from "../../messages/index.ts";
import { prepare, seedSettings } from "../index.ts";

const whole: readonly Message[] = [asked, ...rounds(400)];

describe("reading ahead", () => {
  it("begins at half of the room, and never reaches what a compaction keeps", () => {
    const { receipt } = prepare({
      session: fillingSession(900_000, seedSettings),
      messages: whole,
      model: KEEP_ALL,
      now: 1,
    });
    const room = receipt.tokens.before * 1.05;
    const session = fillingSession(room, seedSettings);
    const read: number[] = [];
    let compacted = 0;
    for (let end = 1; end <= whole.length; end += 2) {
      const prepared = prepare({ session, messages: whole.slice(0, end), model: KEEP_ALL, now: end });
      if (prepared.receipt.compaction) compacted++;
      read.push(session.runtime.reading.upTo.length);
    }
    const half = read.findIndex((count) => count > 0);
    expect(compacted).toBe(0);
    expect(half / read.length).toBeGreaterThan(0.45);
    expect(read.every((count, at) => at === 0 || count - (read[at - 1] ?? 0) <= 128)).toBe(true);
    expect(read.at(-1)).toBeGreaterThan(whole.length * 0.5);
    expect(read.at(-1)).toBeLessThan(whole.length);
    expect(session.vault.list({ session: session.id }).length).toBeGreaterThan(0);
  });
});
