// Transcripts of model sessions are deleted with what they tell of; those of the user are not.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { removeWordingTranscripts } from "./wordingModel.ts";

it("deletes the transcripts of model sessions and no others", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-words-"));
  const [ours, theirs] = ["-state-models-throughline-wording", "-home-me-app"].map((name) =>
    path.join(folder, "projects", name),
  );
  for (const place of [ours ?? "", theirs ?? ""]) {
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, "s.jsonl"), "{}\n");
  }
  removeWordingTranscripts({ CLAUDE_CONFIG_DIR: folder });
  expect([existsSync(ours ?? ""), existsSync(theirs ?? "")]).toEqual([false, true]);
  rmSync(folder, { recursive: true, force: true });
});
