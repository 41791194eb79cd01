// Holds redaction to its bar on the set made from public format descriptions, and the set to its own promise.
import { describe, expect, it } from "vitest";
import { formatCounts, generateFormats, type Part } from "../../bench/secrets/formats/generate.ts";
import { redactText } from "../../src/redact/index.ts";
import { quickRedact } from "../../src/redact/quick.ts";

const parts: readonly Part[] = ["tuned", "held-out"];

describe.each(parts)("the %s part of the formats", (part) => {
  const set = [1, 2, 3].flatMap((seed) => generateFormats(part, String(seed)));

  it("is hidden to 95 % and more, with 95 % and more of the marks in the right place", () => {
    let [hit, all, right, marks] = [0, 0, 0, 0];
    for (const { text, secrets } of set) {
      const { found } = redactText(text);
      all += secrets.length;
      hit += secrets.filter(({ start, end }) =>
        found.some((find) => find.start <= start && find.end >= end),
      ).length;
      marks += found.length;
      right += found.filter((find) =>
        secrets.some((each) => each.start < find.end && find.start < each.end),
      ).length;
    }
    expect(hit / all).toBeGreaterThanOrEqual(0.95);
    expect(right / marks).toBeGreaterThanOrEqual(0.95);
  });

  it("is the same when redacted again, and loses no less after a hook", () => {
    let left = 0;
    for (const { text, secrets } of set) {
      const once = redactText(text).text;
      expect(redactText(once).text).toBe(once);
      const afterHook = redactText(quickRedact(text)).text;
      expect(redactText(afterHook).text).toBe(afterHook);
      left += secrets.filter(({ start, end }) => afterHook.includes(text.slice(start, end))).length;
    }
    expect(left).toBeLessThanOrEqual(set.flatMap(({ secrets }) => secrets).length * 0.05);
  });
});

describe("the set made from formats", () => {
  it("has at least 400 values of 80 services and 80 notations, and a third of it set aside", () => {
    const [tuned, heldOut] = parts.map(
      (part) => generateFormats(part).flatMap(({ secrets }) => secrets).length,
    );
    const all = (tuned ?? 0) + (heldOut ?? 0);
    expect(all).toBeGreaterThanOrEqual(400);
    expect(formatCounts.services).toBeGreaterThanOrEqual(80);
    expect(formatCounts.notations).toBeGreaterThanOrEqual(80);
    expect((heldOut ?? 0) / all).toBeGreaterThan(0.28);
  });
});
