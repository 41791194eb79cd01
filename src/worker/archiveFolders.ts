// Where archives were written, beside the data folder: what is to be forgotten is looked for there too.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Home, parseJson, writeFileAtomic } from "../lib/index.ts";

const registerIn = (home: Home): string => path.join(home.data, "archive-folders.json");

export function notedArchiveFolders(home: Home): string[] {
  const file = registerIn(home);
  const noted = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  return Array.isArray(noted) ? noted.filter((folder) => typeof folder === "string") : [];
}

export function noteArchiveFolder(home: Home, folder: string): void {
  if (folder === home.data) return;
  const noted = notedArchiveFolders(home);
  if (!noted.includes(folder))
    writeFileAtomic(registerIn(home), `${JSON.stringify([...noted, folder], null, 2)}\n`);
}
