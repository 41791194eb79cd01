// Loads sqlite-vec into a database. It has no build for some platforms, and there we do without.
import { createRequire } from "node:module";
import { isObject } from "../../lib/index.ts";
import type { Database } from "./driver.ts";

/** False where the package, its build for this platform, or the permission to load it is missing. */
export function loadVectorFunctions(database: Database): boolean {
  try {
    const sqliteVec: unknown = createRequire(import.meta.url)("sqlite-vec");
    if (!isObject(sqliteVec) || typeof sqliteVec.getLoadablePath !== "function") return false;
    const file: unknown = sqliteVec.getLoadablePath();
    database.enableLoadExtension(true);
    try {
      database.loadExtension(String(file));
    } finally {
      database.enableLoadExtension(false);
    }
    return true;
  } catch {
    return false;
  }
}
