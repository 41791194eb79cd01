// Changes of a SQLite store for other machines, and those that it receives from them.
import { sha256 } from "../../lib/index.ts";
import { changeSources, runsOf, textColumns } from "../portable/changes.ts";
import type { Row } from "../portable/rows.ts";
import type {
  Change,
  ChangeableKind,
  ChangeFrom,
  ChangePage,
  ChangeRequest,
  ForgottenMark,
  ProjectIdentity,
  Received,
  ReceivedChanges,
} from "../sync.ts";
import type { Connection } from "./connection.ts";
import { recordEvents } from "./events/record.ts";
import { addObservations, addSummaries, revise } from "./knowledge/knowledge.ts";
import { rowTables } from "./schema/schema.ts";
import { remove } from "./upkeep/forget.ts";
import { type Condition, nothing } from "./upkeep/scope.ts";

/** What identifies a change among those that were received. */
function nameOf(change: Change) {
  if (change.kind === "event") return change.row.id;
  if (change.kind === "withdrawn") return `${change.of} ${change.uid}`;
  if (change.kind === "forgotten") return sha256(JSON.stringify(Object.entries(change.mark).sort()));
  return change.row.uid;
}

const originOf = (db: Connection, change: Change) =>
  db.get("SELECT machine, person FROM received WHERE kind = ? AND uid = ?", change.kind, nameOf(change));

export function changes(db: Connection, { cursor, limit, except }: ChangeRequest): ChangePage {
  const feed = db.all("SELECT * FROM feed WHERE id > ? ORDER BY id LIMIT ?", cursor, limit + 1);
  const page = feed.slice(0, limit);
  const found = page.flatMap(({ kind, ref }): ChangeFrom[] => {
    const source = changeSources[String(kind)];
    const row = source && db.get(`SELECT * FROM ${source.table} WHERE ${source.key} = ?`, Number(ref));
    if (!row) return [];
    const change = source.from(row);
    const origin = originOf(db, change);
    if (!origin) return [change];
    if (except === "any" || except.machine === origin.machine) return [];
    const { machine, person } = origin;
    return [
      {
        ...change,
        origin: { machine: String(machine), ...(person === null ? {} : { person: String(person) }) },
      },
    ];
  });
  return { changes: found, cursor: Number(page.at(-1)?.id ?? cursor), more: feed.length > limit };
}

/** What `receive` does with changes of one kind, and what it counts. */
type Take = (db: Connection, changes: readonly ChangeFrom[], how: Taking) => Partial<Received>;

interface Taking {
  readonly now: number;
  readonly unsentAfter: number;
}

const ofKind = <K extends Change["kind"]>(changes: readonly ChangeFrom[], kind: K) =>
  changes.filter((change): change is Extract<ChangeFrom, { kind: K }> => change.kind === kind);

const tables = { observation: "observations", summary: "session_summaries" } as const;

/** A row that was deleted here stays deleted; one that another machine withdrew may be shown again by it. */
const isWithdrawn = (db: Connection, kind: ChangeableKind, uid: string) =>
  db.get(
    `SELECT 1 FROM withdrawn WHERE kind = ?1 AND uid = ?2
       AND NOT EXISTS (SELECT 1 FROM received WHERE kind = 'withdrawn' AND uid = ?1 || ' ' || ?2)`,
    kind,
    uid,
  ) !== undefined;

type RowChange = Extract<ChangeFrom, { readonly kind: ChangeableKind }>;

const isRowChange = (change: ChangeFrom): change is RowChange =>
  change.kind === "observation" || change.kind === "summary";

const takeRows: Take = (db, all, { now, unsentAfter }) => {
  let [added, changed] = [0, 0];
  for (const change of all.filter(isRowChange)) {
    const { kind, row } = change;
    if (isWithdrawn(db, kind, row.uid)) continue;
    db.run("DELETE FROM withdrawn WHERE kind = ? AND uid = ?", kind, row.uid);
    db.run("DELETE FROM received WHERE kind = 'withdrawn' AND uid = ?", `${kind} ${row.uid}`);
    const known = db.get(`SELECT * FROM ${tables[kind]} WHERE uid = ?`, row.uid);
    if (known) {
      if (replaceText(db, change, known, unsentAfter)) changed += 1;
      continue;
    }
    const isNew =
      (kind === "observation" ? addObservations(db, [row], now) : addSummaries(db, [row], now)).added.length >
      0;
    if (isNew) markReceived(db, change);
    added += Number(isNew);
  }
  return { added, changed };
};

/** Replaces the text of a row, unless it is the same, belongs to another person, or was changed here and not sent yet. */
function replaceText(db: Connection, change: RowChange, known: Row, unsentAfter: number) {
  const { kind, row } = change;
  const columns = kind === "observation" ? textColumns.observation(row) : textColumns.summary(row);
  if (Object.entries(columns).every(([name, value]) => known[name] === value)) return false;
  const person = originOf(db, change)?.person ?? null;
  if (person !== (change.origin?.person ?? null)) return false;
  const unsent = "SELECT 1 FROM feed WHERE id > ? AND kind = ? AND ref = ?";
  const isReceived = originOf(db, change) !== undefined;
  if (!isReceived && db.get(unsent, unsentAfter, kind, Number(known.id))) return false;
  revise(db, kind === "observation" ? { observations: [row] } : { summaries: [row] });
  markReceived(db, change);
  return true;
}

/** The change of the feed that this makes is not sent back. */
function markReceived(db: Connection, change: ChangeFrom) {
  db.run(
    "INSERT OR REPLACE INTO received (kind, uid, machine, person) VALUES (?, ?, ?, ?)",
    change.kind,
    nameOf(change),
    change.origin?.machine ?? "",
    change.origin?.person ?? null,
  );
}

