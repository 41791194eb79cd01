// A team's server for tests: in this process, on loopback, over a schema of its own.
import { pino } from "pino";
import { inject } from "vitest";
import { DAY } from "../../src/lib/index.ts";
import { startServer } from "../../src/server/index.ts";
import { openTeamDatabase, scopes, type TeamDatabase } from "../../src/store/team.ts";

export interface TestServer {
  readonly url: string;
  readonly schema: string;
  readonly database: TeamDatabase;
  /** Adds a person where needed and gives the secret of a new key. */
  key(
    team: string,
    person: string,
    more?: {
      readonly scopes?: readonly string[];
      readonly days?: number;
      readonly projects?: readonly string[];
    },
  ): Promise<{ readonly id: string; readonly secret: string }>;
  /** Stops it, and starts another one at the same port. */
  restart(downMs?: number): Promise<void>;
  stop(): Promise<void>;
}

let schemas = 0;

export async function startTestServer(
  more: { readonly requestsPerMinute?: number } = {},
): Promise<TestServer> {
  const schema = `server_${process.pid}_${schemas++}`;
  const url = inject("postgresUrl");
  const database = await openTeamDatabase({ url, schema });
  const start = (port: number) =>
    startServer({
      ...{ url, schema, host: "127.0.0.1", port, isBehindProxy: false, log: pino({ level: "silent" }) },
      requestsPerMinute: 100_000,
      ...more,
    });
  let server = await start(0);
  const { address } = server;
  return {
    url: address,
    schema,
    database,
    async key(team, person, { scopes: given = scopes, days = 1, projects } = {}) {
      await database.access.addPerson(team, person, projects);
      const expiresAt = Date.now() + days * DAY;
      return database.access.addKey({ team, person, scopes: given, note: "", expiresAt });
    },
    async restart(downMs = 0) {
      await server.close();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      server = await start(Number(new URL(address).port));
    },
    async stop() {
      await server.close();
      await database.close();
    },
  };
}
