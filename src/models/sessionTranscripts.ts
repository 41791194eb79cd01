// The transcripts that Claude Code keeps of model sessions: where they are, and how they are deleted.
import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { claudeFolders, type Environment } from "../home/index.ts";

/** The working folder of model sessions, below the folder of the spending; the importer passes over the transcripts of it. */
export const sessionsFolder = (spending: string) => path.join(spending, "throughline-wording");

/** Claude Code names the folder of a project's transcripts by its path, and shortens a name that is longer than this. */
const LONGEST_FOLDER_NAME = 200;

/** The folders in which Claude Code keeps the transcripts of model sessions: excerpts of what was worded. */
export function sessionTranscripts(spending: string, env: Environment) {
  const folder = sessionsFolder(spending);
  const places = [folder, ...(existsSync(folder) ? [realpathSync(folder)] : [])];
  const names = [...new Set(places.map((folder) => folder.replace(/[^a-zA-Z0-9]/g, "-")))];
  const isOurs = (name: string) =>
    names.some((own) =>
      own.length > LONGEST_FOLDER_NAME
        ? name.startsWith(`${own.slice(0, LONGEST_FOLDER_NAME)}-`)
        : name === own,
    );
  return claudeFolders(env)
    .map((one) => path.join(one, "projects"))
    .flatMap((projects) =>
      (existsSync(projects) ? readdirSync(projects) : [])
        .filter(isOurs)
        .map((name) => path.join(projects, name)),
    );
}

/** A question afterwards begins a new model session. */
export function removeSessionTranscripts(spending: string, env: Environment) {
  for (const folder of sessionTranscripts(spending, env)) rmSync(folder, { recursive: true, force: true });
}
