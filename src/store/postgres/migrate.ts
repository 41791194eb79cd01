// Creates the tables in a schema of their own and brings existing ones up to date, one process at a time.
import pg from "pg";
import { isoTime, ThroughlineError } from "../../lib/index.ts";
import { accessSchema } from "./access/schema.ts";
import { memorySchema } from "./memories.ts";
import { schema as tableSql } from "./schema.ts";

/** Recorded in the database by name; a name is never changed once it has shipped. */
const migrations: readonly { readonly name: string; readonly sql: string }[] = [
  { name: "2026-11-tables", sql: tableSql },
  { name: "2026-11-access", sql: accessSchema },
  { name: "2026-11-memories", sql: memorySchema },
];

/** The lock that one migrating process holds; every schema of a database shares it. */
const LOCK = 0x5468726c;

export async function migrate(pool: pg.Pool, schema: string, now: number): Promise<void> {
  const client = await pool.connect();
  const name = pg.escapeIdentifier(schema);
  try {
    await refuseBypass(client);
    await client.query("SELECT pg_advisory_lock($1)", [LOCK]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${name}; SET search_path TO ${name};
      CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at text NOT NULL)`);
    const { rows } = await client.query<{ name: string }>("SELECT name FROM migrations");
    const applied = rows.map((row) => row.name);
    refuseNewer(applied, schema);
    for (const one of migrations) {
      if (applied.includes(one.name)) continue;
      await client.query(`BEGIN; ${one.sql}`);
      await client.query("INSERT INTO migrations VALUES ($1, $2)", [one.name, isoTime(now)]);
      await client.query("COMMIT");
    }
  } finally {
    // A failed migration is rolled back with its connection, which also gives the lock back.
    client.release(true);
  }
}

function refuseNewer(applied: readonly string[], schema: string) {
  const unknown = applied.filter((name) => !migrations.some((one) => one.name === name));
  if (unknown.length === 0) return;
  throw new ThroughlineError(
    "database-newer",
    `the schema ${schema} was changed by a newer version of Throughline (${unknown.join(", ")})`,
    "upgrade: npm install -g throughline@latest",
  );
}

/** The policies of the tables do not bind a superuser, nor a role that bypasses them. */
async function refuseBypass(client: pg.PoolClient) {
  const { rows } = await client.query<{ rolname: string; bypasses: boolean }>(
    "SELECT rolname, rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user",
  );
  const [role] = rows;
  if (role?.bypasses !== true) return;
  throw new ThroughlineError(
    "permission-denied",
    `the role ${role.rolname} bypasses row level security, which keeps teams and persons apart`,
    "create a role for Throughline: CREATE ROLE throughline LOGIN NOSUPERUSER NOBYPASSRLS; and let it own its database or schema",
  );
}
