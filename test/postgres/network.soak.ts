// Four machines in network namespaces of their own, with a worker each, and a server with TLS: links that are cut and slow, processes that are killed, clocks an hour apart. In the end all hold the same, once.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore, type Store } from "../../src/store/index.ts";
import { openPostgresStore } from "../../src/store/postgres/engine.ts";
import { cliFile } from "../commandLine.ts";
import { type PostgresServer, startPostgres } from "./server.ts";

const EVENTS = Number(process.env.THROUGHLINE_SYNC_EVENTS ?? 20_000);
const PER_STEP = 200;
const HOUR_SECONDS = 3_600;
const NET = "10.231.7";
const BRIDGE = "tlbridge";
const names = ["laptop", "desktop", "container", "cluster"] as const;

const folder = mkdtempSync(path.join(tmpdir(), "throughline-net-"));
const certificate = path.join(folder, "cert.pem");
const url = `https://${NET}.1:37700`;
let postgres: PostgresServer | undefined;
let database = "";
let server: ChildProcess | undefined;

function ip(command: string) {
  const { status, stderr, error } = spawnSync("ip", command.split(" "), { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${command}: ${error?.message ?? stderr}`);
}

const canSeparate = () =>
  process.getuid?.() === 0 && spawnSync("ip", ["netns", "list"]).status === 0
    ? undefined
    : "needs root and `ip netns`";

function environment(name: string, more: Record<string, string> = {}) {
  const home = path.join(folder, name);
  return {
    PATH: process.env.PATH,
    HOME: home,
    THROUGHLINE_HOME: home,
    THROUGHLINE_WORKER_PORT: "0",
    ...more,
  };
}

/** Every second machine is an hour ahead: its `Date` is told so before anything else runs. */
const ofMachine = (name: string) =>
  environment(name, {
    NODE_EXTRA_CA_CERTS: certificate,
    ...((names as readonly string[]).indexOf(name) % 2 === 1 && {
      NODE_OPTIONS: `--import=${path.join(folder, "hourAhead.mjs")}`,
    }),
  });

/** The times of files come from the same clock. */
const HOUR_AHEAD = `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const Real = Date, ahead = ${HOUR_SECONDS * 1_000};
globalThis.Date = class extends Real {
  constructor(...args) { args.length === 0 ? super(Real.now() + ahead) : super(...args); }
  static now() { return Real.now() + ahead; }
};
const later = (stats) => {
  if (stats && typeof stats.mtimeMs === "number")
    for (const name of ["atimeMs", "mtimeMs", "ctimeMs", "birthtimeMs"]) stats[name] += ahead;
  return stats;
};
for (const name of ["statSync", "lstatSync", "fstatSync"]) {
  const real = fs[name];
  fs[name] = (...args) => later(real(...args));
}
for (const name of ["stat", "lstat"]) {
  const real = fs.promises[name];
  fs.promises[name] = async (...args) => later(await real(...args));
}
syncBuiltinESMExports();
`;

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command on a machine: in its namespace, with its home. */
function on(name: string, args: readonly string[], input = ""): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn("ip", ["netns", "exec", `tl-${name}`, process.execPath, cliFile, ...args], {
      cwd: path.join(folder, name),
      env: ofMachine(name),
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (text) => {
      out += text;
    });
    child.stderr.on("data", (text) => {
      err += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });
}

const MOST_TRIES = 20;

/** A command whose worker is killed is repeated, as its message says: each event is stored once. */
async function must(name: string, args: readonly string[], input?: string) {
  for (let tries = 1; ; tries += 1) {
    const ran = await on(name, args, input);
    if (ran.code === 0) return ran.out;
    if (tries === MOST_TRIES) throw new Error(`${name}: ${args.join(" ")}: ${ran.out}${ran.err}`);
    await sleep(1_000);
  }
}

function operator(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cliFile, "server", ...args], {
    encoding: "utf8",
    env: environment("operator", { THROUGHLINE_DATABASE: database }),
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

async function startServer() {
  const args = [
    "server",
    "run",
    "--host",
    `${NET}.1`,
    "--cert",
    certificate,
    "--cert-key",
    path.join(folder, "key.pem"),
  ];
  const child = spawn(process.execPath, [cliFile, ...args], {
    env: environment("operator", { THROUGHLINE_DATABASE: database }),
    stdio: ["ignore", "pipe", "ignore"],
  });
  server = child;
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (text) => String(text).includes("listening") && resolve());
    child.once("close", () => reject(new Error("the server ended")));
  });
}

async function killServer() {
  const ended = new Promise((resolve) => server?.once("close", resolve));
  server?.kill("SIGKILL");
  await ended;
}

function killWorker(name: string) {
  const { pid } = JSON.parse(readFileSync(path.join(folder, name, "state", "worker.json"), "utf8"));
  process.kill(Number(pid), "SIGKILL");
}

const link = (name: string) => `tl${(names as readonly string[]).indexOf(name)}`;

function slow(name: string, isSlow: boolean) {
  const rate = ["root", "tbf", "rate", "400kbit", "burst", "16kbit", "latency", "300ms"];
  const { status, stderr } = spawnSync("tc", [
    "qdisc",
    isSlow ? "add" : "del",
    "dev",
    link(name),
    ...(isSlow ? rate : ["root"]),
  ]);
  if (status !== 0) throw new Error(String(stderr));
}

beforeAll(async () => {
  if (canSeparate() !== undefined) return;
  ip(`link add ${BRIDGE} type bridge`);
  ip(`addr add ${NET}.1/24 dev ${BRIDGE}`);
  ip(`link set ${BRIDGE} up`);
  for (const [at, name] of names.entries()) {
    mkdirSync(path.join(folder, name), { recursive: true });
    ip(`netns add tl-${name}`);
    ip(`link add ${link(name)} type veth peer name eth0 netns tl-${name}`);
    ip(`link set ${link(name)} master ${BRIDGE} up`);
    ip(`-n tl-${name} addr add ${NET}.${at + 10}/24 dev eth0`);
    ip(`-n tl-${name} link set eth0 up`);
    ip(`-n tl-${name} link set lo up`);
  }
  writeFileSync(path.join(folder, "hourAhead.mjs"), HOUR_AHEAD);
  const request = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=throughline -addext subjectAltName=IP:${NET}.1`;
  const made = spawnSync("openssl", [
    ...request.split(" "),
    "-keyout",
    path.join(folder, "key.pem"),
    "-out",
    certificate,
  ]);
  if (made.status !== 0) throw new Error(String(made.stderr));
  const started = await startPostgres(process.env.THROUGHLINE_PG_BIN);
  if ("reason" in started) throw new Error(started.reason);
  postgres = started;
  const admin = new pg.Client(postgres.url);
  await admin.connect();
  await admin.query("CREATE ROLE throughline LOGIN NOSUPERUSER NOBYPASSRLS");
  await admin.query("CREATE DATABASE throughline OWNER throughline");
  await admin.end();
  database = `postgres://throughline@${new URL(postgres.url).host}/throughline`;
  await startServer();
});

afterAll(async () => {
  if (canSeparate() !== undefined) return;
  for (const name of names) await on(name, ["worker", "stop"]);
  if (server) await killServer();
  postgres?.stop();
  for (const name of names) ip(`netns del tl-${name}`);
  ip(`link del ${BRIDGE}`);
  rmSync(folder, { recursive: true, force: true });
});

/** Of every ten events a prompt, eight calls and the end of the turn. */
function lines(name: string, step: number) {
  const made = Array.from({ length: PER_STEP }, (_, index) => {
    const about = {
      agent: "notes",
      session: `${name}-${step}`,
      cwd: "/srv/queue",
      id: `${name}-${step}-${index}`,
    };
    const mark = `mark ${about.id}`;
    if (index % 10 === 0)
      return {
        ...about,
        type: "prompt",
        text: `${mark}: we retry the queue ${index} times, because the broker drops idle connections`,
      };
    if (index % 10 === 9) return { ...about, type: "turn-end", text: `${mark}: the queue works again` };
    return {
      ...about,
      type: "tool",
      name: "Bash",
      input: { command: `npm test -- ${index}` },
      output: `${mark}: 12 passed`,
    };
  });
  return made.map((event) => JSON.stringify(event)).join("\n");
}

async function disturb(step: number) {
  const victim = names[step % names.length] ?? "laptop";
  if (step % 5 === 0) ip(`link set ${link(victim)} down`);
  if (step % 5 === 1) slow(victim, true);
  if (step % 5 === 2) killWorker(victim);
  if (step % 5 === 3) await killServer();
  await sleep(300);
  if (step % 5 === 4) {
    // While it sends and receives.
    const syncing = on(victim, ["remote", "sync"]);
    await sleep(250);
    killWorker(victim);
    await syncing;
  }
  return async () => {
    if (step % 5 === 0) ip(`link set ${link(victim)} up`);
    if (step % 5 === 1) slow(victim, false);
    if (step % 5 === 3) await startServer();
  };
}

async function settled(name: string) {
  for (let tries = 0; tries < 600; tries += 1) {
    const status = JSON.parse(await must(name, ["worker", "status", "--json"]));
    const { queue, spool } = status.data ?? status;
    if (queue.ready + queue.leased + spool.waiting === 0) return;
    await sleep(500);
  }
  throw new Error(`the queue of ${name} does not end`);
}

async function held(store: Store) {
  const marks: string[] = [];
  const ids: string[] = [];
  const uids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.events({ limit: 500, order: "oldest", ...(cursor ? { cursor } : {}) });
    for (const { id, payload } of page.items) {
      ids.push(id);
      marks.push(...(/mark (\w+-\d+-\d+)/.exec(JSON.stringify(payload))?.slice(1) ?? []));
    }
    cursor = page.next;
    if (cursor === undefined) break;
  }
  for (let cursor: string | undefined; ; ) {
    const page = await store.observations({ limit: 500, ...(cursor ? { cursor } : {}) });
    uids.push(...page.items.map(({ uid, title }) => `${uid} ${title}`));
    cursor = page.next;
    if (cursor === undefined) break;
  }
  await store.close();
  return { ids: ids.sort(), marks: marks.sort(), uids: uids.sort() };
}

