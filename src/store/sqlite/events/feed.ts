// The change feed: every new event, prompt, observation and summary in the order of its commit.
import type { FeedItem } from "../../events.ts";
import type { Connection } from "../connection.ts";
import type { Row } from "../driver.ts";
import { eventFrom, observationFrom, promptFrom, summaryFrom } from "../knowledge/rows.ts";

const LARGEST_FEED = 1_000;

const feedSources: Readonly<
  Record<string, { readonly sql: string; readonly read: (row: Row) => FeedItem["row"] }>
> = {
  event: { sql: "SELECT * FROM events WHERE seq = ?", read: eventFrom },
  prompt: { sql: "SELECT * FROM user_prompts WHERE id = ?", read: promptFrom },
  observation: { sql: "SELECT * FROM observations WHERE id = ?", read: observationFrom },
  summary: { sql: "SELECT * FROM session_summaries WHERE id = ?", read: summaryFrom },
};

export function feedSince(db: Connection, cursor: number, limit: number): FeedItem[] {
  const changes = db.all(
    "SELECT * FROM feed WHERE id > ? ORDER BY id LIMIT ?",
    cursor,
    Math.min(limit, LARGEST_FEED),
  );
  return changes.flatMap(({ id, kind, ref }) => {
    const source = feedSources[String(kind)];
    const row = source && db.get(source.sql, Number(ref));
    if (row === undefined) return [];
    const { project, claude_session_id: session } = row;
    return { cursor: Number(id), project, session, kind, row: source?.read(row) } as FeedItem;
  });
}

/** The counter of the table and not its last row: that one may have been forgotten. */
export function feedHead(db: Connection): number {
  return db.number("SELECT seq FROM sqlite_sequence WHERE name = 'feed'");
}
