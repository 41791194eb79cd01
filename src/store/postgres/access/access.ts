// People of a team and their keys. Of a key only its hash is kept; every transaction asks again whether it holds.
import { randomBytes } from "node:crypto";
import { notFoundError, optionalString, sha256, timeOrderedId, usageError } from "../../../lib/index.ts";
import type { Row } from "../../portable/rows.ts";
import type { Database, Space, Transaction } from "../connection.ts";
import type { Visibility } from "../schema.ts";

/** `read`: search and pull. `write`: send what was captured. `share`: let others see a row. */
export const scopes = ["read", "write", "share"] as const;

export type AccessScope = (typeof scopes)[number];

export interface AccessKey {
  readonly id: string;
  readonly team: string;
  readonly person: string;
  readonly scopes: readonly string[];
  readonly note: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt?: number;
}

interface NewAccessKey extends Pick<AccessKey, "team" | "person" | "scopes" | "note"> {
  readonly expiresAt: number;
}

interface Person {
  readonly person: string;
  /** Projects of which this person sees what was shared with the project. */
  readonly projects: readonly string[];
}

interface AuditEntry {
  readonly person: string;
  readonly key: string;
  readonly action: string;
  readonly detail: string;
}

export interface Access {
  /** The key with this secret and the projects of its person. Undefined when it is unknown, expired or revoked. */
  keyOf(secret: string): Promise<{ readonly key: AccessKey; readonly space: Space } | undefined>;
  addPerson(team: string, person: string, projects: readonly string[] | undefined): Promise<void>;
  /** Revokes every key of the person too. What the person stored stays. */
  removePerson(team: string, person: string): Promise<number>;
  people(team: string): Promise<Person[]>;
  /** Who sees what is shared like that. */
  readers(team: string, visibility: Visibility, project: string): Promise<string[]>;
  /** The secret is given once and cannot be read again. */
  addKey(asked: NewAccessKey): Promise<{ readonly id: string; readonly secret: string }>;
  keys(team: string): Promise<AccessKey[]>;
  revokeKey(team: string, id: string): Promise<boolean>;
  record(team: string, entry: AuditEntry): Promise<void>;
  /** Newest first. */
  audit(team: string, limit: number): Promise<(AuditEntry & { readonly at: number })[]>;
}

const SECRET_BYTES = 32;
const PREFIX = "tlk_";
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/;

function checkName(what: string, name: string) {
  if (NAME.test(name)) return;
  throw usageError(
    `${what} must be a name, not ${JSON.stringify(name)}`,
    "letters, digits and . _ @ -, at most 63, such as ada",
  );
}

const words = (text: unknown) => String(text).split("\n").filter(Boolean);

const keyFrom = (row: Row): AccessKey => ({
  ...{ id: String(row.id), team: String(row.team_id), person: String(row.person_id), note: String(row.note) },
  scopes: words(row.scopes),
  createdAt: Number(row.created_at_epoch),
  expiresAt: Number(row.expires_at_epoch),
  ...(row.revoked_at_epoch === null ? {} : { revokedAt: Number(row.revoked_at_epoch) }),
});

async function addPerson(
  on: Transaction,
  person: string,
  projects: readonly string[] | undefined,
  now: number,
) {
  await on.run(
    `INSERT INTO people VALUES (?, ?, ?, ?) ON CONFLICT (team_id, person_id)
       ${projects === undefined ? "DO NOTHING" : "DO UPDATE SET projects = excluded.projects"}`,
    on.space.team,
    person,
    (projects ?? []).join("\n"),
    now,
  );
}

