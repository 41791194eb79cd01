// Loss marks: counted one by one, named by session, taken away only when nothing was added meanwhile.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clearLosses, markLoss, readLosses, reserveLosses } from "./losses.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tl-losses-"));
  file = path.join(folder, "lost");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("loss marks", () => {
  it("count every event and name each session once", () => {
    reserveLosses(file);
    expect(readLosses(file)).toMatchObject({ count: 0, sessions: [] });
    for (const session_id of ["s1", "s2", "s1", "s1"]) expect(markLoss(file, { session_id }, 1)).toBe(true);
    expect(readLosses(file)).toMatchObject({
      count: 4,
      sessions: [{ session: "s1" }, { session: "s2" }],
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("keep since when a resumed session is the agent's own", () => {
    markLoss(file, { session_id: "s1", source: "resume" }, 1_234_567_890);
    markLoss(file, { session_id: "s1" }, 1_234_567_999);
    expect(readLosses(file)).toMatchObject({
      count: 2,
      sessions: [{ session: "s1", since: 1_234_567_890 }],
    });
  });

  it("never write what a payload says beyond a plain session id", () => {
    markLoss(file, { session_id: "../../etc/passwd\n+x", source: "startup", prompt: "secret" }, 1);
    markLoss(file, "no object", 1);
    expect(readFileSync(file, "utf8")).toBe("..");
    expect(readLosses(file)).toMatchObject({ count: 2, sessions: [] });
  });

  it("count a mark that was cut off, and the next one", () => {
    writeFileSync(file, "\n+0d52b3bd-00");
    appendFileSync(file, ".");
    markLoss(file, { session_id: "s2" }, 1);
    expect(readLosses(file)).toMatchObject({ count: 3, sessions: [{ session: "s2" }] });
  });

  it("are taken away as they were read, and stay when there is another by then", () => {
    markLoss(file, { session_id: "s1" }, 1);
    const before = readLosses(file);
    markLoss(file, { session_id: "s2" }, 1);
    expect(clearLosses(file, before)).toBe(false);
    expect(readLosses(file).count).toBe(2);
    expect(clearLosses(file, readLosses(file))).toBe(true);
    expect(readLosses(file)).toMatchObject({ count: 0 });
    expect(statSync(file).size).toBe(1);
  });

  it("are refused without a word where nothing can be written", () => {
    expect(markLoss(path.join(folder, "none", "lost"), { session_id: "s1" }, 1)).toBe(false);
    expect(readLosses(path.join(folder, "none", "lost")).count).toBe(0);
  });
});
