// Where sessions came from, as their opening events say: the columns to read with a session, and the condition on its rows.
import { type Condition, everything } from "./scope.ts";

const openingEvents = "kind IN ('session-start', 'prompt')";

/** What the first event that says it says. Row level security leaves out the events of other persons and teams. */
const firstValue = (field: string) =>
  `(SELECT payload::json ->> '${field}' FROM events e WHERE e.team_id = sdk_sessions.team_id
    AND e.claude_session_id = sdk_sessions.claude_session_id AND e.${openingEvents}
    AND payload::json ->> '${field}' IS NOT NULL ORDER BY seq LIMIT 1)`;

const isOpened = `EXISTS (SELECT 1 FROM events e WHERE e.team_id = sdk_sessions.team_id
    AND e.claude_session_id = sdk_sessions.claude_session_id AND e.${openingEvents})`;

/** The columns of a session, with those of where it came from. */
export const sessionWithOrigin = `*, CASE WHEN ${isOpened} THEN coalesce(${firstValue("agent_client")}, 'claude-code') END AS client,
  ${firstValue("model")} AS model, ${firstValue("agent_machine")} AS machine`;

/** The condition that a row is of a session of this coding agent. */
export const ofClient = (session: string, client: string | undefined): Condition =>
  client === undefined
    ? everything
    : {
        sql: `${session} IN (SELECT claude_session_id FROM events WHERE ${openingEvents}
          AND coalesce(payload::json ->> 'agent_client', 'claude-code') = ?)`,
        values: [client],
      };
