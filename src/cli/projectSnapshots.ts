// Snapshots that lie in projects when we leave: no hook would ever take them away.
import { rmdirSync } from "node:fs";
import { type Home, languageOf, listSessions, vaultFolder } from "../home/index.ts";
import { errorText, systemErrorCode } from "../lib/index.ts";
import {
  cleanSnapshots,
  excludesSnapshots,
  includeSnapshots,
  journalIn,
  listSnapshots,
  pages,
  projectsIn,
  provenanceOf,
  referenceIn,
  snapshotFolder,
} from "../snapshot/index.ts";
import { openVault } from "../vault/index.ts";

function hasTraces(project: string): boolean {
  try {
    return (
      listSnapshots(project, undefined).length > 0 ||
      pages.some((page) => referenceIn(project, page) !== undefined) ||
      excludesSnapshots(project)
    );
  } catch {
    // A folder that cannot be read any more is not ours to worry about.
    return false;
  }
}

/** Projects that hold a snapshot of ours, a reference to one, or the line that keeps them out of git. */
export function projectsWithSnapshots(home: Home): string[] {
  return projectsIn(listSessions(home).map(({ folder }) => journalIn(folder))).filter(hasTraces);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(systemErrorCode(error) ?? "")) throw error;
  }
}

/** Takes them away and says so; their bytes stay in the vault. One that cannot be cleaned stops nobody. */
export async function cleanProjects(home: Home, projects: readonly string[]): Promise<string[]> {
  if (projects.length === 0) return [];
  const vault = openVault(vaultFolder(home));
  const language = languageOf("auto", process.env);
  const cleanOne = async (project: string): Promise<string> => {
    try {
      cleanSnapshots({
        project,
        language,
        ...(await provenanceOf(home, project)),
        keep: (bytes, { session = "unknown", name }) => {
          vault.put(bytes, { session, level: "snapshot", note: name });
        },
      });
      includeSnapshots(project);
      removeIfEmpty(snapshotFolder(project));
      return `cleaned up the snapshots in ${project}`;
    } catch (error) {
      return `the snapshots in ${project} could not be cleaned up: ${errorText(error)}`;
    }
  };
  return Promise.all(projects.map(cleanOne));
}
