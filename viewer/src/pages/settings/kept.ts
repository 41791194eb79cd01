// How much is kept, in all, and whether a scope says enough to be forgotten.
import type { Kept } from "../../../../src/http/wire.ts";

export interface ForgetScope {
  readonly project?: string;
  readonly session?: string;
  readonly from?: string;
  readonly to?: string;
}

export function totalOf({ rows, vault, folders, spooled, archives }: Kept): number {
  const counted = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return counted + vault.blobs + folders.length + spooled + archives.length;
}

/** What has to be typed before anything is deleted: what it is called, or a word when it is only a time. */
export function confirmationFor(
  { project, session }: ForgetScope,
  nameOf: (project: string) => string,
): string {
  if (session !== undefined) return session.slice(0, 8);
  return project === undefined ? "forget" : nameOf(project);
}

/** Fields that are not empty; undefined when there is none: nothing is never everything. */
export function scopeOf(fields: Readonly<Record<keyof ForgetScope, string>>): ForgetScope | undefined {
  const given = Object.entries(fields).filter(([, value]) => value.trim() !== "");
  return given.length === 0
    ? undefined
    : Object.fromEntries(given.map(([name, value]) => [name, value.trim()]));
}
