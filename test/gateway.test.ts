// The gateway with a real worker: events over HTTP and standard input, each once; context, search, errors; the example of its page.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { makeGateway, openApiDocument } from "../src/gateway/index.ts";
import { databaseFile, spoolFolder, tokenFile, workerStateFile } from "../src/home/index.ts";
import { openStore } from "../src/store/index.ts";
import { cliFile, commandLine } from "./commandLine.ts";
import { spooled } from "./e2e/throughline.ts";
import { until } from "./until.ts";

const root = path.resolve(import.meta.dirname, "..");
const here = commandLine();
afterEach(() => void here.run(["worker", "stop"]));

const event = (more: object): object => ({ agent: "my-agent", session: "s1", cwd: here.folder, ...more });
const turn = (): object[] => [
  event({ type: "session-start", id: "1", model: "m-1" }),
  event({ type: "prompt", id: "2", text: "rename the queue to lamprey" }),
  event({ type: "tool", id: "3", name: "Bash", input: { command: "git mv a.ts lamprey.ts" }, output: "ok" }),
  event({ type: "tool", id: "4", name: "Bash", input: { command: "npm test" }, error: "Exit code 1" }),
  event({ type: "message", id: "5", role: "assistant", text: "I looked at the sturgeon file first." }),
  event({ type: "turn-end", id: "6", text: "The queue is called lamprey now." }),
  event({ type: "session-end", id: "7" }),
];
const kinds = ["prompt", "session-end", "session-start", "stop", "tool", "tool-failure"];

interface Answer {
  readonly status: number;
  readonly data: Record<string, unknown>;
}

