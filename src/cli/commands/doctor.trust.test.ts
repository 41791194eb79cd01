// `doctor` and `status` end with a report whatever they meet, and say what keeps capture from working.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { event } from "../../../test/storeContract/setting.ts";
import {
  databaseFile,
  hookLog,
  lossFile,
  runtimeFile,
  spoolFolder,
  startFile,
  workerStateFile,
} from "../../home/index.ts";
import { isObject } from "../../lib/index.ts";
import { markLoss } from "../../spool/index.ts";
import { openStore } from "../../store/index.ts";
import { connect } from "../../store/sqlite/connection.ts";

const terminal = commandLine();
const home = () => terminal.home;
const env = (): Record<string, string> => ({
  HOME: terminal.folder,
  CLAUDE_CONFIG_DIR: path.join(terminal.folder, ".claude"),
});
const run = (...args: string[]): ReturnType<typeof terminal.runInProcess> =>
  terminal.runInProcess(args, env());

interface Found {
  readonly id: string;
  readonly what: string;
  readonly fix: string;
}

/** The findings, after a look at what every report has: an exit code of its own and a way out for each. */
function findingsIn({ code, out, err }: ReturnType<typeof terminal.run>): Found[] {
  expect(err).toBe("");
  const { ok, findings }: { ok: boolean; findings: Found[] } = JSON.parse(out);
  expect(code).toBe(ok ? 0 : 1);
  for (const { fix } of findings) expect(fix).toBeTruthy();
  return findings;
}

/** By a process of its own, which must not end without a report. */
const doctor = (): Found[] => findingsIn(terminal.run(["doctor", "--json"], env()));
const finding = async (id: string): Promise<Found | undefined> =>
  findingsIn(await run("doctor", "--json")).find((one) => one.id === id);
const write = (file: string, text: string): void => {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
};
const configure = async (values: object): Promise<void> => {
  for (const [key, value] of Object.entries(values)) {
    const { code } = await run(
      "config",
      "set",
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    );
    expect(code).toBe(0);
  }
};

async function makeStore(): Promise<void> {
  const store = await openStore({ file: databaseFile(home()) });
  await store.recordEvents([event("a", 1)]);
  await store.close();
}

async function inDatabase(sql: string): Promise<void> {
  const db = await connect(databaseFile(home()));
  db.exec(sql);
  db.close();
}

beforeEach(async () => expect((await run("install", "--yes")).code).toBe(0));

describe("doctor ends with a report", () => {
  it("with a missing row of migrations, and says how the worker puts it right", async () => {
    await makeStore();
    await inDatabase("DELETE FROM migrations WHERE rowid = (SELECT min(rowid) FROM migrations)");
    expect(doctor().find(({ id }) => id === "database-damaged")?.fix).toContain("throughline worker start");
  });

  it("with a configuration that cannot be read, and goes on to the other checks", async () => {
    write(path.join(home().config, "config.json"), '{ "capture": { "exclude": [');
    rmSync(runtimeFile(home()));
    const findings = doctor();
    expect(findings.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["config-invalid", "runtime-missing"]),
    );
    expect(findings.find(({ id }) => id === "config-invalid")?.what).toContain("config.json");
    expect(await run("status")).toMatchObject({ code: 0, out: expect.stringContaining("config.json") });
  });

  it("with a damaged database, and with one that is a folder", () => {
    write(databaseFile(home()), "no database at all, whatever it is. ".repeat(200));
    expect(doctor().find(({ id }) => id === "database-damaged")).toBeDefined();
    rmSync(databaseFile(home()));
    mkdirSync(databaseFile(home()));
    expect(doctor().find(({ id }) => id === "database-damaged")?.fix).toContain("throughline worker start");
  });

  it("with folders where its own files should be", async () => {
    for (const file of [hookLog(home()), workerStateFile(home()), startFile(home()), lossFile(home())]) {
      rmSync(file, { recursive: true, force: true });
      mkdirSync(file, { recursive: true });
    }
    rmSync(spoolFolder(home()), { recursive: true, force: true });
    write(spoolFolder(home()), "a file where the spool should be");
    const failed = doctor().filter(({ id }) => id === "check-failed");
    expect(failed.length).toBeGreaterThanOrEqual(2);
    const plain = terminal.run(["doctor"], env());
    expect({ code: plain.code, err: plain.err }).toEqual({ code: 1, err: "" });
    expect(plain.out).toContain(failed[0]?.what);
    expect(failed.map(({ what }) => what).join("\n")).toContain("the hook log could not be checked: EISDIR");
    expect((await run("status")).code).toBe(0);
  });

  it("with no home, and in a folder that is gone", () => {
    expect(terminal.run(["doctor", "--json"], { HOME: "/nonexistent", THROUGHLINE_HOME: "" }).code).toBe(1);
    const gone = path.join(terminal.folder, "gone");
    mkdirSync(gone);
    const script = `process.chdir(${JSON.stringify(gone)}); require("node:fs").rmdirSync(${JSON.stringify(gone)});`;
    const start = terminal.write("start.cjs", script);
    const { out, err } = terminal.run(["doctor", "--json"], { ...env(), NODE_OPTIONS: `--require ${start}` });
    expect(err).toBe("");
    expect(out).toContain("the current folder could not be checked");
  });
});

