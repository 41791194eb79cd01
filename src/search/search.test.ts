// Search as its users see it: what comes first, why, and that every text is a question.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type NewMessage, type NewObservation, openStore, type Store } from "../store/index.ts";
import type { SearchRequest } from "./model.ts";
import { search } from "./search.ts";
import { show, timeline } from "./timeline.ts";

let folder = "";
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-search-"));
  store = await openStore({ file: path.join(folder, "throughline.db") });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const START = Date.parse("2026-03-02T09:00:00.000Z");
const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();

const observed = (title: string, minutes: number, more: Partial<NewObservation> = {}): NewObservation => ({
  session: "s1",
  project: "app",
  promptNumber: 1,
  at: at(minutes),
  type: "discovery",
  title,
  ...more,
});

const said = (text: string, minutes: number, more: Partial<NewMessage> = {}): NewMessage => ({
  session: "s1",
  uuid: `${minutes}-${text.slice(0, 20)}`,
  role: "user",
  text,
  at: at(minutes),
  project: "app",
  ...more,
});

async function titles(query: string, more: Partial<SearchRequest> = {}): Promise<string[]> {
  const { hits } = await search({ store }, { query, ...more });
  return hits.map(({ title }) => title);
}

it("counts what was said around a row more than what tools printed there", async () => {
  const printed = (minutes: number, session: string) =>
    said(`crane scheduler tide at ${minutes}`, minutes, { role: "tool", session });
  const told = (minutes: number, session: string, text: string) =>
    said(text, minutes, { role: "assistant", session });
  await store.addMessages([
    said("have a look", 0),
    told(1, "s1", "The crane waits for the north."),
    ...[2, 3, 4, 5].map((minutes) => printed(minutes, "s1")),
    said("have a look", 100, { session: "s2" }),
    told(101, "s2", "The crane waits for the south."),
    told(102, "s2", "Its scheduler reads the tide, and the scheduler of the tide is slow."),
  ]);
  const { hits } = await search({ store }, { query: "crane scheduler tide", explain: true });
  const around = (end: string) =>
    hits.find(({ title }) => title.endsWith(end))?.why?.find(({ signal }) => signal === "around")?.points ??
    0;
  expect(around("south.")).toBeGreaterThan(around("north."));
});

describe("a turn", () => {
  const ofTurn = async (): Promise<void> => {
    const row = { session: "s1", project: "app", promptNumber: 1 };
    await store.addMessages([
      said("why does the crane scheduler crash?", 0),
      said("The crane scheduler read a plan that was gone.", 1, { role: "assistant" }),
      said("Bash command=run\nthe crane scheduler started", 2, { role: "tool" }),
    ]);
    await store.addObservations([observed("Fixed the crash of the crane scheduler", 3)]);
    await store.addSummaries([{ ...row, at: at(4), request: "the crash of the crane scheduler" }]);
    await store.addObservations([observed("Measured the crane scheduler", 60, { session: "s2" })]);
  };

  it("is one hit: the best of it, which names its other kinds; rows of one kind are hits each", async () => {
    await ofTurn();
    const { hits } = await search({ store }, { query: "crash of the crane scheduler" });
    expect(hits.map(({ ref, turn }) => [ref, turn?.toSorted()])).toEqual([
      ["#1", ["M1", "M2", "M3", "S1"]],
      ["#2", undefined],
    ]);
    const { hits: messages } = await search({ store }, { query: "crane scheduler", kinds: ["message"] });
    expect(messages.map(({ ref }) => ref).toSorted()).toEqual(["M1", "M2", "M3"]);
  });

  it("shows what stands beside an item when it is read whole", async () => {
    await ofTurn();
    const { items } = await show({ store }, ["M2", "#2"]);
    expect(items.map(({ neighbours }) => neighbours?.map(({ ref }) => ref))).toEqual([
      ["M1", "M3"],
      undefined,
    ]);
  });

  it("has no row among its hits that matches no word", async () => {
    await ofTurn();
    await store.addMessages([said("entirely different words", 5, { role: "assistant" })]);
    const { hits } = await search({ store }, { query: "crane scheduler", explain: true });
    expect(hits.filter(({ matched }) => matched?.length === 0)).toEqual([]);
  });
});

