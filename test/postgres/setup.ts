// Starts one PostgreSQL for the suite, and the oldest that is supported where the system has it, each with a role that no policy lets through.
import { existsSync } from "node:fs";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startPostgres } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the server for the role of the tests. */
    postgresUrl: string;
    /** The same of PostgreSQL 15; empty where its programs are not installed. */
    oldPostgresUrl: string;
  }
}

const OLD_PROGRAMS = "/usr/lib/postgresql/15/bin";

export default async function setup(project: TestProject): Promise<() => void> {
  const given = process.env.THROUGHLINE_PG_BIN;
  const servers = [await start(given)];
  const stop = (): void => {
    for (const server of servers) server.stop();
  };
  try {
    if (given === undefined && existsSync(OLD_PROGRAMS)) servers.push(await start(OLD_PROGRAMS));
  } catch (error) {
    stop();
    throw error;
  }
  project.provide("postgresUrl", servers[0]?.role ?? "");
  project.provide("oldPostgresUrl", servers[1]?.role ?? "");
  return stop;
}

async function start(programs: string | undefined) {
  const server = await startPostgres(programs);
  if ("reason" in server) throw new Error(`PostgreSQL cannot be started: ${server.reason}`);
  try {
    await createRole(server.url);
  } catch (error) {
    server.stop();
    throw error;
  }
  return { role: `postgres://throughline@${new URL(server.url).host}/throughline`, stop: server.stop };
}

async function createRole(url: string): Promise<void> {
  const admin = new pg.Client(url);
  await admin.connect();
  try {
    await admin.query("CREATE ROLE throughline LOGIN NOSUPERUSER NOBYPASSRLS");
    await admin.query("CREATE DATABASE throughline OWNER throughline");
  } finally {
    await admin.end();
  }
}
