// Memories of a person as Markdown files: the newest text of each, and how many times it was changed.
import type { Transaction } from "./connection.ts";

const own =
  "team_id = current_setting('throughline.team', true) AND person_id = current_setting('throughline.person', true)";

/** A file that was deleted keeps its row, without a body. */
export const memorySchema = `
CREATE TABLE memories (
  team_id text NOT NULL, person_id text NOT NULL, project text NOT NULL, file text NOT NULL,
  revision bigint NOT NULL, body text, PRIMARY KEY (team_id, person_id, project, file)
);
ALTER TABLE memories ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON memories USING (${own}) WITH CHECK (${own});`;

export interface MemoryText {
  readonly file: string;
  /** 0 for a file that the server does not know. */
  readonly revision: number;
  /** Null for a file that was deleted. */
  readonly body: string | null;
}

interface KnownMemories {
  readonly project: string;
  readonly known: Readonly<Record<string, number>>;
  readonly limit: number;
}

/** Files whose revision is another than the one that is known; those that are known and not here have the revision 0. */
export async function changedMemories(
  on: Transaction,
  { project, known, limit }: KnownMemories,
): Promise<MemoryText[]> {
  const rows = await on.all(
    "SELECT file, revision FROM memories WHERE team_id = ? AND person_id = ? AND project = ? ORDER BY file",
    on.space.team,
    on.space.person,
    project,
  );
  const there = new Set(rows.map(({ file }) => String(file)));
  const changed = rows
    .filter(({ file, revision }) => known[String(file)] !== Number(revision))
    .slice(0, limit);
  const found = await on.all(
    "SELECT file, revision, body FROM memories WHERE team_id = ? AND person_id = ? AND project = ? AND file = ANY(?)",
    on.space.team,
    on.space.person,
    project,
    changed.map(({ file }) => String(file)),
  );
  const gone = Object.keys(known).filter((file) => !there.has(file));
  return [
    ...found.map(({ file, revision, body }) => ({
      file: String(file),
      revision: Number(revision),
      body: body === null ? null : String(body),
    })),
    ...gone.slice(0, limit).map((file) => ({ file, revision: 0, body: null })),
  ];
}

interface MemoryChanges {
  readonly project: string;
  readonly changes: readonly {
    readonly file: string;
    /** The revision that it was made from; 0 for a new file. */
    readonly from: number;
    readonly body: string | null;
  }[];
}

/** Takes what was made from the newest text, and gives what was taken; the others have to be merged first. */
export async function keepMemories(
  on: Transaction,
  { project, changes }: MemoryChanges,
): Promise<MemoryText[]> {
  const taken: MemoryText[] = [];
  for (const { file, from, body } of changes) {
    const row = await on.get(
      from === 0
        ? `INSERT INTO memories (body, team_id, person_id, project, file, revision) VALUES (?, ?, ?, ?, ?, ? + 1)
             ON CONFLICT DO NOTHING RETURNING revision`
        : `UPDATE memories SET body = ?, revision = revision + 1
             WHERE team_id = ? AND person_id = ? AND project = ? AND file = ? AND revision = ? RETURNING revision`,
      body,
      on.space.team,
      on.space.person,
      project,
      file,
      from,
    );
    if (row !== undefined) taken.push({ file, revision: Number(row.revision), body });
  }
  return taken;
}
