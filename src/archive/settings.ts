// From what a person has set to what a run needs: which folder, which group, which vault.
import path from "node:path";
import { type Home, projectOf, vaultFolder } from "../home/index.ts";
import { openVault } from "../vault/index.ts";
import type { ArchiveOptions } from "./archive.ts";
import type { FormatName } from "./model.ts";

/** As in the settings: an empty text is no choice. */
interface ArchiveSettings {
  readonly dir: string;
  readonly group: string;
  readonly name: string;
  readonly format: FormatName;
  readonly assistantName: string;
  readonly maxTextCharacters: number;
}

/** The folder that holds all groups. */
export function archiveFolder({ dir }: Pick<ArchiveSettings, "dir">, home: Home): string {
  return dir === "" ? home.data : path.resolve(dir);
}

/** `cwd` is where the session was started: without a group in the settings it belongs to that project. */
export function archiveOptions(
  settings: ArchiveSettings,
  { home, cwd }: { readonly home: Home; readonly cwd: string | undefined },
): ArchiveOptions {
  return {
    dir: archiveFolder(settings, home),
    group: settings.group || (cwd === undefined ? "unknown" : projectOf(cwd).id),
    nameTemplate: settings.name,
    format: settings.format,
    assistantName: settings.assistantName,
    maxTextCharacters: settings.maxTextCharacters,
    vault: openVault(vaultFolder(home)),
  };
}
