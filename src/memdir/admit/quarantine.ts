// Texts that wait for a person: kept apart from the folder, so that no model reads them before somebody has.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import {
  type Clock,
  isObject,
  isoTime,
  parseJson,
  sha256,
  systemClock,
  ThroughlineError,
  timeOrderedId,
  writeFileAtomic,
} from "../../lib/index.ts";
import { isMemoryType, type KeptFields, type MemoryPlace, type MemoryType } from "../folder/model.ts";
import type { SaveRequest } from "./save.ts";
import type { Suspicion } from "./screen.ts";

/** Where a text was on its way to; a memory of its own where nothing is said. */
export type Destination =
  /** Other words for a memory that was read. */
  | { readonly kind: "edit"; readonly file: string; readonly hash: string; readonly kept?: KeptFields }
  /** The whole text of a file, with the hash it had; null for a file that was not there, or went into quarantine itself. */
  | { readonly kind: "file"; readonly file: string; readonly hash: string | null }
  /** An entry of the daily log, and the type that it was given. */
  | { readonly kind: "log"; readonly type?: MemoryType };

/** A text that waits. Its secrets are hidden already. */
export interface Quarantined {
  readonly id: string;
  readonly at: string;
  readonly request: SaveRequest;
  readonly suspicions: readonly Suspicion[];
  readonly destination?: Destination;
  /** The hash of the body that a person has let through. */
  readonly confirmed?: string;
}

const quarantineFolder = ({ books }: MemoryPlace): string => path.join(books, "quarantine");
const quarantineFile = (place: MemoryPlace, id: string): string =>
  path.join(quarantineFolder(place), `${id}.json`);

export function quarantine(
  place: MemoryPlace,
  request: SaveRequest,
  suspicions: readonly Suspicion[],
  { clock = systemClock, destination }: { clock?: Clock; destination?: Destination | undefined } = {},
): Quarantined {
  const now = clock.now();
  const entry = {
    ...{ id: timeOrderedId("qua", now), at: isoTime(now), request, suspicions },
    ...(destination === undefined ? {} : { destination }),
  };
  writeFileAtomic(quarantineFile(place, entry.id), `${JSON.stringify(entry)}\n`);
  return entry;
}

function readQuarantined(file: string): Quarantined | undefined {
  const value = parseJson(readFileSync(file, "utf8"));
  if (!isObject(value) || value.id !== path.basename(file, ".json") || !isObject(value.request))
    return undefined;
  // Written by ourselves, and only for ourselves to read.
  return isMemoryType(value.request.type) ? (value as unknown as Quarantined) : undefined;
}

function readAllQuarantined(place: MemoryPlace): Quarantined[] {
  const folder = quarantineFolder(place);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^qua_\w+\.json$/.test(name))
    .sort()
    .flatMap((name) => readQuarantined(path.join(folder, name)) ?? []);
}

/** Those that nobody has looked at yet. */
export function listQuarantine(place: MemoryPlace): Quarantined[] {
  return readAllQuarantined(place).filter(({ confirmed }) => confirmed === undefined);
}

/** As much of an id as nobody types by accident. */
const SHORTEST_ID = 8;

/** By its id, or by a beginning that only one has. */
export function findQuarantined(place: MemoryPlace, id: string): Quarantined {
  const found =
    id.length < SHORTEST_ID ? [] : listQuarantine(place).filter((entry) => entry.id.startsWith(id));
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  if (only !== undefined)
    throw new ThroughlineError("usage", `several texts in quarantine begin with ${id}`, {
      fix: "give more of the id",
    });
  throw new ThroughlineError("not-found", `nothing in quarantine is called ${id}`, {
    fix: "`throughline memory list --quarantine` shows what waits",
  });
}

export function dropQuarantined(place: MemoryPlace, { id }: Quarantined): void {
  rmSync(quarantineFile(place, id), { force: true });
}

/** What a person has let through is not asked about again. */
export function confirmBody(place: MemoryPlace, entry: Quarantined, body: string): void {
  writeFileAtomic(
    quarantineFile(place, entry.id),
    `${JSON.stringify({ ...entry, confirmed: sha256(body.trim()) })}\n`,
  );
}

export function confirmedBodies(place: MemoryPlace): ReadonlySet<string> {
  return new Set(readAllQuarantined(place).flatMap(({ confirmed }) => confirmed ?? []));
}
