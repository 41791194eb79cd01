// Transactions of PostgreSQL: each names its team and its person, which the policies of the tables ask for, and is tried again when the server refuses its order.
import pg from "pg";
import {
  errorText,
  isObject,
  sumOf,
  systemClock,
  systemErrorCode,
  ThroughlineError,
} from "../../lib/index.ts";
import type { Columns, Row } from "../portable/rows.ts";
import { type CounterName, counterNames, type TableName, tables } from "./schema.ts";

/** Whose rows a transaction may see: those of one person, and what others of the team have shared. */
export interface Space {
  readonly team: string;
  readonly person: string;
  /** Projects of the team of which this person may see what was shared with the project; none unless given. */
  readonly projects?: readonly string[];
  /** The key that a request came with: a transaction of one that does not hold any more is refused. */
  readonly key?: { readonly hash: string; readonly isChecked?: true };
  /** Manages people and keys. */
  readonly isOperator?: true;
}

export type PgValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly string[]
  | readonly number[];

export interface Transaction {
  readonly space: Space;
  /** `?` stands for a value. */
  all(sql: string, ...values: PgValue[]): Promise<Row[]>;
  get(sql: string, ...values: PgValue[]): Promise<Row | undefined>;
  /** The first column of the first row, such as a count; 0 when there is none. */
  number(sql: string, ...values: PgValue[]): Promise<number>;
  /** Gives the number of rows that were changed. */
  run(sql: string, ...values: PgValue[]): Promise<number>;
}

/** A transaction that holds its team's row of counters, so that the writers of a team follow each other. */
export interface Writer extends Transaction {
  /** The next number of that kind. Numbers of a transaction that fails are given again. */
  next(counter: CounterName): number;
  /** The next number of a passage of this person. */
  nextPassage(): number;
  /** Adds rows in one statement. Rows whose key is taken are left out. */
  insert(table: TableName, rows: readonly Columns[]): Promise<void>;
}

export interface Database {
  transaction<T>(work: (on: Transaction) => Promise<T>): Promise<T>;
  write<T>(work: (on: Writer) => Promise<T>): Promise<T>;
  /** What is done with the database given to `work` is kept together, or not at all. The team's other writers wait. */
  together<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** Statements that must not stand in a transaction, such as VACUUM. */
  outside(...statements: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** The server asks for these to be tried again: a conflict of two transactions, a deadlock. */
const conflicts = ["40001", "40P01"];
const MOST_TRIES = 5;

/** Numbers of 64 bits as numbers: ids, times in milliseconds and sizes stay far below 2^53. */
const typeParsers = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format as "text"),
} as pg.CustomTypesConfig;

/** PostgreSQL keeps no zero character in a text. */
const withoutZeros = (text: string) => (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text);

const clean = (value: unknown): unknown => {
  if (typeof value === "string") return withoutZeros(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Array.isArray(value) ? value.map(clean) : value;
};

const numbered = new Map<string, string>();

/** `?` becomes `$1`, `$2` and so on; statements are few, so that each is rewritten once. */
function numberedParameters(sql: string) {
  const known = numbered.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql.replace(/\?/g, () => `$${++count}`);
  if (numbered.size < 1_000) numbered.set(sql, text);
  return text;
}

export function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, types: typeParsers, max: 8 });
  // A connection that breaks while nothing uses it is replaced by the next one.
  pool.on("error", () => undefined);
  return pool;
}

export function databaseOn(pool: pg.Pool, schema: string, space: Space): Database {
  const inTransaction = async <T>(
    work: (on: Transaction, client: pg.PoolClient) => Promise<T>,
  ): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await onceInTransaction(pool, schema, space, work);
      } catch (error) {
        if (tries < MOST_TRIES && conflicts.includes(systemErrorCode(error) ?? "")) continue;
        throw classified(error);
      }
    }
  };
  return {
    transaction: (work) => inTransaction(work),
    write: (work) => inTransaction((on) => asWriter(on, work)),
    together: (work) => inTransaction((on) => asWriter(on, (writer) => work(withinWriter(writer)))),
    outside: async (...statements) => {
      const client = await pool.connect().catch(refuse);
      try {
        await client.query(`SET search_path TO ${pg.escapeIdentifier(schema)}`);
        for (const statement of statements) await client.query(statement);
        await client.query("RESET search_path");
      } catch (error) {
        throw classified(error);
      } finally {
        client.release();
      }
    },
    close: () => pool.end(),
  };
}

