// The schema of a new store, as one text. A store that exists is changed by migrations only: see migrate.ts.
import { DAY, observationTypes, present } from "../../../lib/index.ts";
import type { EntryKind } from "../../searchIndex.ts";

/** The tables whose rows belong to a session, by the names under which rows are counted. */
export const rowTables = {
  events: "events",
  prompts: "user_prompts",
  observations: "observations",
  summaries: "session_summaries",
  messages: "messages",
} as const;

/** The tables whose rows can be searched for, by the kind of their entries. */
export const indexedTables = {
  observation: "observations",
  summary: "session_summaries",
  prompt: "user_prompts",
  message: "messages",
} as const satisfies Record<EntryKind, string>;

/** All full-text indexes: checked by the integrity check, rewritten after `forget`. */
export const fullTextTables = [
  "observations_fts",
  "session_summaries_fts",
  "user_prompts_fts",
  "passages_fts",
] as const;

/** The condition of the index `events_that_turn`: events that open or complete a session, looked up with every batch. */
export const lifecycleEvent = "kind IN ('session-start', 'prompt', 'session-end')";

const typeList = observationTypes.map((type) => `'${type}'`).join(", ");

/** A full-text index of a table, updated by triggers. */
function fullTextIndex(table: string, columns: readonly string[]) {
  const index = `${table}_fts`;
  const names = columns.join(", ");
  const values = (row: string) => columns.map((column) => `${row}.${column}`).join(", ");
  const remove = `INSERT INTO ${index}(${index}, rowid, ${names}) VALUES ('delete', old.id, ${values("old")});`;
  const add = `INSERT INTO ${index}(rowid, ${names}) VALUES (new.id, ${values("new")});`;
  return `
CREATE VIRTUAL TABLE ${index} USING fts5(${names}, content='${table}', content_rowid='id');
-- Without this a deleted word stays readable in the index until a later merge.
INSERT INTO ${index}(${index}, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER ${table}_ai AFTER INSERT ON ${table} BEGIN ${add} END;
CREATE TRIGGER ${table}_ad AFTER DELETE ON ${table} BEGIN ${remove} END;
CREATE TRIGGER ${table}_au AFTER UPDATE OF ${names} ON ${table} BEGIN ${remove} ${add} END;`;
}

/** A row that is deleted or changed takes its entry with it; the writer of the change indexes the row again. */
function entryTriggers(kind: EntryKind) {
  const table = indexedTables[kind];
  const remove = `BEGIN DELETE FROM entries WHERE kind = '${kind}' AND ref = old.id; END;`;
  return `CREATE TRIGGER ${table}_entry_ad AFTER DELETE ON ${table} ${remove}
CREATE TRIGGER ${table}_entry_au AFTER UPDATE ON ${table} ${remove}`;
}

/** Counts the rows of a table, by project and the column `sort`, and by UTC day. */
function tallyTriggers(what: string, table: string, sort?: string) {
  const sorted = (row: string) => (sort === undefined ? "''" : `${row}.${sort}`);
  const day = (row: string) => `${row}.created_at_epoch / ${DAY}`;
  const add = `
  INSERT INTO tallies VALUES ('${what}', new.project, ${sorted("new")}, 1) ON CONFLICT DO UPDATE SET amount = amount + 1;
  INSERT INTO daily_tallies VALUES ('${what}', ${day("new")}, 1) ON CONFLICT DO UPDATE SET amount = amount + 1;`;
  // A number that has come down to 0 would still name a project that was forgotten.
  const subtract = (tallies: string, columns: string, values: string) => `
  UPDATE ${tallies} SET amount = amount - 1 WHERE (${columns}) = (${values});
  DELETE FROM ${tallies} WHERE (${columns}) = (${values}) AND amount <= 0;`;
  const remove =
    subtract("tallies", "what, project, sort", `'${what}', old.project, ${sorted("old")}`) +
    subtract("daily_tallies", "what, day", `'${what}', ${day("old")}`);
  const counted = present(["project", "created_at_epoch", sort]).join(", ");
  return `
CREATE TRIGGER ${table}_tally_ai AFTER INSERT ON ${table} BEGIN ${add} END;
CREATE TRIGGER ${table}_tally_ad AFTER DELETE ON ${table} BEGIN ${remove} END;
CREATE TRIGGER ${table}_tally_au AFTER UPDATE OF ${counted} ON ${table} BEGIN ${remove} ${add} END;`;
}

