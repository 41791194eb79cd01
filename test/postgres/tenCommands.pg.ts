// The commands of docs/server.md, run as they stand there: a server, two machines, and a decision that the second one finds.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterEach, expect, inject, it } from "vitest";
import { cliFile } from "../commandLine.ts";

const page = readFileSync(path.resolve(import.meta.dirname, "../../docs/server.md"), "utf8");
const folder = mkdtempSync(path.join(tmpdir(), "throughline-ten-"));
let server: ChildProcess | undefined;

afterEach(async () => {
  for (const machine of ["laptop", "desktop"]) run(machine, "throughline worker stop");
  if (server?.pid !== undefined) {
    const ended = new Promise((resolve) => server?.once("close", resolve));
    server.kill("SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** The lines of a block, by what stands after its ```sh. */
const block = (name: string): string[] =>
  (new RegExp(`\`\`\`sh${name}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? "").trim().split("\n");

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => void probe.listen(0, "127.0.0.1", () => resolve()));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

const variables: Record<string, string> = {};
const ofMachine = (machine: string) => ({
  ...{ PATH: process.env.PATH, HOME: folder, THROUGHLINE_WORKER_PORT: "0" },
  ...{ ...variables, THROUGHLINE_HOME: path.join(folder, machine) },
});
const shell = (line: string) => ["-c", `throughline() { "${process.execPath}" "${cliFile}" "$@"; }; ${line}`];

function run(machine: string, line: string) {
  const { status, stdout, stderr } = spawnSync("sh", shell(line), {
    cwd: path.join(folder, "work"),
    encoding: "utf8",
    env: ofMachine(machine),
  });
  return { status, stdout, stderr };
}

it("shares a decision between two machines in ten commands", async () => {
  mkdirSync(path.join(folder, "work"));
  const url = new URL(inject("postgresUrl"));
  url.pathname = "/ten";
  const admin = new pg.Client(inject("postgresUrl").replace("throughline@", "postgres@"));
  await admin.connect();
  await admin.query("CREATE DATABASE ten OWNER throughline");
  await admin.end();
  const port = await freePort();
  const here = (line: string) =>
    line.replace("127.0.0.1:5432/throughline", `${url.host}/ten`).replace("37700", String(port));
  const [exported = "", ...lines] = block("");
  const [name = "", value = ""] = here(exported).replace("export ", "").split(/=(.*)/s);
  variables[name] = value;
  const background = lines.pop() ?? "";
  for (const line of lines) expect(run("operator", line), line).toMatchObject({ status: 0 });
  expect(background).toMatch(/^throughline server run &$/);
  const words = background.replace(" &", ` --port ${port}`).split(" ").slice(1);
  server = spawn(process.execPath, [cliFile, ...words], { env: ofMachine("operator") });
  await new Promise<void>((resolve, reject) => {
    server?.stdout?.on("data", (text) => String(text).includes("listening") && resolve());
    server?.once("close", () => reject(new Error("the server ended")));
  });
  for (const machine of ["laptop", "desktop"])
    for (const line of block(` ${machine}`))
      expect(run(machine, here(line)), line).toMatchObject({ status: 0 });
  const found = run("desktop", block(" desktop").at(-1) ?? "");
  expect(found.stdout).toContain("broker drops idle connections");
  expect([exported, ...lines, background, ...block(" laptop"), ...block(" desktop")]).toHaveLength(10);
}, 120_000);
