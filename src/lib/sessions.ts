// Where a session's own data lives: one folder per project, one per session in it.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { ThroughlineError } from "./errors.ts";
import { type Home, safeName } from "./paths.ts";

export interface SessionPlace {
  readonly project: string;
  readonly session: string;
  readonly folder: string;
}

const PROJECTS = "projects";

export function vaultFolder(home: Home): string {
  return path.join(home.data, "vault");
}

export function sessionPlace(home: Home, project: string, session: string): SessionPlace {
  const folder = path.join(home.data, PROJECTS, safeName(project), safeName(session));
  return { project: safeName(project), session: safeName(session), folder };
}

export function ledgerFile(place: SessionPlace): string {
  return path.join(place.folder, "ledger.jsonl");
}

function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Every session that has data of its own. */
export function listSessions(home: Home): SessionPlace[] {
  const projects = path.join(home.data, PROJECTS);
  return namesIn(projects).flatMap((project) =>
    namesIn(path.join(projects, project)).map((session) => ({
      project,
      session,
      folder: path.join(projects, project, session),
    })),
  );
}

/** The session of that id, or the only one whose id begins so. */
export function findSession(home: Home, id: string): SessionPlace {
  const sessions = listSessions(home);
  const wanted = safeName(id);
  const matching = sessions.filter(({ session }) => session === wanted);
  const found = matching.length > 0 ? matching : sessions.filter(({ session }) => session.startsWith(wanted));
  const [only, another] = found;
  if (only && !another) return only;
  if (another) {
    const names = found
      .slice(0, 5)
      .map(({ session }) => session)
      .join(", ");
    throw new ThroughlineError("usage", `${found.length} sessions begin with ${id}: ${names}`, {
      fix: "give more of the id",
    });
  }
  const known =
    sessions.length === 0 ? "no session has data here yet" : `${sessions.length} sessions are known`;
  throw new ThroughlineError("not-found", `no session ${id} in ${home.data} (${known})`, {
    fix: "check the id, or THROUGHLINE_HOME if the data lives elsewhere",
  });
}
