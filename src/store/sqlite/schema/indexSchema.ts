// The tables of the index: one entry for each row that can be found, its passages, and their full-text index.
import type { entryKinds } from "../../indexModel.ts";

/** Rows of each kind; the index follows them. */
export const indexedTables = {
  observation: "observations",
  summary: "session_summaries",
  prompt: "user_prompts",
  message: "messages",
} as const satisfies Record<(typeof entryKinds)[number], string>;

/** A row that goes or changes takes its entry with it; who changes a row indexes it again. */
const follow = Object.entries(indexedTables)
  .map(
    ([kind, table]) => `
  CREATE TRIGGER ${table}_entry_ad AFTER DELETE ON ${table}
    BEGIN DELETE FROM entries WHERE kind = '${kind}' AND ref = old.id; END;
  CREATE TRIGGER ${table}_entry_au AFTER UPDATE ON ${table}
    BEGIN DELETE FROM entries WHERE kind = '${kind}' AND ref = old.id; END;`,
  )
  .join("");

const columns = "sequence, extra, place";
const values = (row: string): string => `${row}.sequence, ${row}.extra, ${row}.place`;

/**
 * `place` holds tokens for project and kind, so that the index itself can narrow a search to them. Its weight is 0:
 * where something is says nothing of how well it answers.
 */
export const indexTables = `
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    ref INTEGER NOT NULL,
    claude_session_id TEXT NOT NULL,
    project TEXT NOT NULL,
    speaker TEXT NOT NULL,
    title TEXT NOT NULL,
    is_code INTEGER NOT NULL,
    is_standing INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    length INTEGER NOT NULL,
    created_at_epoch INTEGER NOT NULL,
    UNIQUE (kind, ref)
  ) STRICT;
  CREATE INDEX entries_by_time ON entries(created_at_epoch);
  CREATE INDEX entries_by_project ON entries(project, created_at_epoch);
  CREATE INDEX entries_by_size ON entries(project, kind, parts, length);
  CREATE INDEX entries_by_session ON entries(claude_session_id, kind, created_at_epoch);
  CREATE INDEX entries_that_stand ON entries(project, created_at_epoch) WHERE is_standing = 1;

  CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entry INTEGER NOT NULL,
    start INTEGER NOT NULL,
    ending INTEGER NOT NULL,
    sequence TEXT NOT NULL,
    extra TEXT NOT NULL,
    place TEXT NOT NULL
  ) STRICT;
  CREATE INDEX passages_of_entry ON passages(entry);

  CREATE VIRTUAL TABLE passages_fts
    USING fts5(${columns}, content='passages', content_rowid='id', tokenize='ascii');
  INSERT INTO passages_fts(passages_fts, rank) VALUES ('secure-delete', 1);
  INSERT INTO passages_fts(passages_fts, rank) VALUES ('rank', 'bm25(1.0, 1.0, 0.0)');
  CREATE TRIGGER entries_ad AFTER DELETE ON entries BEGIN DELETE FROM passages WHERE entry = old.id; END;
  CREATE TRIGGER passages_ai AFTER INSERT ON passages
    BEGIN INSERT INTO passages_fts(rowid, ${columns}) VALUES (new.id, ${values("new")}); END;
  CREATE TRIGGER passages_ad AFTER DELETE ON passages
    BEGIN INSERT INTO passages_fts(passages_fts, rowid, ${columns}) VALUES ('delete', old.id, ${values("old")}); END;
  ${follow}`;

/** Whether an entry asks something. Everything is indexed anew: words are cut to their stems otherwise, too. */
export const questionColumn = "ALTER TABLE entries ADD COLUMN is_question INTEGER NOT NULL DEFAULT 0;";

/** Every full-text index there is: checked, and rewritten when something was forgotten. */
export const fullTextTables = [
  "observations_fts",
  "session_summaries_fts",
  "user_prompts_fts",
  "passages_fts",
] as const;
