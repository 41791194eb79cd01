// Changes of a PostgreSQL store for machines, and those that it receives from them.
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
import type { Transaction, Writer } from "./connection.ts";
import { addObservations, addSummaries, recordEvents } from "./record.ts";
import { revise } from "./revise.ts";
import { type Condition, nothing } from "./scope.ts";
import { keepMark, remove, rowTables } from "./upkeep/forget.ts";
import { withdrawRows } from "./withdraw.ts";

export async function changes(
  on: Transaction,
  { cursor, limit, except }: ChangeRequest,
): Promise<ChangePage> {
  const feed = await on.all(
    "SELECT * FROM feed WHERE team_id = ? AND id > ? ORDER BY id LIMIT ?",
    on.space.team,
    cursor,
    limit + 1,
  );
  const page = feed.slice(0, limit);
  const rows = await rowsBehind(on, page);
  const found = page.flatMap(({ kind, ref, machine, person_id: person }): ChangeFrom[] => {
    const row = rows.get(`${kind} ${ref}`);
    const source = changeSources[String(kind)];
    if (!row || !source) return [];
    const isOwn = person === on.space.person;
    // Its own person still has a row that others may not see any more.
    if (kind === "withdrawn" && isOwn && row.is_deleted !== 1) return [];
    if (machine !== null && isOwn && (except === "any" || except.machine === machine)) return [];
    const origin = { machine: String(machine ?? ""), ...(isOwn ? {} : { person: String(person) }) };
    return [machine === null && isOwn ? source.from(row) : { ...source.from(row), origin }];
  });
  return { changes: found, cursor: Number(page.at(-1)?.id ?? cursor), more: feed.length > limit };
}

async function rowsBehind(on: Transaction, page: readonly Row[]) {
  const rows = new Map<string, Row>();
  for (const [kind, { table, key }] of Object.entries(changeSources)) {
    const refs = page.filter((change) => change.kind === kind).map(({ ref }) => Number(ref));
    if (refs.length === 0) continue;
    const sql = `SELECT * FROM ${table} WHERE team_id = ? AND ${key} = ANY(?)`;
    for (const row of await on.all(sql, on.space.team, refs)) rows.set(`${kind} ${row[key]}`, row);
  }
  return rows;
}

type Take = (on: Writer, changes: readonly ChangeFrom[], now: number) => Promise<Partial<Received>>;

const ofKind = <K extends Change["kind"]>(changes: readonly ChangeFrom[], kind: K) =>
  changes.filter((change): change is Extract<ChangeFrom, { kind: K }> => change.kind === kind);

const takeEvents: Take = async (on, all, now) => {
  const events = ofKind(all, "event").map(({ row }) => row);
  const { added } = await recordEvents(on, events, { now, work: () => undefined });
  return { added: added.length };
};

const tables = { observation: "observations", summary: "session_summaries" } as const;

const withdrawnUids = async (on: Transaction, kind: ChangeableKind, uids: readonly string[]) =>
  new Set(
    (
      await on.all(
        "SELECT uid FROM withdrawn WHERE person_id = ? AND kind = ? AND uid = ANY(?) AND is_deleted = 1",
        on.space.person,
        kind,
        uids,
      )
    ).map(({ uid }) => String(uid)),
  );

function takeRows(kind: ChangeableKind): Take {
  return async (on, all, now) => {
    const uids = [...ofKind(all, "observation"), ...ofKind(all, "summary")].map(({ row }) => row.uid);
    const withdrawn = await withdrawnUids(on, kind, uids);
    const known = new Map(
      (
        await on.all(
          `SELECT * FROM ${tables[kind]} WHERE person_id = ? AND uid = ANY(?)`,
          on.space.person,
          uids,
        )
      ).map((row) => [String(row.uid), row]),
    );
    const isNew = ({ uid }: { readonly uid: string }) => !withdrawn.has(uid) && !known.has(uid);
    const isChanged = (uid: string, columns: Readonly<Record<string, unknown>>) => {
      const row = known.get(uid);
      return row !== undefined && Object.entries(columns).some(([name, value]) => row[name] !== value);
    };
    const observations = ofKind(all, "observation").map(({ row }) => row);
    const summaries = ofKind(all, "summary").map(({ row }) => row);
    const added = [
      await addObservations(on, observations.filter(isNew), now),
      await addSummaries(on, summaries.filter(isNew), now),
    ].flatMap((one) => one.added);
    const revisions = {
      observations: observations.filter((row) => isChanged(row.uid, textColumns.observation(row))),
      summaries: summaries.filter((row) => isChanged(row.uid, textColumns.summary(row))),
    };
    await revise(on, revisions);
    return { added: added.length, changed: revisions.observations.length + revisions.summaries.length };
  };
}

