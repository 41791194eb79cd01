// What a page asks a real worker for: who is there, the timeline and its days, sessions, rows whole.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { projectOf, sessionPlace } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { isObject } from "../../src/lib/index.ts";
import { evidenceLine } from "../../src/snapshot/evidence.ts";
import { snapshotKey } from "../../src/snapshot/index.ts";
import { sealed } from "../../src/snapshot/seal.ts";
import { workerOfVersion } from "./bundle.ts";
import { type Answer, type Face, faceOf } from "./httpClient.ts";
import { promptPayload, toolPayload } from "./payloads.ts";
import { workerHome } from "./workers.ts";

const worker = workerOfVersion("1.0.0");
const place = workerHome("file");
let face: Face;
let folder = "";
let project = "";

const at = (hour: number): number => Date.UTC(2026, 0, 5, hour);
const iso = (hour: number): string => new Date(at(hour)).toISOString();

async function seed(): Promise<void> {
  place.spoolEvent(promptPayload("s1", "why does\n  the parser drop the last token", { cwd: folder }), at(9));
  place.spoolEvent(toolPayload("s1", 1, { cwd: folder }), at(10));
  // A worker that looks while files appear may see a later one first.
  await call(place.socket, "drain");
  place.spoolEvent(promptPayload("s2", "hello", { cwd: "/" }), at(20));
  await call(place.socket, "drain");
  const of = { session: "s1", project, promptNumber: 1 };
  await place.withStore(async (store) => {
    await store.addObservations([
      {
        ...of,
        uid: "o1",
        at: iso(11),
        type: "bugfix",
        title: "tokens were cut",
        filesModified: ["src/parse.ts"],
        concepts: ["parsing"],
      },
      {
        ...of,
        uid: "o2",
        at: iso(12),
        type: "discovery",
        title: "the end is read twice",
        subtitle: "by the reader",
      },
    ]);
    await store.addSummaries([
      { ...of, uid: "u1", at: iso(13), request: "fix it", completed: "the parser keeps all" },
    ]);
  });
}

beforeAll(async () => {
  folder = path.join(place.folder, "parser");
  mkdirSync(folder);
  project = projectOf(folder).id;
  await place.run(worker, { LANG: "zh_CN.UTF-8" });
  face = await faceOf(place);
  await seed();
});

const ask = (target: string): Promise<Answer> => face.get(target);
const list = (target: string): Promise<unknown> => face.list(target);

describe("GET /api/me", () => {
  it("says what a page needs before its first request", async () => {
    expect((await ask("/api/me")).body).toMatchObject({
      version: "1.0.0",
      locale: "zh",
      paused: false,
      projects: [
        { name: expect.any(String), sessions: 1, observations: 0, folder: "/", isExcluded: false },
        { project, name: "parser", folder, sessions: 1, observations: 2, lastActivityAt: iso(13) },
      ],
    });
  });
});

describe("GET /api/timeline", () => {
  it("has rows of all kinds, newest first, with the titles of their sessions", async () => {
    const { body } = await ask("/api/timeline?limit=4");
    expect(body.items).toMatchObject([
      { kind: "prompt", title: "hello", session: "s2" },
      { kind: "summary", title: "the parser keeps all", ref: expect.stringMatching(/^S\d+$/) },
      { kind: "observation", title: "the end is read twice", subtitle: "by the reader", type: "discovery" },
      {
        kind: "observation",
        title: "tokens were cut",
        files: ["src/parse.ts"],
        at: iso(11),
        promptNumber: 1,
      },
    ]);
    expect(body.sessions).toEqual({ s1: "why does the parser drop the last token", s2: "hello" });
    const rest = await ask(`/api/timeline?limit=4&cursor=${body.next}`);
    expect(rest.body).toMatchObject({ items: [{ kind: "prompt", tokens: expect.any(Number) }] });
    expect(rest.body).not.toHaveProperty("next");
  });

  it("can be narrowed, and says what it does not understand", async () => {
    const titles = async (query: string): Promise<string[]> => {
      const { items } = (await ask(`/api/timeline?${query}`)).body;
      return Array.isArray(items) ? items.map((item) => (isObject(item) ? String(item.title) : "")) : [];
    };
    expect(await titles("file=parse.ts")).toEqual(["tokens were cut"]);
    expect(await titles("concept=Parsing&type=bugfix")).toEqual(["tokens were cut"]);
    expect(await titles("kinds=summary,prompt&session=s1")).toHaveLength(2);
    expect(await titles(`project=${project}&from=${iso(12)}`)).toHaveLength(2);
    for (const wrong of ["kinds=gossip", "type=gossip", "limit=0", "cursor=x", "from=soon"])
      expect([wrong, (await ask(`/api/timeline?${wrong}`)).status]).toEqual([wrong, 400]);
  });
});

