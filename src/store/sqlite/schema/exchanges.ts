// The migration that gives every entry its class and its exchange, and keeps the size of the index by project and kind.
import type { Connection } from "../connection.ts";
import { placeAllEntries } from "../search/exchanges.ts";

const size = (sign: "+" | "-", row: "new" | "old") => `
  INSERT INTO index_sizes VALUES (${row}.project, ${row}.kind, ${sign}${row}.parts, ${sign}${row}.length)
    ON CONFLICT DO UPDATE SET parts = parts + excluded.parts, length = length + excluded.length;`;

const sql = `
-- What an entry is, and the entry that opened its exchange: a user's message and all that follows up to the next one.
CREATE TABLE entry_places (
  entry INTEGER PRIMARY KEY,
  row_class TEXT NOT NULL,
  exchange INTEGER
) STRICT;
CREATE INDEX entries_to_place ON entry_places(entry) WHERE exchange IS NULL;
CREATE INDEX entries_in_order ON entries(claude_session_id, created_at_epoch, id);
CREATE TRIGGER entries_place_ad AFTER DELETE ON entries BEGIN
  DELETE FROM entry_places WHERE entry = old.id;
END;

-- How many passages a project has and how long they are, so that a search counts none.
CREATE TABLE index_sizes (
  project TEXT NOT NULL,
  kind TEXT NOT NULL,
  parts INTEGER NOT NULL,
  length INTEGER NOT NULL,
  PRIMARY KEY (project, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO index_sizes SELECT project, kind, sum(parts), sum(length) FROM entries GROUP BY project, kind;
CREATE TRIGGER entries_size_ai AFTER INSERT ON entries BEGIN ${size("+", "new")} END;
CREATE TRIGGER entries_size_ad AFTER DELETE ON entries BEGIN ${size("-", "old")}
  DELETE FROM index_sizes WHERE project = old.project AND kind = old.kind AND parts <= 0 AND length <= 0;
END;`;

export const exchangesMigration = {
  name: "2026-11-exchanges",
  sql,
  fill: (db: Connection) => placeAllEntries(db),
};