it.skipIf(canSeparate() !== undefined)("hold every event once", async () => {
  operator("user", "add", "ada");
  for (const name of names) {
    const key = operator("key", "add", "ada").split("\n")[0] ?? "";
    await must(name, ["remote", "connect", url], key);
  }
  const steps = Math.ceil(EVENTS / PER_STEP / names.length);
  const made: string[] = [];
  for (let step = 0; step < steps; step++) {
    const sending = names.map((name) => must(name, ["ingest"], lines(name, step)));
    for (const name of names)
      for (let index = 0; index < PER_STEP; index++) made.push(`${name}-${step}-${index}`);
    const heal = await disturb(step);
    await Promise.all(sending);
    await heal();
  }
  for (const name of names) await settled(name);
  for (const name of [...names, ...names]) await must(name, ["remote", "sync"]);
  for (const name of names) await must(name, ["worker", "stop"]);
  const kept = await held(await openPostgresStore({ url: database, team: "team", person: "ada" }));
  made.sort();
  expect(kept.marks).toEqual(made);
  expect(new Set(kept.ids).size).toBe(made.length);
  expect(new Set(kept.uids).size).toBe(kept.uids.length);
  expect(kept.uids.length).toBeGreaterThan(steps);
  for (const name of names)
    expect(
      await held(await openStore({ file: path.join(folder, name, "data", "throughline.db") })),
      name,
    ).toEqual(kept);
  console.log(
    `${names.length} machines: ${made.length} events and ${kept.uids.length} observations on each and on the server, 0 lost, 0 doubled; ${steps} steps`,
  );
});
