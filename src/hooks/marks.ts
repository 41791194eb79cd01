// Marker files whose modification time says when something was last done.
import { writeFileSync } from "node:fs";
import { statIfThere } from "../lib/index.ts";

export function isRecent(mark: string, within: number) {
  const age = Date.now() - (statIfThere(mark)?.mtimeMs ?? Number.NEGATIVE_INFINITY);
  return Math.abs(age) < within;
}

export const setMark = (mark: string) => writeFileSync(mark, "1", { mode: 0o600 });