describe("GET /api/days", () => {
  it("counts what the same filters leave, on the days of the reader's time zone", async () => {
    expect(await list("/api/days")).toEqual([{ day: "2026-01-05", rows: 5 }]);
    expect(await list("/api/days?offset=480")).toEqual([
      { day: "2026-01-06", rows: 1 },
      { day: "2026-01-05", rows: 4 },
    ]);
    expect(await list("/api/days?file=parse.ts")).toEqual([{ day: "2026-01-05", rows: 1 }]);
    expect((await ask("/api/days?offset=east")).status).toBe(400);
  });
});

describe("GET /api/items", () => {
  it("gives rows whole, in the order they are asked for", async () => {
    const items = await list("/api/items?refs=S1,%232,%2399,nonsense,P1");
    expect(items).toMatchObject([
      { ref: "S1", kind: "summary", row: { request: "fix it" } },
      { ref: "#2", kind: "observation", row: { title: "the end is read twice" } },
      { ref: "P1", kind: "prompt", row: { promptText: expect.stringContaining("parser") } },
    ]);
    expect((await ask("/api/items")).status).toBe(400);
    expect((await ask(`/api/items?refs=${Array.from({ length: 501 }, () => "1").join(",")}`)).status).toBe(
      400,
    );
  });
});

describe("GET /api/sessions and /api/session", () => {
  it("show sessions as cards, last active first", async () => {
    const { body } = await ask("/api/sessions");
    expect(body.items).toMatchObject([
      { claudeSessionId: "s2", title: "hello", observations: 0, summaries: 0 },
      {
        claudeSessionId: "s1",
        title: "why does the parser drop the last token",
        observations: 2,
        summaries: 1,
      },
    ]);
    expect((await ask("/api/sessions?limit=1")).body).toMatchObject({
      items: [{}],
      next: expect.any(String),
    });
    expect((await ask("/api/sessions?status=completed")).body.items).toEqual([]);
    expect((await ask("/api/sessions?status=asleep")).status).toBe(400);
  });

  it("show one session with everything that is kept of it", async () => {
    const own = sessionPlace(place.home, project, "s1").folder;
    mkdirSync(path.join(own, "session-memory"), { recursive: true });
    writeFileSync(path.join(own, "session-memory", "summary.md"), "# Session Title\n_x_\nParser work\n");
    const root = path.join(folder, "sealed");
    mkdirSync(path.join(root, ".claude"), { recursive: true });
    const snapshot = path.join(root, ".claude", "snapshot.md");
    const statement = {
      kind: "next",
      text: "add it",
      rows: [{ id: "r1", excerpt: "please add it" }],
    } as const;
    const seal = { key: snapshotKey(place.home), project: root, name: "snapshot.md" };
    writeFileSync(snapshot, sealed(`as it was\n${evidenceLine([statement], String)}\n`, seal));
    const foreign = path.join(root, ".claude", "foreign.md");
    writeFileSync(foreign, `${evidenceLine([statement], String)}\n`);
    const taken = { at: at(13), file: snapshot, occasion: "x", handles: ["tl:abcdef"] };
    const gone = { ...taken, at: at(12), file: path.join(folder, "gone.md"), handles: [] };
    writeFileSync(
      path.join(own, "snapshots.jsonl"),
      `${[gone, taken, { ...taken, file: foreign }].map((one) => JSON.stringify(one)).join("\n")}\n`,
    );
    const { body } = await ask("/api/session?id=s1");
    expect(body).toMatchObject({
      session: { claudeSessionId: "s1", title: "why does the parser drop the last token", observations: 2 },
      projectName: "parser",
      lanes: ["hooks"],
      prompts: [{ promptNumber: 1 }],
      summaries: [{ completed: "the parser keeps all" }],
      observations: { items: [{ uid: "o2" }, { uid: "o1" }] },
      files: [{ path: "src/parse.ts", reads: 0, changes: 1 }],
      snapshots: [
        { id: "gone.md", at: iso(12), handles: [], statements: [] },
        { id: "snapshot.md", at: iso(13), handles: ["tl:abcdef"], statements: [statement] },
        { id: "foreign.md", bytes: expect.any(Number), statements: [] },
      ],
      archives: [],
      notes: expect.stringContaining("Parser work"),
    });
    expect((await ask("/api/session?id=nobody")).status).toBe(404);
    expect((await ask("/api/session")).status).toBe(400);
  });
});
