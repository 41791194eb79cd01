// The kinds of things there are, as the page names and draws them.
export { observationTypes } from "../../../src/lib/observationTypes.ts";

import { type IconName, isIcon } from "../parts/icon.tsx";

/** An observation is drawn by its type, everything else by its kind. */
export function iconOf(kind: string, type?: string): IconName {
  if (kind === "observation" && isIcon(type)) return type;
  return isIcon(kind) ? kind : "event";
}
