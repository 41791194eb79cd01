// Reads single fields of rows that came from outside: a value of the right type, or nothing.
import { isObject, type JsonObject } from "../lib/index.ts";
import { type Block, isBlock } from "../messages/index.ts";

/** A string that is not empty. */
export function textField(row: JsonObject, key: string): string | undefined {
  const value = row[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberField(row: JsonObject, key: string): number | undefined {
  const value = row[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function objectField(row: JsonObject, key: string): JsonObject | undefined {
  const value = row[key];
  return isObject(value) ? value : undefined;
}

export function textsField(row: JsonObject, key: string): string[] {
  const value = row[key];
  return Array.isArray(value) ? value.filter((part) => typeof part === "string") : [];
}

/** Milliseconds since the epoch of an ISO date or a number of milliseconds. */
export function timeField(row: JsonObject, key: string): number | undefined {
  const value = row[key];
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isFinite(time) ? time : undefined;
}

/** Message content; anything that is neither text nor blocks is left out. */
export function contentField(row: JsonObject, key: string): string | Block[] {
  const value = row[key];
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter(isBlock) : [];
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same object without the keys that have no value. */
export function present<T extends object>(fields: T): Present<T> {
  const kept: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  return kept as unknown as Present<T>;
}
