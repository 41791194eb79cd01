// The migration that records which coding agent, model and machine a session belongs to, as its own events say.

const textAt = (field: string) =>
  `CASE json_type(payload, '$.${field}') WHEN 'text' THEN payload ->> '$.${field}' END`;

/** The events that say it: small ones, of which every session has one. */
const openingEvents = "kind IN ('session-start', 'prompt')";

/** What is known stays: the first event that says something decides. */
const record = (from: string) => `
  INSERT INTO session_origins (claude_session_id, client, model, machine)
    SELECT claude_session_id, coalesce(${textAt("agent_client")}, 'claude-code'), ${textAt("model")}, ${textAt("agent_machine")}
      FROM events WHERE ${from} AND ${openingEvents} ORDER BY seq
    ON CONFLICT DO UPDATE SET
      model = coalesce(model, excluded.model), machine = coalesce(machine, excluded.machine);`;

export const originsMigration = {
  name: "2026-11-session-origins",
  sql: `
-- Derived from events, so that an import, a restored backup and a salvaged store have it too.
CREATE TABLE session_origins (
  claude_session_id TEXT PRIMARY KEY REFERENCES sdk_sessions(claude_session_id) ON DELETE CASCADE,
  client TEXT NOT NULL,
  model TEXT,
  machine TEXT
) STRICT;
CREATE INDEX session_origins_by_client ON session_origins(client);
CREATE TRIGGER events_origin_ai AFTER INSERT ON events WHEN new.${openingEvents} BEGIN
${record("seq = new.seq")}
END;
${record("true")}`,
};
