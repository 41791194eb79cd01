// Transcripts of model sessions are deleted by the exact name of their folder; those of the user are not.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeSessionTranscripts, sessionsFolder } from "./sessionTranscripts.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "throughline-words-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function transcripts(name: string): string {
  const folder = path.join(root, "claude", "projects", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "s.jsonl"), "{}\n");
  return folder;
}

const named = (folder: string): string => folder.replace(/[^a-zA-Z0-9]/g, "-");

describe("deleting the transcripts of model sessions", () => {
  it("deletes those of this installation and no others", () => {
    const spending = path.join(root, "state", "models");
    const ours = transcripts(named(sessionsFolder(spending)));
    const others = ["-home-me-app", "-home-me-src-throughline-wording", `${named(root)}-throughline-wording`];
    const theirs = others.map(transcripts);
    removeSessionTranscripts(spending, { CLAUDE_CONFIG_DIR: path.join(root, "claude"), HOME: root });
    expect(existsSync(ours)).toBe(false);
    expect(theirs.map((folder) => existsSync(folder))).toEqual([true, true, true]);
  });

  it("knows the name that a long path is shortened to", () => {
    const spending = path.join(root, "a".repeat(220), "models");
    const name = named(sessionsFolder(spending)).slice(0, 200);
    const [ours, theirs] = [transcripts(`${name}-k3x9`), transcripts(name.slice(0, 180))];
    removeSessionTranscripts(spending, { CLAUDE_CONFIG_DIR: path.join(root, "claude"), HOME: root });
    expect([existsSync(ours), existsSync(theirs)]).toEqual([false, true]);
  });
});
