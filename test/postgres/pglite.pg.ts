// The engine keeps the contract on PGlite, a PostgreSQL that needs no server: with its vectors and its BM25.
import { spawn } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { cacheFolder, installOnce } from "../e2e/claude.ts";
import { storeContract } from "../storeContract/index.ts";
import { storesOn } from "./stores.ts";

const PGLITE = "@electric-sql/pglite@0.5.16";
const SOCKET = "@electric-sql/pglite-socket@0.2.17";

let url = "";
let stop = (): void => undefined;

async function start(): Promise<void> {
  const folder = path.join(cacheFolder(), PGLITE.replace(/.*@/, "pglite-"));
  const proof = (at: string): string =>
    path.join(at, "node_modules", "@electric-sql", "pglite-socket", "package.json");
  const problem = await installOnce({
    folder,
    wanted: PGLITE,
    options: ["--legacy-peer-deps", SOCKET],
    proof,
  });
  if (problem !== undefined) throw new Error(problem);
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "pgliteServer.mjs"), folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  stop = () => void child.stdin.end();
  const host = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("close", () => reject(new Error("PGlite ended")));
  });
  url = `postgres://throughline@${host}/postgres`;
}

beforeAll(start);
afterAll(() => stop());

storeContract(
  "PGlite",
  storesOn(() => url),
);
