// Writes the index of rows: an entry each, its passages, their postings, the files and concepts it mentions, and its exchange.
import { sumOf } from "../../../lib/index.ts";
import { exchangeOf, exchangesOf } from "../../portable/exchanges.ts";
import { newEntry } from "../../portable/newEntry.ts";
import type { Columns } from "../../portable/rows.ts";
import type { IndexedRow } from "../../searchableText.ts";
import type { EntryKind } from "../../searchIndex.ts";
import type { Transaction, Writer } from "../connection.ts";
import { type Visibility, visibilities } from "../schema.ts";
import { addPostings, removePostings } from "./postings.ts";

/** Called in the transaction that adds the rows. The readers of the rows see the index. */
export async function indexRows(on: Writer, rows: readonly IndexedRow[], visibility: Visibility = "private") {
  if (rows.length === 0) return;
  const entries = rows.map((row) => ({ id: on.next("entries"), row, ...newEntry(row) }));
  await on.insert(
    "entries",
    entries.map((entry) => ({
      ...{ id: entry.id, kind: entry.kind, ref: entry.ref, claude_session_id: entry.session },
      ...{ project: entry.project, speaker: entry.speaker, title: entry.title },
      ...{ is_code: Number(entry.isCode), is_standing: Number(entry.isStanding) },
      is_question: Number(entry.isQuestion),
      ...{ parts: entry.passages.length, length: entry.length, created_at_epoch: entry.atEpoch },
      ...{ row_class: entry.rowClass, visibility },
    })),
  );
  const passages = entries.flatMap(({ id: entry, project, kind, passages: own }) =>
    own.map((passage) => ({ entry, project, kind, passage: on.nextPassage(), ...passage })),
  );
  await on.insert(
    "passages",
    passages.map(({ passage: id, entry, project, start, end: ending, sequence, extra }) => ({
      ...{ id, entry, project, start, ending, sequence, extra, visibility },
    })),
  );
  await addPostings(on, passages, visibility);
  await changeSizes(on, entries, 1, visibility);
  await on.insert(
    "mentions",
    rows.flatMap(mentionsOf).map((mention) => ({ ...mention, visibility })),
  );
  await placeEntries(on, entries);
}

const lastName = (path: string) => path.slice(path.lastIndexOf("/") + 1).toLowerCase();

