// The change feed: every new event, prompt, observation and summary in the order of its commit.
import type { FeedItem } from "../../events.ts";
import { type Connection, numberFrom } from "../connection.ts";
import type { Row } from "../driver.ts";
import { eventFrom, observationFrom, promptFrom, summaryFrom } from "../knowledge/rows.ts";

const LARGEST_LIMIT = 1_000;

const items: Readonly<
  Record<string, { readonly sql: string; readonly of: (row: Row, base: Base) => FeedItem }>
> = {
  event: {
    sql: "SELECT * FROM events WHERE seq = ?",
    of: (row, base) => ({ ...base, kind: "event", row: eventFrom(row) }),
  },
  prompt: {
    sql: "SELECT * FROM user_prompts WHERE id = ?",
    of: (row, base) => ({ ...base, kind: "prompt", row: promptFrom(row) }),
  },
  observation: {
    sql: "SELECT * FROM observations WHERE id = ?",
    of: (row, base) => ({ ...base, kind: "observation", row: observationFrom(row) }),
  },
  summary: {
    sql: "SELECT * FROM session_summaries WHERE id = ?",
    of: (row, base) => ({ ...base, kind: "summary", row: summaryFrom(row) }),
  },
};

interface Base {
  readonly cursor: number;
  readonly project: string;
  readonly session: string;
}

export function feedSince(db: Connection, cursor: number, limit: number): FeedItem[] {
  return db
    .prepare("SELECT * FROM feed WHERE id > ? ORDER BY id LIMIT ?")
    .all(cursor, Math.min(limit, LARGEST_LIMIT))
    .flatMap(({ id, kind, ref }) => {
      const item = items[String(kind)];
      const row = item === undefined ? undefined : db.prepare(item.sql).get(Number(ref));
      if (item === undefined || row === undefined) return [];
      const base = {
        cursor: Number(id),
        project: String(row.project),
        session: String(row.claude_session_id),
      };
      return [item.of(row, base)];
    });
}

/** The counter of the table and not its last row: that one may have been forgotten. */
export function feedHead(db: Connection): number {
  return numberFrom(db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'feed'").get());
}