describe("plain words", () => {
  it("find any of them, and put first what has all, and before that what is named so", async () => {
    await store.addObservations([
      observed("queue", 1, { narrative: "a retry was tried. Much later the queue was full." }),
      observed("only a retry", 2),
      observed("retry queue", 3, { narrative: "it is durable" }),
    ]);
    expect(await titles("retry queue")).toEqual(["retry queue", "queue", "only a retry"]);
    expect(await titles("a durable retry and something unheard of")).toContain("retry queue");
  });

  it("find keywords that are too common to be listed", async () => {
    await store.addObservations([observed("the retry queue is durable", 1), observed("only a retry", 2)]);
    const unlisted: typeof store.termStatistics = async (...request) => ({
      ...(await store.termStatistics(...request)),
      holders: new Map(),
    });
    const { hits } = await search(
      { store: { ...store, termStatistics: unlisted } },
      { query: "retry queue" },
    );
    expect(hits.map(({ title }) => title)).toEqual(["the retry queue is durable", "only a retry"]);
  });

  it("find identifiers by their parts, parts by identifiers, and files by the end of their path", async () => {
    await store.addObservations([
      observed("fixed", 1, {
        narrative: "parseHttpResponse dropped the body",
        filesModified: ["src/net/http_client.ts"],
      }),
      observed("unrelated", 2),
    ]);
    for (const query of ["parse response", "parseHttpResponse", "httpClient", "src/net/http_client.ts:42"])
      expect(await titles(query)).toEqual(["fixed"]);
  });

  it("find Chinese by words of any length", async () => {
    await store.addObservations([observed("如何修复数据库连接错误", 1), observed("天气不错", 2)]);
    for (const query of ["数据库", "连接", "修复错误", "数据库的连接怎么修复"])
      expect(await titles(query)).toEqual(["如何修复数据库连接错误"]);
  });

  it("find other forms of a word, short forms and compounds", async () => {
    await store.addObservations([observed("She ran the migrations against the dataframe configuration", 1)]);
    for (const query of ["running migration", "config", "data frame"])
      expect(await titles(query)).toHaveLength(1);
    await store.addObservations([observed("How the list is inverted was decided on Monday", 2)]);
    for (const query of ["inversion", "decisions"]) expect(await titles(query)).toHaveLength(1);
  });

  it("find what the trade writes by its first letters, and the words that these stand for", async () => {
    await store.addObservations([observed("PR 218 waits", 1), observed("merged the pull request", 2)]);
    expect(await titles("pull request 218")).toEqual(["PR 218 waits", "merged the pull request"]);
    expect(await titles("which PR")).toEqual(["PR 218 waits", "merged the pull request"]);
  });

  it("are not taken apart because their translation occurs nowhere", async () => {
    const others = ["com met mit", "mit met com"].map((title, at) => observed(title, at + 2));
    await store.addObservations([observed("a commit was made", 1), ...others]);
    expect(await titles("commit")).toEqual(["a commit was made"]);
  });

  it("find what was meant by a word that is written wrongly, after what is written so", async () => {
    await store.addObservations([observed("Inheritance in the repository", 1)]);
    for (const query of ["inheretance", "repositry"])
      expect(await titles(query)).toEqual(["Inheritance in the repository"]);
    expect(await titles("inhabitants")).toEqual([]);
    await store.addObservations([observed("An inheretance it was called", 2)]);
    expect(await titles("inheretance")).toEqual(["An inheretance it was called"]);
  });
});

