// The kinds of things there are, as the page names and draws them.
import type { ObservationType } from "../../../src/store/index.ts";
import { type IconName, isIcon } from "../parts/icon.tsx";

/** The store has the same list; a page cannot take values from it. */
export const observationTypes: readonly ObservationType[] = [
  "decision",
  "bugfix",
  "feature",
  "refactor",
  "discovery",
  "change",
];

/** An observation is drawn by its type, everything else by its kind. */
export function iconOf(kind: string, type?: string): IconName {
  if (kind === "observation" && isIcon(type)) return type;
  return isIcon(kind) ? kind : "event";
}