const noRows = {
  events: nothing,
  prompts: nothing,
  observations: nothing,
  summaries: nothing,
  messages: nothing,
};

const takeWithdrawn: Take = async (on, all) => {
  let removed = 0;
  for (const { of: kind, uid } of ofKind(all, "withdrawn")) {
    const table = kind === "observation" ? "observations" : "summaries";
    const row = await on.get(
      `SELECT * FROM ${tables[kind]} WHERE person_id = ? AND uid = ?`,
      on.space.person,
      uid,
    );
    if (row !== undefined) {
      await remove(on, { rows: { ...noRows, [table]: { sql: "uid = ?", values: [uid] } } });
      removed += 1;
    }
    await withdrawRows(on, kind, [row ?? { uid, project: "", visibility: "private" }], true);
  }
  return { removed };
};

async function rowsUnder(on: Transaction, mark: ForgottenMark): Promise<Condition> {
  const named = async (column: "claude_session_id" | "project", hash: string | undefined) => {
    if (hash === undefined) return undefined;
    const names = new Set<string>();
    for (const { table } of Object.values(rowTables))
      for (const { name } of await on.all(
        `SELECT DISTINCT ${column} AS name FROM ${table} WHERE person_id = ?`,
        on.space.person,
      ))
        names.add(String(name));
    return [...names].filter((name) => sha256(name) === hash);
  };
  const parts: Condition[] = [
    { sql: "created_at_epoch >= ? AND created_at_epoch < ?", values: [mark.from ?? 0, mark.to] },
  ];
  for (const [column, hash] of [
    ["claude_session_id", mark.sessionHash],
    ["project", mark.projectHash],
  ] as const) {
    const names = await named(column, hash);
    if (names !== undefined) parts.push({ sql: `${column} = ANY(?)`, values: [names] });
  }
  return {
    sql: parts.map(({ sql }) => sql).join(" AND "),
    values: parts.flatMap(({ values }) => values),
  };
}

const takeForgotten: Take = async (on, all) => {
  let removed = 0;
  for (const { mark } of ofKind(all, "forgotten")) {
    if (!(await keepMark(on, mark))) continue;
    const meant = await rowsUnder(on, mark);
    const counts = await remove(on, {
      rows: { events: meant, prompts: meant, observations: meant, summaries: meant, messages: meant },
    });
    removed += counts.events + counts.prompts + counts.observations + counts.summaries + counts.messages;
  }
  return { removed };
};

const takes: Readonly<Record<Change["kind"], Take>> = {
  event: takeEvents,
  observation: takeRows("observation"),
  summary: takeRows("summary"),
  withdrawn: takeWithdrawn,
  forgotten: takeForgotten,
};

/** Writers of a team follow each other, so that what the feed has after its head before is of this transaction. */
export async function receive(
  on: Writer,
  { changes: given, machine }: ReceivedChanges,
  now: number,
): Promise<Received> {
  const sum = { added: 0, changed: 0, removed: 0 };
  const head = await on.number("SELECT feed FROM counters WHERE team_id = ?", on.space.team);
  for (const run of runsOf(given)) {
    const [first] = run;
    const { added = 0, changed = 0, removed = 0 } = first ? await takes[first.kind](on, run, now) : {};
    sum.added += added;
    sum.changed += changed;
    sum.removed += removed;
  }
  await on.run(
    "UPDATE feed SET machine = ? WHERE team_id = ? AND person_id = ? AND id > ?",
    machine,
    on.space.team,
    on.space.person,
    head,
  );
  return sum;
}

export async function releaseProject(on: Writer, project: string) {
  const meant: Condition = { sql: "project = ?", values: [project] };
  const counts = await remove(on, {
    rows: { events: meant, prompts: meant, observations: meant, summaries: meant, messages: meant },
  });
  return counts.events + counts.observations + counts.summaries > 0;
}

export async function keepProjectIdentities(on: Writer, identities: readonly ProjectIdentity[]) {
  await on.run(
    "DELETE FROM project_identities WHERE person_id = ? AND project = ANY(?)",
    on.space.person,
    identities.map(({ project }) => project),
  );
  await on.insert(
    "project_identities",
    identities.map(({ project, identity }) => ({ project, identity })),
  );
}

export async function projectIdentities(on: Transaction, projects?: readonly string[]) {
  const rows = await on.all(
    `SELECT DISTINCT project, identity FROM project_identities
       WHERE team_id = ? ${projects === undefined ? "" : "AND project = ANY(?)"} ORDER BY project`,
    on.space.team,
    ...(projects === undefined ? [] : [projects]),
  );
  return rows.map(({ project, identity }) => ({ project: String(project), identity: String(identity) }));
}