/** One request on a connection of its own: the worker of the test before may have had the same port. */
function request(method: "GET" | "POST", target: string, body?: object): Promise<Answer> {
  const { port } = JSON.parse(readFileSync(workerStateFile(here.home), "utf8")) as { port: number };
  const token = readFileSync(tokenFile(here.home), "utf8").trim();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: "127.0.0.1", port, method, path: target, headers, agent: false },
      (answer) => {
        text(answer).then(
          (all) => resolve({ status: answer.statusCode ?? 0, data: JSON.parse(all) }),
          reject,
        );
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** What is stored when the worker has stopped. */
async function stored() {
  await until(() => spooled(here.home).length === 0, "the spool to be empty");
  here.run(["worker", "stop"]);
  const store = await openStore({ file: databaseFile(here.home) });
  try {
    const { items: events } = await store.events({ limit: 500 });
    const { items: sessions } = await store.sessions({});
    const { items: messages } = await store.messages({});
    return { kinds: events.map(({ kind }) => kind).sort(), events, sessions, messages };
  } finally {
    await store.close();
  }
}

const ingest = (lines: string, ...args: string[]) =>
  spawnSync(process.execPath, [cliFile, "ingest", ...args], {
    cwd: here.folder,
    env: here.environment(),
    input: lines,
    encoding: "utf8",
  });
const asLines = (events: readonly object[]): string =>
  events.map((one) => `${JSON.stringify(one)}\n`).join("");

describe("POST /v1/events", () => {
  it("stores each event once, however often it is sent", async () => {
    here.run(["worker", "start"]);
    for (let times = 0; times < 2; times++) {
      const answer = await request("POST", "/v1/events", { events: turn() });
      expect(answer).toMatchObject({ status: 200, data: { accepted: 7, left: 0 } });
    }
    const found = await stored();
    expect(found.kinds).toEqual(kinds);
    expect(found.messages).toMatchObject([{ text: "I looked at the sturgeon file first." }]);
    expect(found.sessions).toMatchObject([
      { claudeSessionId: "my-agent:s1", client: "my-agent", model: "m-1", status: "completed" },
    ]);
  });

  it("names the event and the field that is wrong, and stores none of the request", async () => {
    here.run(["worker", "start"]);
    const wrong = [event({ type: "prompt", id: "1", text: "a" }), event({ type: "prompt", id: "2" })];
    const answer = await request("POST", "/v1/events", { events: wrong });
    expect(answer).toMatchObject({ status: 400, data: { error: { code: "usage" } } });
    expect(JSON.stringify(answer.data)).toContain("events.1.text (2)");
    const misspelled = await request("POST", "/v1/events", { events: [event({ type: "stop", id: "1" })] });
    expect(JSON.stringify(misspelled.data)).toContain("events.0.type");
    const relative = await request("POST", "/v1/context", { agent: "a", session: "s", cwd: "src" });
    expect(JSON.stringify(relative.data)).toContain("cwd: is an absolute path");
    expect((await stored()).kinds).toEqual([]);
  });

  it("keeps nothing of an excluded folder, and nothing private", async () => {
    here.run(["config", "set", "capture.exclude", JSON.stringify([path.join(here.folder, "secret")])]);
    here.run(["worker", "start"]);
    const hidden = event({ type: "prompt", id: "1", text: "out", cwd: path.join(here.folder, "secret") });
    const tagged = event({ type: "prompt", id: "2", text: "a <private>BURBOT</private> b" });
    const answer = await request("POST", "/v1/events", { events: [hidden, tagged] });
    expect(answer.data).toEqual({ accepted: 1, left: 1 });
    const { events } = await stored();
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain("BURBOT");
  });
});

it("refuses more than the worker can store, until it has", async () => {
  const parts = { home: here.home, version: "0", clock: { now: () => Date.now() } };
  const gateway = makeGateway({
    ...parts,
    isExcluded: () => false,
    isPaused: () => false,
    answer: async () => ({}),
    keepMessages: async () => undefined,
    mostWaiting: 2,
  });
  const events = (id: string) => ({ events: [event({ type: "prompt", id, text: "a" })] });
  await gateway.ingest(events("1"));
  await gateway.ingest(events("2"));
  await expect(gateway.ingest(events("3"))).rejects.toMatchObject({ code: "busy" });
  expect(spooled(here.home)).toHaveLength(2);
  expect(spoolFolder(here.home)).toContain(here.folder);
});

describe("the read side", () => {
  it("tells a session what was done, and finds it by agent", async () => {
    here.run(["worker", "start"]);
    await request("POST", "/v1/events", { events: turn() });
    const about = { agent: "other", session: "s2", cwd: here.folder };
    const isTold = async () => {
      const { data } = await request("POST", "/v1/context", about);
      return String(data.text).includes("lamprey");
    };
    await until(isTold, "the turn to be told", { everyMs: 500 });
    const found = await request("GET", "/v1/search?query=lamprey&agent=my-agent");
    expect(found.data.hits).not.toEqual([]);
    const none = await request("GET", "/v1/search?query=lamprey&agent=claude-code");
    expect(none.data.hits).toEqual([]);
    expect(await request("GET", "/v1/recall?handle=tl:000000000000")).toMatchObject({ status: 404 });
  });
});

describe("throughline ingest", () => {
  it("stores valid lines once, without a worker to begin with, and names the others", async () => {
    const lines = `${asLines(turn())}\nno json\n${asLines([event({ type: "prompt", id: "9" })])}`;
    const first = ingest(lines);
    expect(first.status, first.stderr).toBe(4);
    expect(first.stdout).toContain("accepted: 7 events");
    expect(first.stdout).toContain("line 9: is not a JSON object");
    expect(first.stdout).toMatch(/line 10: text.*9/);
    expect(ingest(asLines(turn())).status).toBe(0);
    expect((await stored()).kinds).toEqual(kinds);
  });
});

describe("the page about it", () => {
  it("has an example that does what it says", async () => {
    here.run(["worker", "start"]);
    const page = readFileSync(path.join(root, "docs/gateway.md"), "utf8");
    const code = /```js\n([\s\S]+?)```/.exec(page)?.[1] ?? "";
    expect(code.trim().split("\n").length).toBeLessThanOrEqual(30);
    const file = path.join(here.folder, "plugin.mjs");
    writeFileSync(file, code);
    const { status, stderr } = spawnSync(process.execPath, [file], {
      cwd: here.folder,
      env: here.environment(),
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    const found = await stored();
    expect(found.kinds).toEqual(["prompt", "session-end", "session-start", "stop", "tool"]);
    expect(found.sessions).toMatchObject([{ client: "my-agent", status: "completed" }]);
  });

  it("has an OpenAPI document that is current", async () => {
    const document = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
    await expect(document).toMatchFileSnapshot(path.join(root, "docs/openapi.json"));
  });
});
