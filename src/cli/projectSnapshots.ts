// Snapshots that lie in projects when we leave: no hook would ever take them away.
import { errorText, type Home, languageOf, listSessions, vaultFolder } from "../lib/index.ts";
import {
  cleanSnapshots,
  journalIn,
  listSnapshots,
  pages,
  projectsIn,
  referenceIn,
} from "../snapshot/index.ts";
import { openVault } from "../vault/index.ts";

function hasSnapshots(project: string): boolean {
  try {
    return (
      listSnapshots(project).length > 0 || pages.some((page) => referenceIn(project, page) !== undefined)
    );
  } catch {
    // A folder that cannot be read any more is not ours to worry about.
    return false;
  }
}

/** Projects that hold a snapshot of ours, or a reference to one. */
export function projectsWithSnapshots(home: Home): string[] {
  return projectsIn(listSessions(home).map(({ folder }) => journalIn(folder))).filter(hasSnapshots);
}

/** Takes them away and says so; their bytes stay in the vault. One that cannot be cleaned stops nobody. */
export function cleanProjects(home: Home, projects: readonly string[]): string[] {
  if (projects.length === 0) return [];
  const vault = openVault(vaultFolder(home));
  const language = languageOf("auto", process.env);
  return projects.flatMap((project) => {
    try {
      const { removed, unreferenced } = cleanSnapshots({
        project,
        language,
        keep: (bytes, { session = "unknown", name }) => {
          vault.put(bytes, { session, level: "snapshot", note: name });
        },
      });
      return [...removed, ...unreferenced].length === 0 ? [] : [`cleaned up the snapshots in ${project}`];
    } catch (error) {
      return [`the snapshots in ${project} could not be cleaned up: ${errorText(error)}`];
    }
  });
}
