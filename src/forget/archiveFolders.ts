// Folders other than the data folder that archives were written to: what is to be forgotten is looked for there too.
import path from "node:path";
import type { Home } from "../home/index.ts";
import { parseJson, readIfThere, writeFileAtomic } from "../lib/index.ts";

const registerIn = (home: Home): string => path.join(home.data, "archive-folders.json");

export function notedArchiveFolders(home: Home): string[] {
  const noted = parseJson(readIfThere(registerIn(home)) ?? "");
  return Array.isArray(noted) ? noted.filter((folder) => typeof folder === "string") : [];
}

export function noteArchiveFolder(home: Home, folder: string): void {
  if (folder === home.data) return;
  const noted = notedArchiveFolders(home);
  if (!noted.includes(folder))
    writeFileAtomic(registerIn(home), `${JSON.stringify([...noted, folder], null, 2)}\n`);
}
