// What is known of the mod inside Claude Code: whether it is wanted and loaded, and what it complained about last.
import { existsSync, readFileSync } from "node:fs";
import { type Home, modTroubleFile } from "../home/index.ts";
import { HOUR, isObject, parseJson } from "../lib/index.ts";
import type { Facts } from "./facts.ts";
import { modFolderIn, PLUGIN_FOLDERS } from "./modFolder.ts";
import { type ClaudePlaces, settingsPlace } from "./places.ts";

interface ModSurroundings {
  readonly home: Home;
  readonly claude: ClaudePlaces;
  readonly lane: NonNullable<Facts["mod"]>["lane"];
  readonly now: number;
}

const readObject = (file: string): Readonly<Record<string, unknown>> => {
  const value = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  return isObject(value) ? value : {};
};

/** What the mod could not do in the last day. */
function lastTrouble(home: Home, now: number): string | undefined {
  const { at, what } = readObject(modTroubleFile(home));
  return typeof at === "number" && typeof what === "string" && now - at < 24 * HOUR
    ? `${new Date(at).toISOString()} ${what}`
    : undefined;
}

export function modFacts({ home, claude, lane, now }: ModSurroundings): NonNullable<Facts["mod"]> {
  const { env } = readObject(settingsPlace("user", claude).file);
  const folder = modFolderIn(isObject(env) ? env[PLUGIN_FOLDERS] : undefined);
  const trouble = lastTrouble(home, now);
  return {
    lane,
    ...(folder === undefined ? {} : { folder, there: existsSync(folder) }),
    ...(trouble === undefined ? {} : { trouble }),
  };
}
