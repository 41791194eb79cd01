// The quarantine: suspicious texts, kept outside the folder so that no model reads them before a person has.
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  type Clock,
  defined,
  isObject,
  isoTime,
  notFoundError,
  parseJson,
  removeFile,
  sha256,
  systemClock,
  timeOrderedId,
  usageError,
  writeJson,
} from "../../lib/index.ts";
import {
  isMemoryType,
  type KeptFields,
  type MemoryPlace,
  type MemoryType,
  memoryLimits,
} from "../folder/model.ts";
import { listMemoryFolder } from "../folder/safePaths.ts";
import type { SaveRequest } from "./save.ts";
import { findSuspicions, type Suspicion } from "./screen.ts";

/** Where a text goes once it is confirmed; absent for a new memory. */
export type Destination =
  /** An edit of a memory that was read. */
  | { readonly kind: "edit"; readonly file: string; readonly hash: string; readonly kept?: KeptFields }
  /** The whole text of a file, with the hash it had; null for a file that was not there, or went into quarantine itself. */
  | { readonly kind: "file"; readonly file: string; readonly hash: string | null }
  /** An entry of the daily log, and the type that it was given. */
  | { readonly kind: "log"; readonly type?: MemoryType };

/** A text that waits for a person. Its secrets are hidden already. */
export interface Quarantined {
  readonly id: string;
  readonly at: string;
  readonly request: SaveRequest;
  readonly suspicions: readonly Suspicion[];
  readonly destination?: Destination;
  /** The hash of the body that a person has let through. */
  readonly confirmed?: string;
}

const quarantineFolder = ({ books }: MemoryPlace) => path.join(books, "quarantine");
const quarantineFile = (place: MemoryPlace, id: string) => path.join(quarantineFolder(place), `${id}.json`);

export function quarantine(
  place: MemoryPlace,
  request: SaveRequest,
  suspicions: readonly Suspicion[],
  { clock = systemClock, destination }: { clock?: Clock; destination?: Destination | undefined } = {},
): Quarantined {
  const now = clock.now();
  const entry = defined({
    id: timeOrderedId("qua", now),
    at: isoTime(now),
    request,
    suspicions,
    destination,
  });
  writeJson(quarantineFile(place, entry.id), entry);
  return entry;
}

function readQuarantined(file: string) {
  const value = parseJson(readFileSync(file, "utf8"));
  if (!isObject(value) || value.id !== path.basename(file, ".json") || !isObject(value.request))
    return undefined;
  // Only Throughline writes these files.
  return isMemoryType(value.request.type) ? (value as unknown as Quarantined) : undefined;
}

function readAllQuarantined(place: MemoryPlace) {
  const folder = quarantineFolder(place);
  return listMemoryFolder(folder)
    .filter((name) => /^qua_\w+\.json$/.test(name))
    .flatMap((name) => readQuarantined(path.join(folder, name)) ?? []);
}

/** Those that are not confirmed yet. */
export function listQuarantine(place: MemoryPlace): Quarantined[] {
  return readAllQuarantined(place).filter(({ confirmed }) => confirmed === undefined);
}

/** A shorter beginning could be typed by accident. */
const SHORTEST_ID = 8;

/** By its id, or by a beginning that only one has. */
export function findQuarantined(place: MemoryPlace, id: string): Quarantined {
  const isLong = id.length >= SHORTEST_ID;
  const [only, another] = listQuarantine(place).filter((entry) => isLong && entry.id.startsWith(id));
  if (only && !another) return only;
  if (only) throw usageError(`several texts in quarantine begin with ${id}`, "give more of the id");
  throw notFoundError(
    `nothing in quarantine is called ${id}`,
    "`throughline memory list --quarantine` shows what waits",
  );
}

/** Deletes a quarantined text. */
export function dropQuarantined(place: MemoryPlace, { id }: Quarantined) {
  removeFile(quarantineFile(place, id));
}

/** Marks a body as confirmed, so that it is not quarantined again. */
export function confirmBody(place: MemoryPlace, entry: Quarantined, body: string) {
  writeJson(quarantineFile(place, entry.id), { ...entry, confirmed: sha256(body.trim()) });
}

/** Texts that a person let through. */
export function confirmedBodies(place: MemoryPlace): ReadonlySet<string> {
  return new Set(readAllQuarantined(place).flatMap(({ confirmed }) => confirmed ?? []));
}

const freeTextOrigin = { type: "project", author: "assistant" } as const;

/**
 * Screens a text that is kept as it is, without a type. Undefined when it may be kept. Otherwise it waits in quarantine and
 * becomes a memory of the project once a person confirms it; its title is then not taken from the suspicious words.
 */
export function screenFreeText(
  place: MemoryPlace,
  { title, text, session }: { readonly title: string; readonly text: string; readonly session?: string },
  clock: Clock,
): Quarantined | undefined {
  const suspicionsIn = (body: string) =>
    findSuspicions({ name: title, description: "", body }, freeTextOrigin);
  const found = suspicionsIn(text);
  if (found.length === 0 || confirmedBodies(place).has(sha256(text.trim()))) return undefined;
  const name =
    suspicionsIn("").length === 0
      ? title.slice(0, memoryLimits.nameCharacters)
      : `reviewed text ${sha256(text).slice(0, 8)}`;
  const description = `a text that was read and let through, saved as "${name}"`;
  const request = { name, description, body: text, ...freeTextOrigin, ...defined({ session }) };
  return quarantine(place, request, found, { clock });
}
