// Hashes and identifiers.
import { hash, randomBytes } from "node:crypto";

export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** A unique id that sorts by time: 9 base-36 characters of milliseconds, then 10 random ones. */
export function timeOrderedId(prefix: string, now: number): string {
  const time = Math.max(0, Math.floor(now)).toString(36).padStart(9, "0");
  const random = BigInt(`0x${randomBytes(8).toString("hex")}`)
    .toString(36)
    .padStart(13, "0")
    .slice(-10);
  return `${prefix}_${time}${random}`;
}