async function addKey(
  on: Transaction,
  { person, scopes: given, note, expiresAt }: NewAccessKey,
  now: number,
) {
  const { team } = on.space;
  if (
    (await on.number("SELECT count(*) FROM people WHERE team_id = ? AND person_id = ?", team, person)) === 0
  )
    throw notFoundError(
      `${person} is not in the team ${team}`,
      `throughline server user add ${person} --team ${team}`,
    );
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString("base64url");
  const id = timeOrderedId("key", now);
  await on.run(
    "INSERT INTO access_keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)",
    ...[sha256(secret), team, id, person, given.join("\n"), note, now, expiresAt],
  );
  return { id, secret };
}

const listed = async (on: Transaction) =>
  (
    await on.all("SELECT * FROM access_keys WHERE team_id = ? ORDER BY created_at_epoch, id", on.space.team)
  ).map(keyFrom);

const audited = async (on: Transaction, limit: number) =>
  (
    await on.all(
      "SELECT * FROM audit WHERE team_id = ? ORDER BY at_epoch DESC, id DESC LIMIT ?",
      on.space.team,
      limit,
    )
  ).map((row) => ({
    at: Number(row.at_epoch),
    person: String(row.person_id),
    key: String(row.key_id),
    action: String(row.action),
    detail: optionalString(row.detail) ?? "",
  }));

const peopleOf = async (on: Transaction): Promise<Person[]> =>
  (await on.all("SELECT * FROM people WHERE team_id = ? ORDER BY person_id", on.space.team)).map((row) => ({
    person: String(row.person_id),
    projects: words(row.projects),
  }));

/** `database` gives the transactions of a space. */
export function accessOn(database: (space: Space) => Database, now: () => number): Access {
  const asOperator = <T>(team: string, work: (on: Transaction) => Promise<T>) => {
    checkName("the team", team);
    return database({ team, person: "", isOperator: true }).transaction(work);
  };
  const revoke = (on: Transaction, column: "id" | "person_id", value: string) =>
    on.run(
      `UPDATE access_keys SET revoked_at_epoch = ? WHERE team_id = ? AND ${column} = ? AND revoked_at_epoch IS NULL`,
      now(),
      on.space.team,
      value,
    );
  return {
    async keyOf(secret) {
      const hash = sha256(secret);
      const row = await database({ team: "", person: "", key: { hash, isChecked: true } }).transaction((on) =>
        on.get(
          `SELECT * FROM access_keys WHERE hash = ? AND revoked_at_epoch IS NULL AND expires_at_epoch > ?`,
          hash,
          now(),
        ),
      );
      if (row === undefined) return undefined;
      const key = keyFrom(row);
      const space = { team: key.team, person: key.person, key: { hash } };
      const person = await database(space).transaction((on) =>
        on.get("SELECT projects FROM people WHERE team_id = ? AND person_id = ?", key.team, key.person),
      );
      return person && { key, space: { ...space, projects: words(person.projects) } };
    },
    addPerson(team, person, projects) {
      checkName("the person", person);
      return asOperator(team, (on) => addPerson(on, person, projects, now()));
    },
    removePerson: (team, person) =>
      asOperator(team, async (on) => {
        await revoke(on, "person_id", person);
        return on.run("DELETE FROM people WHERE team_id = ? AND person_id = ?", team, person);
      }),
    people: (team) => asOperator(team, peopleOf),
    readers: async (team, visibility, project) => {
      if (visibility === "private") return [];
      const people = await database({ team, person: "" }).transaction(peopleOf);
      return people
        .filter(({ projects }) => visibility === "team" || projects.includes(project))
        .map(({ person }) => person);
    },
    addKey: (asked) => asOperator(asked.team, (on) => addKey(on, asked, now())),
    keys: (team) => asOperator(team, listed),
    revokeKey: (team, id) => asOperator(team, async (on) => (await revoke(on, "id", id)) > 0),
    record: (team, { person, key, action, detail }) =>
      database({ team, person }).transaction(async (on) => {
        await on.run(
          "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)",
          ...[team, timeOrderedId("au", now()), now(), person, key, action, detail],
        );
      }),
    audit: (team, limit) => asOperator(team, (on) => audited(on, limit)),
  };
}
