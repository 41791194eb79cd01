// Marker files whose modification time says when something was last done.
import { writeFileSync } from "node:fs";
import { statIfThere } from "../lib/index.ts";

export function isRecent(mark: string, within: number): boolean {
  const age = Date.now() - (statIfThere(mark)?.mtimeMs ?? Number.NEGATIVE_INFINITY);
  return Math.abs(age) < within;
}

export const setMark = (mark: string): void => writeFileSync(mark, "1", { mode: 0o600 });