const takeEvents: Take = (db, all, { now }) => {
  const events = ofKind(all, "event");
  const { added } = recordEvents(
    db,
    events.map(({ row }) => row),
    { now, work: () => undefined },
  );
  const isNew = new Set(added);
  for (const change of events) if (isNew.has(change.row.id)) markReceived(db, change);
  return { added: added.length };
};

const uidIs = (uid: string): Condition => ({ sql: "uid = ?", values: [uid] });
const noRows = {
  events: nothing,
  prompts: nothing,
  observations: nothing,
  summaries: nothing,
  messages: nothing,
};

/** Deletes one row; gives whether there was one. */
function withdraw(db: Connection, kind: ChangeableKind, uid: string) {
  const table = kind === "observation" ? "observations" : "summaries";
  const counts = remove(db, { rows: { ...noRows, [table]: uidIs(uid) } });
  db.run("DELETE FROM received WHERE kind = ? AND uid = ?", kind, uid);
  db.run("INSERT OR IGNORE INTO withdrawn (kind, uid) VALUES (?, ?)", kind, uid);
  return counts[table] > 0;
}

const takeWithdrawn: Take = (db, all) => {
  let removed = 0;
  for (const change of ofKind(all, "withdrawn")) {
    const { of: kind, uid } = change;
    const person =
      db.get("SELECT person FROM received WHERE kind = ? AND uid = ?", kind, uid)?.person ?? null;
    // A row of one person is not withdrawn by another.
    if (person !== (change.origin?.person ?? null)) continue;
    if (isWithdrawn(db, kind, uid)) continue;
    markReceived(db, change);
    if (withdraw(db, kind, uid)) removed += 1;
  }
  return { removed };
};

/** Sessions or projects whose hash the mark has; undefined where the mark names none. */
function namesBehind(db: Connection, column: "claude_session_id" | "project", hash: string | undefined) {
  if (hash === undefined) return undefined;
  const known = new Set(
    Object.values(rowTables).flatMap((table) =>
      db.all(`SELECT DISTINCT ${column} AS name FROM ${table}`).map(({ name }) => String(name)),
    ),
  );
  return [...known].filter((name) => sha256(name) === hash);
}

function rowsUnder(db: Connection, mark: ForgottenMark): Condition {
  const named = (column: "claude_session_id" | "project", hash: string | undefined): Condition => {
    const names = namesBehind(db, column, hash);
    if (names === undefined) return { sql: "true", values: [] };
    return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(names)] };
  };
  const session = named("claude_session_id", mark.sessionHash);
  const project = named("project", mark.projectHash);
  return {
    sql: `${session.sql} AND ${project.sql} AND created_at_epoch >= ? AND created_at_epoch < ?`,
    values: [...session.values, ...project.values, mark.from ?? 0, mark.to],
  };
}

const takeForgotten: Take = (db, all) => {
  let removed = 0;
  for (const change of ofKind(all, "forgotten")) {
    if (originOf(db, change)) continue;
    const { mark } = change;
    const meant = rowsUnder(db, mark);
    const counts = remove(db, {
      rows: { events: meant, prompts: meant, observations: meant, summaries: meant, messages: meant },
    });
    removed += counts.events + counts.prompts + counts.observations + counts.summaries + counts.messages;
    markReceived(db, change);
    db.run(
      "INSERT INTO forgotten (session_hash, project_hash, from_epoch, to_epoch) VALUES (?, ?, ?, ?)",
      mark.sessionHash ?? null,
      mark.projectHash ?? null,
      mark.from ?? null,
      mark.to,
    );
  }
  return { removed };
};

const takes: Readonly<Record<Change["kind"], Take>> = {
  event: takeEvents,
  observation: takeRows,
  summary: takeRows,
  withdrawn: takeWithdrawn,
  forgotten: takeForgotten,
};

export function receive(
  db: Connection,
  { changes: given, machine, unsentAfter = Number.MAX_SAFE_INTEGER }: ReceivedChanges,
  now: number,
): Received {
  const all = given.map((change) => (change.origin ? change : { ...change, origin: { machine } }));
  return db.transaction(() => {
    const sum = { added: 0, changed: 0, removed: 0 };
    for (const run of runsOf(all)) {
      const [first] = run;
      const {
        added = 0,
        changed = 0,
        removed = 0,
      } = first ? takes[first.kind](db, run, { now, unsentAfter }) : {};
      sum.added += added;
      sum.changed += changed;
      sum.removed += removed;
    }
    return sum;
  });
}

export function releaseProject(db: Connection, project: string) {
  const meant: Condition = { sql: "project = ?", values: [project] };
  const counts = remove(db, {
    rows: { events: meant, prompts: meant, observations: meant, summaries: meant, messages: meant },
  });
  return counts.events + counts.observations + counts.summaries > 0;
}

export function keepProjectIdentities(db: Connection, identities: readonly ProjectIdentity[]) {
  db.transaction(() => {
    for (const { project, identity } of identities)
      db.run(
        "INSERT OR REPLACE INTO project_identities (project, identity) VALUES (?, ?)",
        project,
        identity,
      );
  });
}

/** All that are known, or those of these projects. */
export const projectIdentities = (db: Connection, projects?: readonly string[]) =>
  db
    .all(
      `SELECT project, identity FROM project_identities
         WHERE ?1 IS NULL OR project IN (SELECT value FROM json_each(?1)) ORDER BY project`,
      projects === undefined ? null : JSON.stringify(projects),
    )
    .map(({ project, identity }) => ({ project: String(project), identity: String(identity) }));
