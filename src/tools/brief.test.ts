// What a model pays for a hit of the index.
import { expect, it } from "vitest";
import type { Hit } from "../search/index.ts";
import { estimateText } from "../tokens/index.ts";
import { briefly, hitText, indexData, indexRow } from "./texts.ts";

const hit = (more: Partial<Hit>): Hit => ({
  ...{ ref: "#123456", kind: "observation", type: "discovery", at: "2026-11-18T12:24:37.123Z", session: "s" },
  ...{ project: "harbour-0ef22dc7", tokens: 1_234, title: "" },
  files: Array.from({ length: 20 }, (_, at) => `src/harbour/berths/allocator${at}.ts`),
  ...more,
});

const titles = [
  "Fixed the timezone of arrivals in the berth allocator by reading the offset of the harbour, not of the server",
  "修复了泊位分配器里到港时间的时区错误，改为读取港口的时区偏移，而不是服务器的时区，并且补上了相应的回归测试用例",
  "parseHttpResponse drops the body of a chunked answer when src/net/http_client.ts:42 sees an empty first chunk",
];

it.each(titles)("is at most 50 tokens in a line and as data, and has no files: %s", (title) => {
  for (const one of [hit({ title }), hit({ title, kind: "message", speaker: "assistant", ref: "M123456" })]) {
    expect(estimateText(hitText(one), "new")).toBeGreaterThan(50);
    const brief = briefly(one);
    expect(estimateText(hitText(brief), "new")).toBeLessThanOrEqual(50);
    expect(title.startsWith(brief.title.slice(0, -1))).toBe(true);
    expect(estimateText(JSON.stringify(indexRow(brief)), "new")).toBeLessThanOrEqual(50);
    expect(brief).not.toHaveProperty("files");
  }
});

it("has everything that an index shows as data: ID, time, type, title and cost", () => {
  const { type: _type, ...memory } = hit({ kind: "memory", ref: "a.md", title: "Release freeze" });
  const aged = { ...memory, standing: "5 days old", stale: ["src/x.ts is gone"] };
  const { columns, items } = indexData([hit({ title: "Fixed the login" }), aged]);
  expect(columns).toEqual(["id", "at", "type", "title", "tokens", "standing"]);
  expect(items).toEqual([
    ["#123456", "2026-11-18 12:24", "discovery", "Fixed the login", 1_234],
    ["a.md", "2026-11-18 12:24", "memory", "Release freeze", 1_234, "5 days old; stale: src/x.ts is gone"],
  ]);
});

it("leaves a short title as it is", () => {
  expect(briefly(hit({ title: "Fixed the login" })).title).toBe("Fixed the login");
});