/** The same database inside a transaction that is open. */
function withinWriter(on: Writer): Database {
  const within: Database = {
    transaction: (work) => work(on),
    write: (work) => work(on),
    together: (work) => work(within),
    outside: () => Promise.reject(new ThroughlineError("internal", "this must not stand in a transaction")),
    close: async () => undefined,
  };
  return within;
}

/** Asked in every transaction, so that a key that is revoked while a request is under way does no more. */
const keyQuery = ({ key, team, person }: Space) =>
  key === undefined || key.isChecked
    ? ""
    : `SELECT 1 FROM access_keys WHERE hash = ${pg.escapeLiteral(key.hash)} AND team_id = ${pg.escapeLiteral(team)}
         AND person_id = ${pg.escapeLiteral(person)} AND revoked_at_epoch IS NULL AND expires_at_epoch > ${systemClock.now()}`;

const lastRowCount = (answers: unknown) => {
  const last: unknown = Array.isArray(answers) ? answers.at(-1) : answers;
  return isObject(last) ? Number(last.rowCount) : 0;
};

async function onceInTransaction<T>(
  pool: pg.Pool,
  schema: string,
  space: Space,
  work: (on: Transaction, client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let isBroken: Error | undefined;
  try {
    const config = (name: string, value: string) => `set_config('${name}', ${pg.escapeLiteral(value)}, true)`;
    // Set for this transaction alone: the next one on this connection may be another team's.
    const answers: unknown = await client.query(
      `BEGIN; SELECT ${config("search_path", pg.escapeIdentifier(schema))},
         ${config("throughline.team", space.team)}, ${config("throughline.person", space.person)},
         ${config("throughline.projects", (space.projects ?? []).join("\n"))},
         ${config("throughline.key", space.key?.hash ?? "")},
         ${config("throughline.operator", space.isOperator ? "on" : "")}; ${keyQuery(space)}`,
    );
    if (space.key && !space.key.isChecked && lastRowCount(answers) === 0) throw refusedKey();
    const result = await work(transactionOn(client, space), client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch((lost: Error) => {
      isBroken = lost;
    });
    throw error;
  } finally {
    client.release(isBroken);
  }
}

function transactionOn(client: pg.PoolClient, space: Space): Transaction {
  const query = (sql: string, values: readonly PgValue[]) =>
    client.query<Record<string, unknown>>(numberedParameters(sql), values.map(clean));
  const all = async (sql: string, ...values: PgValue[]): Promise<Row[]> => (await query(sql, values)).rows;
  return {
    space,
    all,
    get: async (sql, ...values) => (await all(sql, ...values))[0],
    number: async (sql, ...values) => {
      const [row] = await all(sql, ...values);
      return Number(Object.values(row ?? {})[0] ?? 0);
    },
    run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
  };
}

/** Each person has room for so many passages: ids stay whole numbers of JavaScript for two million persons. */
const PASSAGES_OF_A_PERSON = 2 ** 32;

async function asWriter<T>(on: Transaction, work: (writer: Writer) => Promise<T>): Promise<T> {
  const { team, person } = on.space;
  const row = await on.get(
    `INSERT INTO counters (team_id) VALUES (?)
       ON CONFLICT (team_id) DO UPDATE SET team_id = excluded.team_id RETURNING *`,
    team,
  );
  const counters = new Map(counterNames.map((name) => [name, Number(row?.[name] ?? 0)]));
  const before = new Map(counters);
  const next = (name: CounterName) => {
    const number = (counters.get(name) ?? 0) + 1;
    counters.set(name, number);
    return number;
  };
  const known = await on.get("SELECT number, passages FROM persons WHERE person_id = ?", person);
  const own = { number: Number(known?.number ?? next("persons")), passages: Number(known?.passages ?? 0) };
  const given = own.passages;
  const result = await work({
    ...on,
    next,
    nextPassage: () => {
      own.passages += 1;
      return own.number * PASSAGES_OF_A_PERSON + own.passages;
    },
    insert: (table, rows) => insertRows(on, table, rows),
  });
  const changed = counterNames.filter((name) => before.get(name) !== counters.get(name));
  if (changed.length > 0) {
    await on.run(
      `UPDATE counters SET ${changed.map((name) => `${name} = ?`).join(", ")} WHERE team_id = ?`,
      ...changed.map((name) => counters.get(name) ?? 0),
      team,
    );
  }
  if (known === undefined || own.passages !== given) {
    await on.run(
      `INSERT INTO persons (team_id, person_id, number, passages) VALUES (?, ?, ?, ?)
         ON CONFLICT (team_id, person_id) DO UPDATE SET passages = excluded.passages`,
      team,
      person,
      own.number,
      own.passages,
    );
  }
  return result;
}

/** What a statement may carry: larger batches are sent in parts. */
const BATCH_CHARACTERS = 8_000_000;

async function insertRows(on: Transaction, table: TableName, rows: readonly Columns[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const size = sumOf(rows, (row) => sumOf(Object.values(row), (value) => String(value ?? "").length));
  if (size > BATCH_CHARACTERS && rows.length > 1) {
    const half = Math.ceil(rows.length / 2);
    await insertRows(on, table, rows.slice(0, half));
    return insertRows(on, table, rows.slice(half));
  }
  const types: Readonly<Record<string, string>> = tables[table];
  const given = { team_id: on.space.team, ...("person_id" in types ? { person_id: on.space.person } : {}) };
  const names = Object.keys(first);
  const typed = names.map((name) => `?::${types[name] ?? "text"}[]`);
  const columns = names.map((name) => rows.map((row) => row[name] ?? null) as unknown as readonly string[]);
  await on.run(
    `INSERT INTO ${table} (${[...Object.keys(given), ...names].join(", ")})
       SELECT ${Object.keys(given).map(() => "?")}${names.length === 0 ? "" : ", given.*"}
         FROM unnest(${typed.join(", ")}) AS given ON CONFLICT DO NOTHING`,
    ...Object.values(given),
    ...columns,
  );
}

const refusedKey = () =>
  new ThroughlineError(
    "access-refused",
    "the server does not accept this key: it is unknown, expired or revoked",
    "ask the operator for another one (`throughline server key add NAME`), then `throughline remote connect URL`",
  );

const refuse = (error: unknown): never => {
  throw classified(error);
};

/** What a person can do about it, by the class of the server's code or the system's. */
export function classified(error: unknown): unknown {
  if (error instanceof ThroughlineError) return error;
  const code = systemErrorCode(error) ?? "";
  const failure = (kind: "database-failed" | "permission-denied" | "disk-full", what: string, fix: string) =>
    new ThroughlineError(kind, `PostgreSQL ${what}: ${errorText(error)}`, { fix, cause: error });
  if (/^(?:ECONN|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|08|57P)/.test(code))
    return failure(
      "database-failed",
      "cannot be reached",
      "check that the server runs and that its address is right",
    );
  if (/^(?:28|42501)/.test(code))
    return failure(
      "permission-denied",
      "refused access",
      "check the role, its password and its rights on the schema",
    );
  if (code.startsWith("53100")) return failure("disk-full", "has no room", "free disk space on the server");
  if (!/^[0-9A-Z]{5}$/.test(code)) return error;
  return failure(
    "database-failed",
    `refused a statement (${code})`,
    "run `throughline server check`, and report the code",
  );
}
