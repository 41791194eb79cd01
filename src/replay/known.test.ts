// What is kept of finished sessions: found again for the same content, settings and program, and for no other.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Recording } from "../../test/fixtures/replay/session.ts";
import type { ReplayJob } from "./job.ts";
import { contentDigest, KnownResults } from "./known.ts";
import { policies } from "./policies.ts";
import { replayWithCourse } from "./run.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-known-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const session = new Recording().user("go").answer("done").session({ name: "secret-name" });
const replayed = policies.slice(0, 2).map((policy) => replayWithCourse(session, policy, { ttl: "5m" }));
const job: ReplayJob = {
  file: "/somewhere/secret-name.jsonl",
  name: "secret-name",
  policies: ["append-only", "keep-5"],
  settings: { ttl: "5m", overrides: { a: { window: 1, maxOutput: 2 } } },
};

describe("a finished session", () => {
  const known = new KnownResults(path.join(folder, "a"), "program");
  known.keep(job, "content", replayed);

  it("is found with all its numbers, under the name that is asked for", () => {
    const found = known.find({ ...job, name: "renamed" }, "content");
    expect([...found.keys()]).toEqual(["append-only", "keep-5"]);
    expect(found.get("keep-5")).toEqual({
      course: replayed[1]?.course,
      result: { ...replayed[1]?.result, session: "renamed" },
    });
  });

  it("is the same however the settings were put together", () => {
    const settings: ReplayJob["settings"] = { overrides: { a: { maxOutput: 2, window: 1 } }, ttl: "5m" };
    expect(known.find({ ...job, settings }, "content").size).toBe(2);
  });

  it.each<[string, Partial<ReplayJob>, string, string]>([
    ["content", {}, "other", "program"],
    ["settings", { settings: { ...job.settings, ttl: "1h" } }, "content", "program"],
    ["program", {}, "content", "newer"],
  ])("is not found for another %s", (_what, change, content, program) => {
    expect(new KnownResults(path.join(folder, "a"), program).find({ ...job, ...change }, content).size).toBe(
      0,
    );
  });

  it("leaves numbers alone on disk, no name and no path", () => {
    const [file = ""] = readdirSync(path.join(folder, "a"));
    expect(readFileSync(path.join(folder, "a", file), "utf8")).not.toMatch(/secret|somewhere/);
  });

  it.each(["", "{}", "[1]", '[{"result":{}}]', "\u0000"])(
    "is as good as none when its file holds %j",
    (text) => {
      const broken = new KnownResults(path.join(folder, "b"), "program");
      broken.keep(job, "content", replayed);
      for (const name of readdirSync(path.join(folder, "b")))
        writeFileSync(path.join(folder, "b", name), text);
      expect(broken.find(job, "content").size).toBe(0);
    },
  );
});

it("lets those go that were kept first when there are too many", () => {
  const known = new KnownResults(path.join(folder, "c"), "program", 2);
  for (const content of ["first", "second", "third"]) {
    known.keep(job, content, replayed);
    // Files of the same instant have no order.
    for (const name of readdirSync(path.join(folder, "c"))) {
      const file = path.join(folder, "c", name);
      const at = new Date(statSync(file).mtimeMs - 10_000);
      utimesSync(file, at, at);
    }
  }
  expect(["first", "second", "third"].map((content) => known.find(job, content).size)).toEqual([0, 2, 2]);
});

it("has no digest for what cannot be read", async () => {
  expect(await contentDigest(path.join(folder, "none"))).toBeUndefined();
});