/** Which files (by the last name of their paths) and concepts an observation mentions. */
function mentionsOf({ kind, row }: IndexedRow): Columns[] {
  if (kind !== "observation") return [];
  const of = { created_at_epoch: row.createdAtEpoch, observation: row.id, project: row.project };
  const files = new Set([...(row.filesRead ?? []), ...(row.filesModified ?? [])]);
  return [
    ...[...files].map((name) => ({ kind: "file", tail: lastName(name), name, ...of })),
    ...[...new Set(row.concepts ?? [])].map((name) => ({
      ...{ kind: "concept", tail: name.toLowerCase(), name },
      ...of,
    })),
  ];
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string) {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

interface EntrySize {
  readonly project: string;
  readonly kind: string;
  readonly parts?: number;
  readonly passages?: readonly unknown[];
  readonly length: number;
}

/** How many passages a project has and how long they are, so that a search counts none. */
async function changeSizes(on: Writer, entries: readonly EntrySize[], sign: 1 | -1, visibility: Visibility) {
  const groups = grouped(entries, ({ project, kind }) => `${kind} ${project}`);
  for (const [key, own] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const at = key.indexOf(" ");
    await on.run(
      `INSERT INTO index_sizes (team_id, person_id, project, kind, parts, length, visibility) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (team_id, person_id, project, kind, visibility) DO UPDATE
           SET parts = index_sizes.parts + excluded.parts, length = index_sizes.length + excluded.length`,
      on.space.team,
      on.space.person,
      key.slice(at + 1),
      key.slice(0, at),
      sign * sumOf(own, ({ parts, passages }) => parts ?? passages?.length ?? 0),
      sign * sumOf(own, ({ length }) => length),
      visibility,
    );
  }
  if (sign < 0) await on.run("DELETE FROM index_sizes WHERE person_id = ? AND parts <= 0", on.space.person);
}

/** Entries after the new ones in their sessions may change their exchange. */
async function placeEntries(
  on: Writer,
  entries: readonly { readonly session: string; readonly atEpoch: number }[],
) {
  const sessions = grouped(entries, ({ session }) => session);
  for (const [session, own] of sessions) {
    const since = Math.min(...own.map(({ atEpoch }) => atEpoch));
    const rows = (
      await on.all(
        `SELECT id, row_class, exchange FROM entries
           WHERE person_id = ? AND claude_session_id = ? AND created_at_epoch >= ? ORDER BY created_at_epoch, id`,
        on.space.person,
        session,
        since,
      )
    ).map((row) => ({ entry: Number(row.id), rowClass: row.row_class, exchange: row.exchange }));
    const exchanges = exchangesOf(await openBefore(on, session, since), rows);
    const changed = rows.flatMap(({ entry, exchange }, at) => {
      const now = exchanges[at] ?? entry;
      return exchange === now ? [] : [{ entry, now }];
    });
    await on.run(
      `UPDATE entries SET exchange = given.now FROM unnest(?::bigint[], ?::bigint[]) AS given(entry, now)
         WHERE entries.team_id = ? AND entries.id = given.entry`,
      changed.map(({ entry }) => entry),
      changed.map(({ now }) => now),
      on.space.team,
    );
  }
}

/** The exchange that was open before this time. */
async function openBefore(on: Transaction, session: string, since: number) {
  const before = "person_id = ? AND claude_session_id = ? AND created_at_epoch < ?";
  const values = [on.space.person, session, since] as const;
  const last = await on.get(
    `SELECT exchange FROM entries WHERE ${before} ORDER BY created_at_epoch DESC, id DESC LIMIT 1`,
    ...values,
  );
  if (last === undefined || last.exchange === null) return undefined;
  const id = Number(last.exchange);
  const members = await on.all(
    `SELECT row_class FROM entries WHERE ${before} AND exchange = ?`,
    ...values,
    id,
  );
  return exchangeOf(
    id,
    members.map(({ row_class }) => row_class),
  );
}

const ENTRIES_AT_ONCE = 500;

/** Called in the transaction that deletes or changes the rows. */
export async function removeEntries(on: Writer, kind: EntryKind, refs: readonly number[]) {
  for (let at = 0; at < refs.length; at += ENTRIES_AT_ONCE) {
    const part = refs.slice(at, at + ENTRIES_AT_ONCE);
    const entries = (
      await on.all(
        `DELETE FROM entries WHERE person_id = ? AND kind = ? AND ref = ANY(?) RETURNING id, project, parts, length, visibility`,
        on.space.person,
        kind,
        part,
      )
    ).map(({ id, project, parts, length, visibility }) => ({
      ...{ id: Number(id), project: String(project), kind, parts: Number(parts), length: Number(length) },
      visibility: visibility as Visibility,
    }));
    const projects = new Map(entries.map(({ id, project }) => [id, project]));
    const passages = (
      await on.all(
        "DELETE FROM passages WHERE person_id = ? AND entry = ANY(?) RETURNING id, entry, sequence, extra",
        on.space.person,
        entries.map(({ id }) => id),
      )
    ).map((row) => ({
      ...{ passage: Number(row.id), sequence: String(row.sequence), extra: String(row.extra) },
      ...{ project: projects.get(Number(row.entry)) ?? "", kind },
    }));
    await removePostings(on, passages);
    for (const visibility of visibilities)
      await changeSizes(
        on,
        entries.filter((entry) => entry.visibility === visibility),
        -1,
        visibility,
      );
    await on.run(
      "DELETE FROM vectors WHERE person_id = ? AND passage = ANY(?)",
      on.space.person,
      passages.map(({ passage }) => passage),
    );
    if (kind === "observation")
      await on.run(
        "DELETE FROM mentions WHERE person_id = ? AND observation = ANY(?)",
        on.space.person,
        part,
      );
  }
}
