// Outputs that Claude Code put into a file: read from where it puts them, and from nowhere else.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CapturedEvent, captureEvent } from "../spool/index.ts";
import { withWholeOutput } from "./outputs.ts";

let folder: string;
let results: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-outputs-"));
  results = path.join(folder, "s1", "tool-results");
  mkdirSync(results, { recursive: true });
  writeFileSync(path.join(folder, "s1.jsonl"), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function eventWith(file: string): CapturedEvent {
  const payload = {
    hook_event_name: "PostToolUse",
    session_id: "s1",
    transcript_path: path.join(folder, "s1.jsonl"),
    tool_name: "Bash",
    tool_use_id: "t1",
    tool_input: {},
    tool_response: { stdout: "the beginning", persistedOutputPath: file },
  };
  const event = captureEvent(payload, { lane: "hooks", writer: "test", now: 0 });
  if (event === undefined) throw new Error("that is no event");
  return event;
}

const stdoutOf = ({ payload }: CapturedEvent): unknown =>
  (payload.tool_response as { stdout: unknown }).stdout;

describe("withWholeOutput", () => {
  it("brings the whole text", () => {
    const file = path.join(results, "out.txt");
    writeFileSync(file, "the beginning and the end");
    expect(stdoutOf(withWholeOutput(eventWith(file)))).toBe("the beginning and the end");
  });

  it("brings the beginning of what is very large, and says so", () => {
    const file = path.join(results, "out.txt");
    writeFileSync(file, "x".repeat(3 * 1024 * 1024));
    const { payload } = withWholeOutput(eventWith(file));
    expect(payload.tool_response).toMatchObject({ persistedOutputKept: "beginning" });
    expect(String(stdoutOf(withWholeOutput(eventWith(file)))).length).toBe(1024 * 1024);
  });

  it("leaves alone what is gone, what is a folder, and what lies elsewhere", () => {
    const secret = path.join(folder, "secret.txt");
    writeFileSync(secret, "private");
    const outside = mkdtempSync(path.join(tmpdir(), "throughline-elsewhere-"));
    mkdirSync(path.join(outside, "tool-results"));
    writeFileSync(path.join(outside, "tool-results", "x.txt"), "private");
    symlinkSync(secret, path.join(results, "link.txt"));
    mkdirSync(path.join(results, "folder"));
    const wanted = [
      path.join(results, "gone.txt"),
      path.join(results, "folder"),
      path.join(results, "link.txt"),
      path.join(results, "..", "..", "secret.txt"),
      secret,
      path.join(outside, "tool-results", "x.txt"),
      "/etc/hostname",
      "relative.txt",
    ];
    for (const file of wanted) {
      expect([file, stdoutOf(withWholeOutput(eventWith(file)))]).toEqual([file, "the beginning"]);
    }
    rmSync(outside, { recursive: true });
  });
});
