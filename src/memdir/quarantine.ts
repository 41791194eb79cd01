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
} from "../lib/index.ts";
import { isMemoryType, type MemoryPlace } from "./model.ts";
import type { SaveRequest } from "./save.ts";
import type { Suspicion } from "./screen.ts";

export interface Quarantined {
  readonly id: string;
  readonly at: string;
  readonly request: SaveRequest;
  readonly suspicions: readonly Suspicion[];
  /** The hash of the body that a person has let through. */
  readonly confirmed?: string;
}

const folderOf = ({ books }: MemoryPlace): string => path.join(books, "quarantine");
const fileOf = (place: MemoryPlace, id: string): string => path.join(folderOf(place), `${id}.json`);

export function quarantine(
  place: MemoryPlace,
  request: SaveRequest,
  suspicions: readonly Suspicion[],
  clock: Clock = systemClock,
): Quarantined {
  const now = clock.now();
  const entry = { id: timeOrderedId("qua", now), at: isoTime(now), request, suspicions };
  writeFileAtomic(fileOf(place, entry.id), `${JSON.stringify(entry)}\n`);
  return entry;
}

function readEntry(file: string): Quarantined | undefined {
  const value = parseJson(readFileSync(file, "utf8"));
  if (!isObject(value) || typeof value.id !== "string" || !isObject(value.request)) return undefined;
  // Written by ourselves, and only for ourselves to read.
  return isMemoryType(value.request.type) ? (value as unknown as Quarantined) : undefined;
}

function allEntries(place: MemoryPlace): Quarantined[] {
  const folder = folderOf(place);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^qua_\w+\.json$/.test(name))
    .sort()
    .flatMap((name) => readEntry(path.join(folder, name)) ?? []);
}

/** Those that nobody has looked at yet. */
export function listQuarantine(place: MemoryPlace): Quarantined[] {
  return allEntries(place).filter(({ confirmed }) => confirmed === undefined);
}

export function findQuarantined(place: MemoryPlace, id: string): Quarantined {
  const found = listQuarantine(place).filter((entry) => entry.id === id || entry.id.startsWith(id));
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  throw new ThroughlineError("not-found", `nothing in quarantine is called ${id}`, {
    fix: "`throughline memory list --quarantine` shows what waits",
  });
}

export function dropQuarantined(place: MemoryPlace, { id }: Quarantined): void {
  rmSync(fileOf(place, id), { force: true });
}

/** What a person has let through is not asked about again. */
export function confirmBody(place: MemoryPlace, entry: Quarantined, body: string): void {
  writeFileAtomic(
    fileOf(place, entry.id),
    `${JSON.stringify({ ...entry, confirmed: sha256(body.trim()) })}\n`,
  );
}

export function confirmedBodies(place: MemoryPlace): ReadonlySet<string> {
  return new Set(allEntries(place).flatMap(({ confirmed }) => confirmed ?? []));
}