describe("signals", () => {
  it("let an answer be found by the question that came before it", async () => {
    await store.addMessages([
      said("Which port does the staging server use?", 1),
      said("It is 8443 since Monday.", 2, { role: "assistant" }),
      ...Array.from({ length: 20 }, (_, index) =>
        said(`Something else was said, number ${index}.`, index + 10),
      ),
    ]);
    const { hits } = await search(
      { store },
      { query: "port of the staging server", explain: true, limit: 2 },
    );
    expect(hits.map(({ title }) => title)).toEqual([
      "Which port does the staging server use?",
      "It is 8443 since Monday.",
    ]);
    expect(hits[1]).toMatchObject({
      matched: [],
      why: expect.arrayContaining([{ signal: "around", points: expect.any(Number) }]),
    });
  });

  it("prefer what answers a question with those words to what repeats them, unless it is about the user", async () => {
    const talk = (session: string, minutes: number) => [
      said("Where did you put the key of the shed, Ada?", minutes, {
        role: "Grace",
        session,
        uuid: `${session}1`,
      }),
      said("Below the third flower pot.", minutes + 1, { role: "Ada", session, uuid: `${session}2` }),
      said("The shed needs paint.", minutes + 2, { role: "Grace", session, uuid: `${session}3` }),
    ];
    await store.addMessages(talk("s1", 0));
    const why = async (query: string) => {
      const { hits } = await search({ store }, { query, explain: true });
      const answer = hits.find(({ title }) => title === "Below the third flower pot.");
      return answer?.why?.map(({ signal }) => signal) ?? [];
    };
    expect(await why("where is the key of the shed")).toContain("answer");
    expect(await why("where did I put the key of the shed")).not.toContain("answer");
  });

  it("prefer the day, the speaker and the user where the question names them", async () => {
    await store.addMessages([
      said("We went to the lake.", 0, { role: "Ada" }),
      said("We went to the lake.", 60 * 24 * 40, { role: "Ada", uuid: "later" }),
      said("We went to the lake.", 1, { role: "Grace", uuid: "grace" }),
    ]);
    const first = async (query: string) => (await search({ store }, { query, explain: true })).hits[0];
    expect(await first("the lake in March 2026 with Ada")).toMatchObject({ at: at(0), speaker: "Ada" });
    expect(await first("the lake on April 11")).toMatchObject({ at: at(60 * 24 * 40) });
    expect(await first("when did Grace go to the lake")).toMatchObject({ speaker: "Grace" });
  });

  it("bring up standing wishes when something is asked for", async () => {
    await store.addMessages([
      said("Always name the version when I ask about libraries.", 1),
      ...Array.from({ length: 15 }, (_, index) => said(`We looked at libraries, part ${index}`, index + 2)),
    ]);
    const { hits } = await search({ store }, { query: "Can you suggest libraries for this?" });
    expect(hits[0]?.title).toBe("Always name the version when I ask about libraries.");
  });

  it("put what was said before the bare output of a tool", async () => {
    await store.addMessages([
      said("the heron build failed", 1, { role: "tool" }),
      said("the heron build failed", 2, { role: "assistant", uuid: "spoken" }),
    ]);
    const { hits } = await search({ store }, { query: "the heron build" });
    expect(hits.map(({ speaker }) => speaker)).toEqual(["assistant", "tool"]);
  });

  it("put the kind of row first that is asked for", async () => {
    await store.addMessages([
      said("the heron build failed: no such file", 1, { role: "tool", uuid: "output" }),
      said("the heron build needs a file", 2, { role: "assistant", uuid: "spoken" }),
      said("Bash command=make heron build file", 3, { role: "assistant", uuid: "call" }),
      said("please make the heron build without a file", 4, { role: "user", uuid: "wish" }),
    ]);
    const first = async (query: string) => (await search({ store }, { query })).hits[0]?.title;
    expect(await first("which error did the heron build show for its file")).toContain("no such file");
    expect(await first("why is the error in the heron build of the file")).toContain("needs a file");
    expect(await first("which command makes the heron build file")).toContain("Bash command");
    expect(await first("what did the user want for the heron build file")).toContain("please make");
  });

  it("find rows in English by a question in Chinese, and the other way round", async () => {
    await store.addMessages([
      said("the checkpoint branch was merged after review", 1, { role: "assistant", uuid: "en" }),
      said("回退之后日志丢失", 2, { role: "assistant", uuid: "zh" }),
    ]);
    const first = async (query: string) => (await search({ store }, { query })).hits[0]?.title;
    expect(await first("检查点分支什么时候合并的")).toContain("checkpoint branch");
    expect(await first("which logs were lost")).toContain("日志");
  });

  it("do not let the long output of a tool pass for an answer because it has every word", async () => {
    const output = ["heron", "jetty", "lamp"]
      .map((word) => `${"nothing of note here. ".repeat(40)}${word}`)
      .join(" ");
    await store.addMessages([said(output, 1, { role: "tool" })]);
    await store.addObservations([observed("The heron by the jetty", 2)]);
    expect((await titles("heron jetty lamp"))[0]).toBe("The heron by the jetty");
  });

  it("show the same output of a tool once, however often it was read", async () => {
    const read = (minutes: number) =>
      said("1 the heron landed on the jetty", minutes, { role: "tool", uuid: `${minutes}` });
    await store.addMessages([read(1), read(2), { ...read(3), session: "s2" }]);
    expect(await titles("heron on the jetty")).toHaveLength(1);
  });

  it("show a prompt once, although hook and transcript both told it", async () => {
    await store.recordEvents([
      {
        v: 1,
        id: "ev_1",
        kind: "prompt",
        at: at(1),
        session: "s1",
        lane: "hooks",
        writer: "1",
        payload: { prompt: "sort the imports" },
        project: "app",
      },
    ]);
    await store.addMessages([said("sort the imports", 1)]);
    expect(await titles("sort imports")).toEqual(["sort the imports"]);
  });
});

