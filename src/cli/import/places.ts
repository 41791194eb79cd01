// Where there may be something to import: what was named, or where Claude Code and claude-mem keep their things.
import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { claudeFolders } from "../../home/index.ts";
import { isObject, parseJson, ThroughlineError } from "../../lib/index.ts";
import type { Surroundings } from "../surroundings.ts";

interface ImportPlaces {
  readonly places: readonly string[];
  /** Whether a person named them. */
  readonly isNamed: boolean;
}

const expanded = (place: string, home: string): string => place.replace(/^~(?=$|[\\/])/, home);

/** The folder that claude-mem was told to use, in the environment or in its own settings. */
function claudeMemFolder(env: Surroundings["env"], home: string): string {
  const usual = path.join(home, ".claude-mem");
  if (env.CLAUDE_MEM_DATA_DIR) return expanded(env.CLAUDE_MEM_DATA_DIR, home);
  const file = path.join(usual, "settings.json");
  const settings = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  const values = isObject(settings) && isObject(settings.env) ? settings.env : settings;
  const folder = isObject(values) ? values.CLAUDE_MEM_DATA_DIR : undefined;
  return typeof folder === "string" && folder !== "" ? expanded(folder, home) : usual;
}

/** Throws `not-found` for a place that was named and is not there. */
export function importPlaces(
  named: string | undefined,
  { env, cwd }: Pick<Surroundings, "env" | "cwd">,
  home: string = homedir(),
): ImportPlaces {
  if (named !== undefined) {
    const place = path.resolve(cwd, expanded(named, home));
    if (statSync(place, { throwIfNoEntry: false }) !== undefined) return { places: [place], isNamed: true };
    throw new ThroughlineError("not-found", `${place} does not exist`, {
      fix: "name a folder of transcripts, a transcript, or a database of claude-mem; without one they are looked for",
    });
  }
  const transcripts = claudeFolders(env, home).map((folder) => path.join(folder, "projects"));
  const database = path.join(claudeMemFolder(env, home), "claude-mem.db");
  return { places: [...transcripts, database].map((place) => path.resolve(place)), isNamed: false };
}
