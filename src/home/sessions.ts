// Where a session's own data lives: one folder per project, one per session in it.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { notFoundError, usageError } from "../lib/index.ts";
import { type Home, safeName } from "./paths.ts";

/** The folder of a session, by project and name. */
export interface SessionPlace {
  readonly project: string;
  readonly session: string;
  readonly folder: string;
}

const PROJECTS = "projects";

/** The vault of a home, shared by all sessions. */
export function vaultFolder(home: Home) {
  return path.join(home.data, "vault");
}

export function sessionPlace(home: Home, project: string, session: string): SessionPlace {
  const folder = path.join(home.data, PROJECTS, safeName(project), safeName(session));
  return { project: safeName(project), session: safeName(session), folder };
}

export function ledgerFile(place: SessionPlace) {
  return path.join(place.folder, "ledger.jsonl");
}

function folderNamesIn(folder: string) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Every session that has data of its own. */
export function listSessions(home: Home): SessionPlace[] {
  const projects = path.join(home.data, PROJECTS);
  return folderNamesIn(projects).flatMap((project) =>
    folderNamesIn(path.join(projects, project)).map((session) => ({
      project,
      session,
      folder: path.join(projects, project, session),
    })),
  );
}

/** The one of that name, or the only one that begins so; throws `usage` when several do. */
export function chooseByBeginning(names: readonly string[], wanted: string) {
  if (names.includes(wanted)) return wanted;
  const found = [...new Set(names)].filter((name) => wanted !== "" && name.startsWith(wanted));
  if (found.length < 2) return found[0];
  throw usageError(
    `${found.length} sessions begin with ${wanted}: ${found.slice(0, 5).join(", ")}`,
    "give more of the id",
  );
}

/** The session of that id (or `project/id`), or the only one whose id begins so. */
export function findSession(home: Home, id: string): SessionPlace {
  const sessions = listSessions(home);
  const full = ({ project, session }: SessionPlace) => `${project}/${session}`;
  const names = sessions.flatMap((place) => [place.session, full(place)]);
  const name = chooseByBeginning(names, names.includes(safeName(id)) ? safeName(id) : id);
  const [only, another] = sessions.filter((place) => place.session === name || full(place) === name);
  if (only && another) {
    throw usageError(
      `several projects have a session ${name}`,
      `say which: ${full(only)} or ${full(another)}`,
    );
  }
  if (only) return only;
  const count = sessions.length === 1 ? "1 session has" : `${sessions.length || "no"} sessions have`;
  const known = `${count} data here${sessions.length === 0 ? " yet" : ""}`;
  throw notFoundError(
    `no session ${id} in ${home.data} (${known})`,
    "check the id, or THROUGHLINE_HOME if the data lives elsewhere",
  );
}
