// The mod tells nothing to a socket that is not this user's alone.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openHost } from "../mods/host.ts";

let folder = "";
let requests = 0;
const server = createServer((_, response) => {
  requests += 1;
  response.end("{}");
});

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "tl-m-"));
  requests = 0;
  mkdirSync(path.join(folder, "state"), { mode: 0o700 });
  mkdirSync(path.join(folder, "place"), { mode: 0o700 });
  const socket = path.join(folder, "place", "worker.sock");
  writeFileSync(path.join(folder, "state", "worker.json"), JSON.stringify({ port: 1, socket }));
  writeFileSync(path.join(folder, "state", "token"), "t".repeat(40));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

async function report(): Promise<number> {
  const env = { PATH: process.env.PATH, THROUGHLINE_HOME: folder };
  const host = await openHost({ env, folder, session: "s1", commandHook: async () => undefined });
  await host.classic("UserPromptSubmit", { prompt: "plum-coloured plans" });
  return requests;
}

describe("the mod", () => {
  it("reports to a socket of this user in a folder that is closed to others", async () => {
    expect(await report()).toBeGreaterThan(0);
  });

  it.each([0o755, 0o770, 0o707])("does not while others can enter its folder: %o", async (mode) => {
    chmodSync(path.join(folder, "place"), mode);
    expect(await report()).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)("does not where folder or socket are another user's", async () => {
    chownSync(path.join(folder, "place", "worker.sock"), 65_534, 65_534);
    expect(await report()).toBe(0);
    chownSync(path.join(folder, "place", "worker.sock"), 0, 0);
    chownSync(path.join(folder, "place"), 65_534, 65_534);
    expect(await report()).toBe(0);
  });
});
