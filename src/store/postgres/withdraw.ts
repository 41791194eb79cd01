// Rows of PostgreSQL that are withdrawn: deleted, or not to be seen by others any more. Their readers are told in the feed.
import type { Row } from "../portable/rows.ts";
import type { ChangeableKind } from "../sync.ts";
import type { Writer } from "./connection.ts";

export const isShared = ({ visibility }: Row) => visibility !== "private";

/** Tells the readers of these rows, as they were seen before, that they are gone. */
export async function withdrawRows(
  on: Writer,
  kind: ChangeableKind,
  rows: readonly Row[],
  isDeleted: boolean,
) {
  if (rows.length === 0) return;
  const { team, person } = on.space;
  const old = await on.all(
    "DELETE FROM withdrawn WHERE team_id = ? AND person_id = ? AND kind = ? AND uid = ANY(?) RETURNING id",
    team,
    person,
    kind,
    rows.map(({ uid }) => String(uid)),
  );
  await on.run(
    "DELETE FROM feed WHERE team_id = ? AND person_id = ? AND kind = 'withdrawn' AND ref = ANY(?)",
    team,
    person,
    old.map(({ id }) => Number(id)),
  );
  const places = rows.map((row) => ({
    id: on.next("withdrawn"),
    project: String(row.project),
    visibility: String(row.visibility),
    uid: String(row.uid),
  }));
  await on.insert(
    "withdrawn",
    places.map((place) => ({ ...place, kind, is_deleted: Number(isDeleted) })),
  );
  await on.insert(
    "feed",
    places.map(({ id, project, visibility }) => ({
      ...{ id: on.next("feed"), kind: "withdrawn", ref: id, project, visibility },
    })),
  );
}
