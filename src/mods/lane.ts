// Which lane events take: command hooks, or the mod inside Claude Code where one runs and is wanted.
import type { Config } from "../config/index.ts";
import type { Environment, Home } from "../home/index.ts";
import { isNewer } from "../lib/index.ts";
import { readableSettings } from "../settings/index.ts";

type LaneChoice = Config["lane"];

/** The first version of Claude Code whose mods were seen to do all that is asked of them. */
export const FIRST_VERSION_WITH_MODS = "2.1.325";

/** `auto` takes the mod from the first version on that is known to be good; `mods` takes it wherever it runs. */
export function takesMods(choice: LaneChoice, version: string | undefined) {
  if (choice !== "auto") return choice === "mods";
  return version !== undefined && !isNewer(FIRST_VERSION_WITH_MODS, version);
}

/** Reading two files at every event would be noticed; waiting a second for a change is not. */
const REMEMBERED_MS = 1_000;

/** The lane that the user chose, as of a moment ago. A file that cannot be read chooses command hooks. */
export function laneChoice(
  home: Home,
  env: Environment,
  now: () => number = () => performance.now(),
): () => LaneChoice {
  let known: { readonly choice: LaneChoice; readonly at: number } | undefined;
  return () => {
    if (!known || now() - known.at >= REMEMBERED_MS)
      known = { choice: readableSettings({ home, env })?.lane ?? "hooks", at: now() };
    return known.choice;
  };
}
