// A text that is kept as it is, without a type: held to the same screen as memories before it is kept.
import { type Clock, sha256 } from "../../lib/index.ts";
import { type MemoryPlace, memoryLimits } from "../folder/model.ts";
import { confirmedBodies, type Quarantined, quarantine } from "./quarantine.ts";
import { findSuspicions } from "./screen.ts";

interface FreeText {
  readonly title: string;
  /** Without its secrets. */
  readonly text: string;
  readonly session?: string;
}

const origin = { type: "project", author: "assistant" } as const;

/**
 * Undefined where nothing speaks against keeping it. Otherwise it waits for a person, and becomes a memory of the project
 * when that person lets it through: its title is then not taken from the words that were suspicious.
 */
export function screenFreeText(
  place: MemoryPlace,
  { title, text, session }: FreeText,
  clock: Clock,
): Quarantined | undefined {
  const found = findSuspicions({ name: title, description: "", body: text }, origin);
  if (found.length === 0 || confirmedBodies(place).has(sha256(text.trim()))) return undefined;
  const isPlain = findSuspicions({ name: title, description: "", body: "" }, origin).length === 0;
  const name = isPlain
    ? title.slice(0, memoryLimits.nameCharacters)
    : `reviewed text ${sha256(text).slice(0, 8)}`;
  const description = `a text that was read and let through, saved as "${name}"`;
  const request = { name, description, body: text, ...origin, ...(session === undefined ? {} : { session }) };
  return quarantine(place, request, found, { clock });
}