describe("doctor finds", () => {
  it("jobs that were given up, which `worker jobs --retry` tries again", async () => {
    await makeStore();
    await inDatabase("UPDATE queue SET state = 'dead', attempts = 8, last_error = 'the model said no'");
    expect(await finding("jobs-given-up")).toMatchObject({
      what: expect.stringContaining("the model said no"),
      fix: "throughline worker jobs --retry",
    });
    expect((await run("worker", "jobs")).out).toMatch(
      /8 attempts +the model said no\n`throughline worker jobs --retry` retries them/,
    );
    expect(JSON.parse((await run("worker", "jobs", "--retry", "--json")).out)).toMatchObject({
      count: 1,
      retried: 1,
    });
    expect((await run("worker", "jobs")).out).toBe("no failed jobs\n");
    expect(await finding("jobs-given-up")).toBeUndefined();
  });

  it("a worker that ended at its start, with its reason", async () => {
    rmSync(path.dirname(databaseFile(home())), { recursive: true, force: true });
    write(path.dirname(databaseFile(home())), "a file where the data should be");
    expect(terminal.run(["worker", "run"], { ...env(), THROUGHLINE_WORKER_PORT: "0" }).code).toBe(1);
    expect((await finding("worker-dies"))?.what).toMatch(
      /the last worker failed at its start, .*(?:EEXIST|ENOTDIR)/,
    );
  });

  it("events that hooks could not write and that were not read yet", async () => {
    markLoss(lossFile(home()), { session_id: "s1" }, Date.now());
    markLoss(lossFile(home()), { session_id: "s1" }, Date.now());
    expect((await finding("events-lost"))?.what).toContain("could not write 2 events");
    expect((await run("status")).out).toMatch(
      /^lost +2 events not written by hooks, 0 recovered from transcripts; 2 events/m,
    );
    expect(JSON.parse((await run("status", "--json")).out).losses).toMatchObject({ lost: 2, pending: 2 });
  });

  it("that the folder is excluded, and `status` does not call capture on there", async () => {
    expect((await run("status")).out).toMatch(/^capture +on$/m);
    await configure({ "capture.exclude": [terminal.folder] });
    expect((await finding("folder-excluded"))?.what).toContain(terminal.folder);
    expect((await run("status")).out).toMatch(/^capture +off in this folder: .* is excluded$/m);
    expect(JSON.parse((await run("status", "--json")).out)).toMatchObject({ excluded: true });
  });
});

describe("a model provider", () => {
  let server: Server | undefined;
  const asked: { url: string | undefined; body: string }[] = [];
  afterEach(() => {
    server?.close();
    server = undefined;
    asked.length = 0;
  });

  async function serve(status: number): Promise<string> {
    server = createServer((request, response) => {
      asked.push({ url: request.url, body: request.method ?? "" });
      response.writeHead(status).end("{}");
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return `http://127.0.0.1:${isObject(address) ? address.port : 0}/v1`;
  }

  const ids = async (): Promise<string> => (await run("doctor", "--json")).out;

  it("that does not answer, or refuses the key, is found; one that answers is not", async () => {
    const url = await serve(200);
    await configure({ "llm.provider": "openai-compatible", "llm.baseUrl": url });
    expect(await ids()).not.toContain("provider-silent");
    expect(asked).toEqual([{ url: "/v1/models", body: "GET" }]);
    server?.close();
    expect(await ids()).toMatch(/provider-silent.*does not answer: .*ECONNREFUSED/s);
    await configure({ "llm.baseUrl": await serve(401) });
    expect(await ids()).toMatch(/provider-silent.*rejects the key in OPENAI_API_KEY \(401\)/s);
    await configure({ "llm.provider": "claude-cli", "llm.command": "/nonexistent/claude" });
    expect(await ids()).toMatch(/provider-silent.*does not run/s);
  });

  it("is not asked where none is set", async () => {
    await configure({ "llm.provider": "none", "llm.baseUrl": await serve(500) });
    expect(await ids()).not.toContain("provider-silent");
    expect(asked).toEqual([]);
  });
});
