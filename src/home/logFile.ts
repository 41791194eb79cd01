// Where the worker's log is.
import path from "node:path";
import type { Home } from "./paths.ts";

export function workerLog(home: Home): string {
  return path.join(home.state, "worker.log");
}
