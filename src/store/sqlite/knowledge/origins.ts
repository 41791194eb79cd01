// Where sessions came from: the columns to read with a session, and the condition on rows of one coding agent.
import { type Condition, everything } from "../upkeep/scope.ts";

/** The columns of a session, with those of where it came from. */
export const sessionWithOrigin = `*, ${["client", "model", "machine"]
  .map(
    (name) =>
      `(SELECT ${name} FROM session_origins o WHERE o.claude_session_id = sdk_sessions.claude_session_id) AS ${name}`,
  )
  .join(", ")}`;

/** The condition that a row is of a session of this coding agent. */
export const ofClient = (session: string, client: string | undefined): Condition =>
  client === undefined
    ? everything
    : {
        sql: `${session} IN (SELECT claude_session_id FROM session_origins WHERE client = ?)`,
        values: [client],
      };
