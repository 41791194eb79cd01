// The account that the live window keeps of a session: its own window and those of its subagents, added up.
import { readdirSync } from "node:fs";
import path from "node:path";
import { addAccounts, readAccount } from "../economics/index.ts";
import { parseJson, readIfThere } from "../lib/index.ts";
import type { LiveCost } from "./model.ts";

/** `folder` is the session's own; undefined where no request of it was edited. */
export function liveAccount(folder: string): LiveCost | undefined {
  const agents = path.join(folder, "agents");
  const files = [folder, ...foldersIn(agents).map((name) => path.join(agents, name))];
  const kept = files.flatMap((one) => readIfThere(path.join(one, "live.json")) ?? []);
  const total = addAccounts(kept.map((text) => readAccount(parseJson(text))));
  return total.requests === 0 ? undefined : total;
}

function foldersIn(folder: string) {
  try {
    return readdirSync(folder);
  } catch {
    // Most sessions have no subagents.
    return [];
  }
}