export const schema = `
CREATE TABLE sdk_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sdk_session_id TEXT UNIQUE,
  claude_session_id TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL,
  prompt_counter INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed')),
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
  completed_at TEXT, completed_at_epoch INTEGER,
  last_activity_at TEXT NOT NULL, last_activity_epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX sdk_sessions_by_time ON sdk_sessions(last_activity_epoch);
CREATE INDEX sdk_sessions_by_project ON sdk_sessions(project, last_activity_epoch);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  claude_session_id TEXT NOT NULL REFERENCES sdk_sessions(claude_session_id),
  project TEXT NOT NULL,
  prompt_number INTEGER NOT NULL,
  agent TEXT, cwd TEXT, transcript TEXT,
  lane TEXT NOT NULL, writer TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_session ON events(claude_session_id, created_at_epoch, kind);
CREATE INDEX events_that_turn ON events(claude_session_id, kind, created_at_epoch) WHERE ${lifecycleEvent};
CREATE INDEX events_by_project ON events(project, created_at_epoch);
CREATE INDEX events_by_time ON events(created_at_epoch);

CREATE TABLE user_prompts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  sdk_session_id TEXT,
  claude_session_id TEXT NOT NULL REFERENCES sdk_sessions(claude_session_id),
  project TEXT NOT NULL,
  prompt_number INTEGER NOT NULL,
  prompt_text TEXT NOT NULL,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL
) STRICT;

CREATE TABLE observations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES sdk_sessions(id),
  sdk_session_id TEXT,
  claude_session_id TEXT NOT NULL REFERENCES sdk_sessions(claude_session_id),
  project TEXT NOT NULL,
  prompt_number INTEGER NOT NULL,
  tool_name TEXT, correlation_id TEXT,
  title TEXT NOT NULL, subtitle TEXT, narrative TEXT, text TEXT,
  facts TEXT, concepts TEXT,
  type TEXT NOT NULL CHECK (type IN (${typeList})),
  files_read TEXT, files_modified TEXT,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX observations_by_session_id ON observations(session_id);
CREATE INDEX observations_by_type ON observations(type, created_at_epoch);

CREATE TABLE session_summaries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  sdk_session_id TEXT,
  claude_session_id TEXT NOT NULL REFERENCES sdk_sessions(claude_session_id),
  project TEXT NOT NULL,
  prompt_number INTEGER NOT NULL,
  request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL
) STRICT;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL,
  claude_session_id TEXT NOT NULL REFERENCES sdk_sessions(claude_session_id),
  project TEXT NOT NULL,
  role TEXT NOT NULL,
  agent TEXT,
  text TEXT NOT NULL,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
  UNIQUE (claude_session_id, uuid)
) STRICT;

CREATE TABLE queue (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  claude_session_id TEXT, project TEXT,
  payload TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'leased', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  leased_by TEXT, lease_until INTEGER,
  last_error TEXT,
  created_at_epoch INTEGER NOT NULL,
  UNIQUE (kind, key)
) STRICT;
CREATE INDEX queue_by_key ON queue(key);

-- Only points at rows: what is forgotten there is forgotten here.
CREATE TABLE feed (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, ref INTEGER NOT NULL) STRICT;

-- What must not come back from a spool file or a transcript. Hashes, so that the names are forgotten too.
CREATE TABLE forgotten (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_hash TEXT, project_hash TEXT,
  from_epoch INTEGER, to_epoch INTEGER NOT NULL
) STRICT;

CREATE INDEX user_prompts_by_time ON user_prompts(created_at_epoch);
CREATE INDEX user_prompts_by_project ON user_prompts(project, created_at_epoch);
CREATE INDEX user_prompts_by_session ON user_prompts(claude_session_id, created_at_epoch);
CREATE INDEX observations_by_time ON observations(created_at_epoch);
CREATE INDEX observations_by_project ON observations(project, created_at_epoch);
CREATE INDEX observations_by_session ON observations(claude_session_id, created_at_epoch);
CREATE INDEX session_summaries_by_time ON session_summaries(created_at_epoch);
CREATE INDEX session_summaries_by_project ON session_summaries(project, created_at_epoch);
CREATE INDEX session_summaries_by_session ON session_summaries(claude_session_id, created_at_epoch);
CREATE INDEX messages_by_time ON messages(created_at_epoch);
CREATE INDEX messages_by_project ON messages(project, created_at_epoch);
CREATE INDEX messages_by_session ON messages(claude_session_id, created_at_epoch);

${fullTextIndex("observations", ["title", "subtitle", "narrative", "text", "facts", "concepts"])}
${fullTextIndex("session_summaries", ["request", "investigated", "learned", "completed", "next_steps", "notes"])}
${fullTextIndex("user_prompts", ["prompt_text"])}

CREATE TRIGGER events_feed AFTER INSERT ON events
  BEGIN INSERT INTO feed(kind, ref) VALUES ('event', new.seq); END;
CREATE TRIGGER user_prompts_feed AFTER INSERT ON user_prompts
  BEGIN INSERT INTO feed(kind, ref) VALUES ('prompt', new.id); END;
CREATE TRIGGER observations_feed AFTER INSERT ON observations
  BEGIN INSERT INTO feed(kind, ref) VALUES ('observation', new.id); END;
CREATE TRIGGER session_summaries_feed AFTER INSERT ON session_summaries
  BEGIN INSERT INTO feed(kind, ref) VALUES ('summary', new.id); END;

-- The search index: one entry for each row that can be found, its passages, and their full-text index.
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
  is_question INTEGER NOT NULL DEFAULT 0,
  UNIQUE (kind, ref)
) STRICT;
CREATE INDEX entries_by_time ON entries(created_at_epoch);
CREATE INDEX entries_by_project ON entries(project, created_at_epoch);
CREATE INDEX entries_by_size ON entries(project, kind, parts, length);
CREATE INDEX entries_by_session ON entries(claude_session_id, kind, created_at_epoch);
CREATE INDEX entries_that_stand ON entries(project, created_at_epoch) WHERE is_standing = 1;

-- 'place' holds tokens for project and kind, so that the index itself can narrow a search to them. Its weight is 0.
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
  USING fts5(sequence, extra, place, content='passages', content_rowid='id', tokenize='ascii');
INSERT INTO passages_fts(passages_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO passages_fts(passages_fts, rank) VALUES ('rank', 'bm25(1.0, 1.0, 0.0)');
CREATE TRIGGER entries_ad AFTER DELETE ON entries BEGIN
  DELETE FROM passages WHERE entry = old.id;
END;
CREATE TRIGGER passages_ai AFTER INSERT ON passages BEGIN
  INSERT INTO passages_fts(rowid, sequence, extra, place) VALUES (new.id, new.sequence, new.extra, new.place);
END;
CREATE TRIGGER passages_ad AFTER DELETE ON passages BEGIN
  INSERT INTO passages_fts(passages_fts, rowid, sequence, extra, place)
    VALUES ('delete', old.id, old.sequence, old.extra, old.place);
END;

${entryTriggers("observation")}
${entryTriggers("summary")}
${entryTriggers("prompt")}
${entryTriggers("message")}

-- Vectors of passages, of one model at a time. No virtual table: a trigger deletes them wherever the file is opened.
CREATE TABLE vector_model (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT;
CREATE TABLE vectors (passage INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
CREATE TRIGGER passages_vector_ad AFTER DELETE ON passages BEGIN
  DELETE FROM vectors WHERE passage = old.id;
END;

-- How many rows there are, so that an overview counts none: by project and kind or type, and by UTC day.
CREATE TABLE tallies (
  what TEXT NOT NULL,
  project TEXT NOT NULL,
  sort TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (what, project, sort)
) STRICT, WITHOUT ROWID;
CREATE TABLE daily_tallies (
  what TEXT NOT NULL,
  day INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (what, day)
) STRICT, WITHOUT ROWID;
${tallyTriggers("event", "events", "kind")}
${tallyTriggers("prompt", "user_prompts")}
${tallyTriggers("observation", "observations", "type")}
${tallyTriggers("summary", "session_summaries")}
${tallyTriggers("message", "messages")}

-- Which observations mention a file (by the last name of its path) or a concept, in the order of time.
CREATE TABLE mentions (
  kind TEXT NOT NULL,
  tail TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL,
  observation INTEGER NOT NULL,
  name TEXT NOT NULL,
  project TEXT NOT NULL,
  PRIMARY KEY (kind, tail, created_at_epoch, observation, name)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER observations_mention_ai AFTER INSERT ON observations BEGIN
  INSERT OR IGNORE INTO mentions
    SELECT 'file', lower(substr(value, length(rtrim(value, replace(value, '/', ''))) + 1)), new.created_at_epoch,
      new.id, value, new.project FROM json_each(new.files_read);
  INSERT OR IGNORE INTO mentions
    SELECT 'file', lower(substr(value, length(rtrim(value, replace(value, '/', ''))) + 1)), new.created_at_epoch,
      new.id, value, new.project FROM json_each(new.files_modified);
  INSERT OR IGNORE INTO mentions
    SELECT 'concept', lower(value), new.created_at_epoch, new.id, value, new.project FROM json_each(new.concepts);
END;
CREATE TRIGGER observations_mention_ad AFTER DELETE ON observations BEGIN
  DELETE FROM mentions WHERE (kind, tail, created_at_epoch, observation) IN (
    SELECT DISTINCT 'file', tail, old.created_at_epoch, old.id FROM (
      SELECT lower(substr(value, length(rtrim(value, replace(value, '/', ''))) + 1)) AS tail
        FROM json_each(old.files_read)
      UNION ALL SELECT lower(substr(value, length(rtrim(value, replace(value, '/', ''))) + 1)) AS tail
        FROM json_each(old.files_modified)));
  DELETE FROM mentions WHERE (kind, tail, created_at_epoch, observation) IN (
    SELECT DISTINCT 'concept', tail, old.created_at_epoch, old.id FROM (
      SELECT lower(value) AS tail
        FROM json_each(old.concepts)));
END;
CREATE TRIGGER observations_mention_au AFTER UPDATE OF files_read, files_modified, concepts ON observations BEGIN
  DELETE FROM mentions WHERE (kind, tail, created_at_epoch, observation) IN (
    SELECT DISTINCT 'file', tail, old.created_at_epoch, old.id FROM (
      SELECT lower(substr(value, length(rtrim(value, replace(value, '/', ''))) + 1)) AS tail
        FROM json_each(old.files_read)
      UNION ALL SELECT lower(substr(value, length(rtrim(value, replace(value, '/', ''))) + 1)) AS tail
        FROM json_each(old.files_modified)));
  DELETE FROM mentions WHERE (kind, tail, created_at_epoch, observation) IN (
    SELECT DISTINCT 'concept', tail, old.created_at_epoch, old.id FROM (
      SELECT lower(value) AS tail
        FROM json_each(old.concepts)));
  INSERT OR IGNORE INTO mentions
    SELECT 'file', lower(substr(value, length(rtrim(value, replace(value, '/', ''))) + 1)), new.created_at_epoch,
      new.id, value, new.project FROM json_each(new.files_read);
  INSERT OR IGNORE INTO mentions
    SELECT 'file', lower(substr(value, length(rtrim(value, replace(value, '/', ''))) + 1)), new.created_at_epoch,
      new.id, value, new.project FROM json_each(new.files_modified);
  INSERT OR IGNORE INTO mentions
    SELECT 'concept', lower(value), new.created_at_epoch, new.id, value, new.project FROM json_each(new.concepts);
END;
CREATE INDEX observations_by_project_type ON observations(project, type, created_at_epoch);

-- What a session cost and saved, up to which activity it was computed, and when.
CREATE TABLE accounts (
  claude_session_id TEXT PRIMARY KEY REFERENCES sdk_sessions(claude_session_id) ON DELETE CASCADE,
  requests INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  saved_tokens INTEGER NOT NULL,
  saved_dollars REAL NOT NULL,
  compactions INTEGER NOT NULL,
  results INTEGER NOT NULL,
  dollars REAL,
  models TEXT NOT NULL,
  up_to_epoch INTEGER NOT NULL,
  drawn_at_epoch INTEGER NOT NULL
) STRICT;

-- Which sources were imported. A backup that is restored brings the state of its time along.
CREATE TABLE imported (key TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX messages_by_uuid ON messages(uuid) WHERE role <> 'tool';

-- Finds the jobs that are due, however many wait for a later time.
CREATE INDEX queue_by_time ON queue(kind, state, not_before);`;
