// `npm start -- --json` prints the facts for a program, ends by itself, and leaves nothing behind.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { parseJson } from "../src/lib/index.ts";

it("prints the facts, ends by itself, and leaves nothing behind", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tl-sj-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [HOME, TMPDIR] = [path.join(folder, "home"), path.join(folder, "tmp")];
  for (const made of [HOME, TMPDIR]) mkdirSync(made);
  const script = path.resolve(import.meta.dirname, "..", "scripts", "start.mjs");
  // Rejects when the exit code is not 0.
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--json"], {
    env: { PATH: process.env.PATH, HOME, TMPDIR, THROUGHLINE_REPLAY_TTL: "1h" },
  });
  expect(parseJson(stdout)).toMatchObject({
    captured: { counts: { prompts: 6 } },
    recalled: { pattern: "NO BOAT" },
    told: { characters: expect.any(Number) },
  });
  expect([...readdirSync(HOME), ...readdirSync(TMPDIR)]).toEqual([]);
});