describe("the query language", () => {
  beforeEach(async () => {
    await store.addObservations([
      observed("user auth with JWT", 1),
      observed("user auth with session", 2, { narrative: "deprecated since" }),
      observed("auth of the user with session", 3),
      observed("authentication failed", 4, { narrative: "title page" }),
    ]);
  });

  it.each([
    ['"user auth" AND (JWT OR session) NOT deprecated', ["user auth with JWT"]],
    ['"user auth"', ["user auth with JWT", "user auth with session"]],
    ["JWT OR deprecated", ["user auth with JWT", "user auth with session"]],
    ["session NOT deprecated", ["auth of the user with session"]],
    ["auth AND session AND deprecated", ["user auth with session"]],
    ['title:"authentication"', ["authentication failed"]],
    ["title:page", []],
    ["narrative:page", ["authentication failed"]],
    ["(JWT OR deprecated) AND user", ["user auth with JWT", "user auth with session"]],
    ['"auth user"', []],
  ])("%s", async (query, expected) => {
    expect((await titles(query)).sort()).toEqual([...expected].sort());
  });

  it("has no syntax errors: every text is a query", async () => {
    const words = fc.constantFrom(
      "AND",
      "OR",
      "NOT",
      "(",
      ")",
      '"',
      "title:",
      "*",
      "^",
      "NEAR(",
      "auth",
      "用户",
      "-",
      "'",
      ":",
      "\\",
      "{",
      "x",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.array(words, { maxLength: 12 }).map((list) => list.join(" ")),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (query) => {
        expect((await search({ store }, { query })).hits.length).toBeLessThanOrEqual(4);
      }),
      { numRuns: 150 },
    );
  });
});

