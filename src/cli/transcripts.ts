// The transcripts of Claude Code on this machine.

import { homedir } from "node:os";
import path from "node:path";
import { claudePlaces } from "../install/index.ts";
import { namesIn, statIfThere } from "../lib/index.ts";
import { claudeProjectFolder } from "../memdir/index.ts";
import { commandContext } from "./context.ts";

/** The folder of Claude Code's own files. */
export function claudeFolder() {
  const { env, cwd } = commandContext();
  return claudePlaces(env, homedir(), cwd).configFolder;
}

/** Where Claude Code keeps the transcripts of sessions that started in a folder. */
export const transcriptFolder = (project: string) => claudeProjectFolder(claudeFolder(), project);

/** The transcripts in these folders, newest first. */
export function transcriptsIn(folders: readonly string[]) {
  const changedAt = (file: string) => statIfThere(file)?.mtimeMs ?? 0;
  return folders
    .flatMap((folder) => namesIn(folder).map((name) => path.join(folder, name)))
    .filter((file) => file.endsWith(".jsonl"))
    .sort((a, b) => changedAt(b) - changedAt(a));
}
