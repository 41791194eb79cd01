// The callback for the Agent SDK keeps to what is excluded and paused, like everything else that archives.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { smallSession, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { archiveOnCompact } from "./index.ts";

const folder = temporaryFolder();
let home = "";
beforeEach(() => {
  home = path.join(folder.path, "home");
  vi.stubEnv("THROUGHLINE_HOME", home);
});
afterEach(() => vi.unstubAllEnvs());

function settings(text: string): void {
  mkdirSync(path.join(home, "config"), { recursive: true });
  writeFileSync(path.join(home, "config", "config.jsonc"), text);
}

/** What is archived for a session that says it works in a folder. */
async function archived(cwd: string): Promise<string> {
  const onError = vi.fn();
  const dir = path.join(folder.path, "archive");
  const transcript = folder.write(smallSession().rows);
  const input = { transcript_path: transcript, session_id: "s", cwd };
  expect(await archiveOnCompact({ dir, group: "g", onError })(input)).toEqual({});
  const place = path.join(dir, "groups", "g", "conversations");
  const names = existsSync(place) ? readdirSync(place).filter((name) => name.endsWith(".md")) : [];
  return [
    ...names.map((name) => readFileSync(path.join(place, name), "utf8")),
    ...onError.mock.calls.map(String),
  ].join();
}

describe("archiveOnCompact", () => {
  it("archives nothing of an excluded folder, and nothing while it is not known what is excluded", async () => {
    settings(JSON.stringify({ capture: { exclude: [folder.path] } }));
    expect(await archived(path.join(folder.path, "src"))).toBe("");
    settings("{ half");
    expect(await archived("/elsewhere")).toContain("it is not known what");
    settings("{}");
    expect(await archived(path.join(folder.path, "src"))).toContain("Done.");
  });
});