describe("answers", () => {
  const long = "The scheduler wakes every second and looks for work that is due. ".repeat(60);

  it("come in layers of about 50, 100 and 500 tokens", async () => {
    await store.addObservations([observed(`Scheduler ${"and more ".repeat(60)}`, 1, { narrative: long })]);
    const size = async (layer: "index" | "context" | "full"): Promise<number> => {
      const [hit] = (await search({ store }, { query: "scheduler", layer })).hits;
      return `${hit?.title}${hit?.excerpt ?? ""}${hit?.text ?? ""}`.length / 4;
    };
    expect(await size("index")).toBeLessThan(60);
    expect(await size("context")).toBeLessThan(120);
    expect(await size("full")).toBeLessThan(560);
    expect(await size("full")).toBeGreaterThan(300);
  });

  it("can be paged, and are the newest where nothing is asked", async () => {
    await store.addObservations(Array.from({ length: 7 }, (_, index) => observed(`cache ${index}`, index)));
    const pages = await Promise.all(
      [0, 3, 6].map((offset) => search({ store }, { query: "cache", limit: 3, offset })),
    );
    expect(new Set(pages.flatMap(({ hits }) => hits.map(({ ref }) => ref))).size).toBe(7);
    expect(pages.map(({ more }) => more)).toEqual([true, true, false]);
    expect(await titles("", { limit: 2 })).toEqual(["cache 6", "cache 5"]);
  });

  it("say where the words stand that were asked for, and show the part of a passage that has them", async () => {
    const much = "Much was said about other things before that. ".repeat(9);
    await store.addMessages([said(`${much}Then the heron landed on the jetty.`, 1)]);
    const [hit] = (await search({ store }, { query: "jetty herons" })).hits;
    const excerpt = hit?.excerpt ?? "";
    const marked = (hit?.marks?.excerpt ?? []).map(([from, to]) => excerpt.slice(from, to));
    expect(marked).toEqual(["heron", "jetty"]);
    expect(excerpt).toMatch(/^…/);
    expect(hit?.marks).not.toHaveProperty("title");
    const [whole] = (await search({ store }, { query: "jetty", layer: "full" })).hits;
    const [from = 0, to = 0] = whole?.marks?.text?.[0] ?? [];
    expect(whole?.text?.slice(from, to)).toBe("jetty");
  });

  it("come while the user is typing: the last word may be the beginning of one", async () => {
    await store.addObservations([
      observed("The parser drops the last token", 1),
      observed("Configuration of the retry queue", 2),
      observed("如何修复数据库连接错误", 3),
    ]);
    const typed = (query: string) => titles(query, { typed: true });
    const [parser, configuration, chinese] = [await typed("par"), await typed("retry q"), await typed("修")];
    expect([parser, configuration, chinese]).toEqual([
      ["The parser drops the last token"],
      ["Configuration of the retry queue"],
      ["如何修复数据库连接错误"],
    ]);
    for (const text of ["conf", "config", "configu", "configurat", "configuration"])
      expect([text, await typed(text)]).toEqual([text, ["Configuration of the retry queue"]]);
    expect(await titles("par")).toEqual([]);
    const [hit] = (await search({ store }, { query: "the last tok", typed: true, explain: true })).hits;
    expect(hit).toMatchObject({
      marks: {
        title: [
          [21, 25],
          [26, 31],
        ],
      },
      matched: ["last", "tok"],
    });
  });

  const deploy = { name: "deploy.md", title: "Deploying", text: "Ship on Tuesdays.", at: at(1), project: "" };

  it("hold memories to conditions, and have them among the newest", async () => {
    const other = {
      ...deploy,
      name: "app/keys.md",
      title: "Keys",
      text: "The red ship.",
      at: at(9),
      project: "app",
    };
    const memories = { memories: async () => [deploy, other] };
    await store.addObservations([observed("Shipped the release on tuesdays", 5)]);
    const found = async (query: string, more: Partial<SearchRequest> = {}): Promise<string[]> =>
      (await search({ store, memories }, { query, ...more })).hits.map(({ ref }) => ref).sort();
    expect(await found('"ship on tuesdays"')).toEqual(["deploy.md"]);
    expect(await found("ship NOT red")).toEqual(["#1", "deploy.md"]);
    expect(await found("title:keys")).toEqual(["app/keys.md"]);
    expect(await found("ship AND (red OR release)")).toEqual(["#1", "app/keys.md"]);
    const newest = (await search({ store, memories }, { query: "" })).hits.map(({ ref }) => ref);
    expect(newest).toEqual(["app/keys.md", "#1", "deploy.md"]);
    expect(await found("", { kinds: ["memory"], projects: ["other"] })).toEqual(["deploy.md"]);
  });

  it("take memories from every source", async () => {
    const memories = { memories: async () => [deploy] };
    await store.addObservations([observed("Shipped the release", 1)]);
    const { hits } = await search(
      { store, memories },
      { query: "when to ship, on which tuesday", projects: ["app"] },
    );
    expect(hits[0]).toMatchObject({
      ref: "deploy.md",
      kind: "memory",
      excerpt: "Deploying Ship on Tuesdays.",
    });
    expect(await show({ store, memories }, ["deploy.md", "#1", "S9"])).toMatchObject({
      items: [{ ref: "deploy.md" }, { ref: "#1", text: "Shipped the release" }],
      missing: ["S9"],
    });
  });
});

describe("the timeline", () => {
  it("stands around an item, a time, or the best answer to some words", async () => {
    await store.addObservations(
      ["one", "two", "three", "four"].map((title, index) => observed(title, index)),
    );
    const around = async (anchor: string) => {
      const { items, middle } = await timeline({ store }, { around: anchor, before: 1, after: 1 });
      return [middle, ...items.map(({ title }) => title)];
    };
    expect(await around("#2")).toEqual(["#2", "one", "two", "three"]);
    expect(await around("three")).toEqual(["#3", "two", "three", "four"]);
    expect(await around(at(1.5))).toEqual([undefined, "two", "three"]);
    expect(await around("#99")).toEqual([undefined]);
  });
});
