// Starts one PostgreSQL for the suite, with a role that no policy lets through.
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startPostgres } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the server for the role of the tests. */
    postgresUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const server = await startPostgres(process.env.THROUGHLINE_PG_BIN);
  if ("reason" in server) throw new Error(`PostgreSQL cannot be started: ${server.reason}`);
  try {
    await createRole(server.url);
  } catch (error) {
    server.stop();
    throw error;
  }
  const url = new URL(server.url);
  project.provide("postgresUrl", `postgres://throughline@${url.host}/throughline`);
  return () => server.stop();
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
