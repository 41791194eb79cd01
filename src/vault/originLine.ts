// One origin as one line of JSON, and when two of them say the same thing.
import { isObject, parseJson } from "../lib/index.ts";
import type { Origin, OriginEntry } from "./model.ts";

const OPTIONAL = ["level", "tool", "toolUseId", "item", "note"] as const;
const VERSION = 1;

/** Only the known fields: an object with more on it does not carry that to disk. */
export function originEntry(
  blob: { sha256: string; bytes: number },
  origin: Origin,
  at: number,
): OriginEntry {
  const entry = { at, sha256: blob.sha256, bytes: blob.bytes, session: origin.session };
  const optional = OPTIONAL.flatMap((key) => (origin[key] === undefined ? [] : [[key, origin[key]]]));
  return { ...entry, ...Object.fromEntries(optional) };
}

/** What makes an origin worth recording only once. */
export function originKey(entry: OriginEntry): string {
  return JSON.stringify([entry.sha256, entry.session, entry.toolUseId ?? null, entry.item ?? null]);
}

export function formatOrigin(entry: OriginEntry): string {
  return JSON.stringify({ v: VERSION, ...entry });
}

/** The entry on a line; undefined for a torn line or one of a later format. */
export function parseOrigin(line: string): OriginEntry | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const { v, at, sha256, bytes, session } = value;
  if (v !== VERSION) return undefined;
  if (typeof at !== "number" || typeof bytes !== "number" || typeof session !== "string") return undefined;
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  const optional = OPTIONAL.flatMap((key) => (typeof value[key] === "string" ? [[key, value[key]]] : []));
  return { at, sha256, bytes, session, ...Object.fromEntries(optional) };
}
