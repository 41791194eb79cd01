// A hook never waits for ever, and never brings back what a purge has deleted.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hookFile, hookHouse, payloads, quiet } from "../../test/hookProcess.ts";
import { receiptFile, spoolFolder } from "../home/index.ts";

const house = hookHouse();
const posix = describe.skipIf(process.platform === "win32");

/** Starts a hook whose stdin stays open, and gives its exit code. */
async function withOpenStdin(command: readonly string[], pieces: readonly string[]): Promise<number | null> {
  const [program = "", ...args] = command;
  const child: ChildProcess = spawn(program, args, {
    cwd: house.folder,
    env: house.environment(),
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  for (const piece of pieces) {
    child.stdin?.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const [code] = await ended;
  child.stdin?.destroy();
  return code;
}

const hook = [process.execPath, hookFile("capture")];
posix("a stdin that is never closed", () => {
  it("does not keep a hook from writing down a payload that is whole", async () => {
    expect(await withOpenStdin(hook, [JSON.stringify(payloads.tool())])).toBe(0);
    expect(house.events()).toHaveLength(1);
    expect(house.log()).toEqual([]);
  });

  it("is read to the end of the payload, in however many pieces it comes", async () => {
    const text = JSON.stringify(payloads.tool({ tool_response: { stdout: "}".repeat(100_000) } }));
    expect(
      await withOpenStdin(hook, [text.slice(0, 50_000), text.slice(50_000, 90_000), text.slice(90_000)]),
    ).toBe(0);
    expect(house.events()[0]?.payload.tool_response).toEqual({ stdout: "}".repeat(100_000) });
  });

  it("ends the hook after a while where nothing came, or only a part", async () => {
    const ended = await Promise.all([withOpenStdin(hook, []), withOpenStdin(hook, ['{"half": '])]);
    expect(ended).toEqual([0, 0]);
    expect(house.events()).toEqual([]);
    expect(house.log()).toEqual(Array(2).fill(expect.stringContaining("stdin was not closed")));
  });

  it("is no other where it is a pipe and not a socket", () => {
    const pipe = path.join(house.folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    // Open for writing as well, so that it never ends.
    const fd = openSync(pipe, "r+");
    writeSync(fd, JSON.stringify(payloads.tool()));
    const { status } = spawnSync(process.execPath, [hookFile("capture")], {
      env: house.environment(),
      stdio: [fd, "ignore", "inherit"],
    });
    closeSync(fd);
    expect(status).toBe(0);
    expect(house.events()).toHaveLength(1);
  });

  it("is let go of by a hook that is switched off, too", async () => {
    const off = ["env", "THROUGHLINE_DISABLE=1", ...hook];
    expect(await withOpenStdin(off, [JSON.stringify(payloads.tool())])).toBe(0);
    expect(house.events()).toEqual([]);
  });
});

describe("after everything was purged", () => {
  const purge = (): void => rmSync(path.join(house.folder, "home"), { recursive: true });
  const isGone = (): boolean => !existsSync(path.join(house.folder, "home"));

  it.each([
    ["a tool", "capture", payloads.tool()],
    ["a prompt", "answer", payloads.prompt()],
    ["a compaction", "precompact", payloads.preCompact()],
    ["an end", "capture", payloads.tool({ hook_event_name: "SessionEnd", reason: "other" })],
    ["/clear", "answer", payloads.start({ source: "clear" })],
    ["a resumed session", "answer", payloads.start({ source: "resume" })],
    ["a compacted window", "answer", payloads.start({ source: "compact" })],
    ["a payload that is broken", "capture", "{"],
  ] as const)("%s of a session that is still open makes no folder", (_, bundle, payload) => {
    purge();
    expect(house.run(bundle, payload)).toEqual(quiet);
    expect(isGone()).toBe(true);
  });

  it("a new session is captured: a plugin has no installer that makes the folder", () => {
    purge();
    expect(house.run("answer", payloads.start())).toEqual(quiet);
    expect(house.run("capture", payloads.tool())).toEqual(quiet);
    expect(house.events()).toHaveLength(2);
  });

  it("an installation that is still in force gets its folder back", () => {
    purge();
    mkdirSync(house.home.data, { recursive: true });
    writeFileSync(receiptFile(house.home), "{}");
    expect(house.run("capture", payloads.tool())).toEqual(quiet);
    expect(existsSync(spoolFolder(house.home))).toBe(true);
    expect(house.events()).toHaveLength(1);
  });
});
