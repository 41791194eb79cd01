// The tables as they were first laid out. A migration that has shipped is never edited; the next change is a new one.

/** Keeps a full-text index in step with its table, whoever writes there. */
function fullText(table: string, columns: readonly string[]): string {
  const index = `${table}_fts`;
  const names = columns.join(", ");
  const values = (row: string): string => columns.map((column) => `${row}.${column}`).join(", ");
  const remove = `INSERT INTO ${index}(${index}, rowid, ${names}) VALUES ('delete', old.id, ${values("old")});`;
  const add = `INSERT INTO ${index}(rowid, ${names}) VALUES (new.id, ${values("new")});`;
  return `
    CREATE VIRTUAL TABLE ${index} USING fts5(${names}, content='${table}', content_rowid='id');
    -- Without this a deleted word stays readable in the index until some later merge.
    INSERT INTO ${index}(${index}, rank) VALUES ('secure-delete', 1);
    CREATE TRIGGER ${table}_ai AFTER INSERT ON ${table} BEGIN ${add} END;
    CREATE TRIGGER ${table}_ad AFTER DELETE ON ${table} BEGIN ${remove} END;
    CREATE TRIGGER ${table}_au AFTER UPDATE OF ${names} ON ${table} BEGIN ${remove} ${add} END;`;
}

function fed(table: string, kind: string, key: string): string {
  return `CREATE TRIGGER ${table}_feed AFTER INSERT ON ${table}
    BEGIN INSERT INTO feed(kind, ref) VALUES ('${kind}', new.${key}); END;`;
}

/** Events that open or complete a session: few among many, and asked for with every batch. */
export const turning = "kind IN ('session-start', 'prompt', 'session-end')";

const session = "claude_session_id TEXT NOT NULL REFERENCES sdk_sessions(claude_session_id)";
const created = "created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL";

const tables = `
  CREATE TABLE sdk_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sdk_session_id TEXT UNIQUE,
    claude_session_id TEXT NOT NULL UNIQUE,
    project TEXT NOT NULL,
    prompt_counter INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed')),
    ${created},
    completed_at TEXT, completed_at_epoch INTEGER,
    last_activity_at TEXT NOT NULL, last_activity_epoch INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sdk_sessions_by_time ON sdk_sessions(last_activity_epoch);
  CREATE INDEX sdk_sessions_by_project ON sdk_sessions(project, last_activity_epoch);

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    ${session},
    project TEXT NOT NULL,
    prompt_number INTEGER NOT NULL,
    agent TEXT, cwd TEXT, transcript TEXT,
    lane TEXT NOT NULL, writer TEXT NOT NULL,
    payload TEXT NOT NULL,
    ${created}
  ) STRICT;
  CREATE INDEX events_by_session ON events(claude_session_id, created_at_epoch, kind);
  CREATE INDEX events_that_turn ON events(claude_session_id, kind, created_at_epoch) WHERE ${turning};
  CREATE INDEX events_by_project ON events(project, created_at_epoch);
  CREATE INDEX events_by_time ON events(created_at_epoch);

  CREATE TABLE user_prompts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    sdk_session_id TEXT,
    ${session},
    project TEXT NOT NULL,
    prompt_number INTEGER NOT NULL,
    prompt_text TEXT NOT NULL,
    ${created}
  ) STRICT;

  CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    session_id INTEGER NOT NULL REFERENCES sdk_sessions(id),
    sdk_session_id TEXT,
    ${session},
    project TEXT NOT NULL,
    prompt_number INTEGER NOT NULL,
    tool_name TEXT, correlation_id TEXT,
    title TEXT NOT NULL, subtitle TEXT, narrative TEXT, text TEXT,
    facts TEXT, concepts TEXT,
    type TEXT NOT NULL CHECK (type IN ('decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change')),
    files_read TEXT, files_modified TEXT,
    ${created}
  ) STRICT;
  CREATE INDEX observations_by_session_id ON observations(session_id);
  CREATE INDEX observations_by_type ON observations(type, created_at_epoch);

  CREATE TABLE session_summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    sdk_session_id TEXT,
    ${session},
    project TEXT NOT NULL,
    prompt_number INTEGER NOT NULL,
    request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT,
    ${created}
  ) STRICT;

  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL,
    ${session},
    project TEXT NOT NULL,
    role TEXT NOT NULL,
    agent TEXT,
    text TEXT NOT NULL,
    ${created},
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
  ) STRICT;`;

const byTime = ["user_prompts", "observations", "session_summaries", "messages"]
  .map(
    (table) => `
  CREATE INDEX ${table}_by_time ON ${table}(created_at_epoch);
  CREATE INDEX ${table}_by_project ON ${table}(project, created_at_epoch);
  CREATE INDEX ${table}_by_session ON ${table}(claude_session_id, created_at_epoch);`,
  )
  .join("");

export const firstTables = [
  tables,
  byTime,
  fullText("observations", ["title", "subtitle", "narrative", "text", "facts", "concepts"]),
  fullText("session_summaries", ["request", "investigated", "learned", "completed", "next_steps", "notes"]),
  fullText("user_prompts", ["prompt_text"]),
  fed("events", "event", "seq"),
  fed("user_prompts", "prompt", "id"),
  fed("observations", "observation", "id"),
  fed("session_summaries", "summary", "id"),
].join("\n");
