// The migration for synchronisation: what was received from other machines, what was withdrawn, which projects are one repository.

const changed = (table: string, kind: string, columns: string) => `
CREATE TRIGGER ${table}_feed_au AFTER UPDATE OF ${columns} ON ${table}
  BEGIN INSERT INTO feed(kind, ref) VALUES ('${kind}', new.id); END;`;

export const syncMigration = {
  name: "2026-11-sync",
  sql: `
-- Changes that came about on another machine. They are not sent back.
CREATE TABLE received (
  kind TEXT NOT NULL, uid TEXT NOT NULL, machine TEXT NOT NULL, person TEXT,
  PRIMARY KEY (kind, uid)
) STRICT, WITHOUT ROWID;
-- Rows that were deleted one by one, so that they are deleted elsewhere and do not come back.
CREATE TABLE withdrawn (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, uid TEXT NOT NULL, UNIQUE (kind, uid)
) STRICT;
CREATE TABLE project_identities (project TEXT PRIMARY KEY, identity TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX project_identities_by_identity ON project_identities(identity);
CREATE TRIGGER forgotten_feed AFTER INSERT ON forgotten
  BEGIN INSERT INTO feed(kind, ref) VALUES ('forgotten', new.id); END;
CREATE TRIGGER withdrawn_feed AFTER INSERT ON withdrawn
  BEGIN INSERT INTO feed(kind, ref) VALUES ('withdrawn', new.id); END;
${changed("observations", "observation", "type, title, subtitle, narrative, text, facts, concepts, files_read, files_modified")}
${changed("session_summaries", "summary", "request, investigated, learned, completed, next_steps, notes")}`,
};
