// The contract of the index: it follows the rows, holds to filters, and counts what it holds.
import { describe, expect, it } from "vitest";
import type { NewMessage } from "../../src/store/model.ts";
import type { PassageRequest } from "../../src/store/searchIndex.ts";
import type { Store } from "../../src/store/store.ts";
import { termsOf } from "../../src/terms/index.ts";
import { isoAfter, observation, prompt, type StoreFactory } from "./setting.ts";

const message = (
  uuid: string,
  seconds: number,
  text: string,
  more: Partial<NewMessage> = {},
): NewMessage => ({
  session: "s1",
  uuid,
  role: "user",
  text,
  at: isoAfter(seconds),
  project: "app-00000001",
  ...more,
});

async function refs(store: Store, words: string, more: Partial<PassageRequest> = {}): Promise<string[]> {
  const { sequence, extra } = termsOf(words);
  const terms = more.mode === "phrase" ? sequence : [...sequence, ...extra];
  const found = await store.passages({ terms, mode: "any", limit: 20, ...more });
  return found.map(({ entry }) => `${entry.kind} ${entry.ref}`);
}

export function indexContract(factory: StoreFactory): void {
  describe("the index", () => {
    follows(factory);
    unfinished(factory);
    rarities(factory);
    listed(factory);
    words(factory);
    filters(factory);
    conditions(factory);
    neighbours(factory);
    exchanges(factory);
  });
}

function follows(factory: StoreFactory): void {
  it(
    "holds every kind of row from the moment it is kept, and lets go of it with the row",
    factory(async ({ store, reopen }) => {
      await store.recordEvents([prompt("p", 1, "why is the parser slow")]);
      await store.addObservations([observation("ob", 2, { title: "The parser reads twice" })]);
      const summary = { uid: "su", session: "s1", project: "app-00000001", promptNumber: 1, at: isoAfter(3) };
      await store.addSummaries([{ ...summary, learned: "parsers should read once" }]);
      await store.addMessages([message("m", 4, "the parser again")]);
      const all = ["message 1", "observation 1", "prompt 1", "summary 1"];
      expect((await refs(store, "parser")).sort()).toEqual(all);
      await store.addObservations([observation("ob", 2, { title: "The parser reads twice" })]);
      const again = await reopen();
      expect((await refs(again, "parsers")).sort()).toEqual(all);
      await again.forget({ session: "s1" });
      expect(await refs(again, "parser")).toEqual([]);
      expect((await again.termStatistics([...termsOf("parser").sequence], {})).passages).toBe(0);
    }),
  );

  it(
    "finds a sentence deep in a long text, and says where it stands",
    factory(async ({ store }) => {
      const text = `${"Nothing of note happened here today. ".repeat(200)}The heron landed.${" More of the same.".repeat(200)}`;
      await store.addMessages([message("long", 1, text)]);
      const [found] = await store.passages({ terms: ["heron"], mode: "any", limit: 5 });
      expect(text.slice(found?.start, found?.end)).toContain("The heron landed.");
      expect((found?.end ?? 0) - (found?.start ?? 0)).toBeLessThan(1_000);
    }),
  );
}

function unfinished(factory: StoreFactory): void {
  it(
    "takes a word that is still being typed for every word that begins so, and counts them together",
    factory(async ({ store }) => {
      await store.addMessages([
        message("a", 1, "the parser reads"),
        message("b", 2, "parsing is slow"),
        message("c", 3, "a partial parse of the retry queue"),
        message("d", 4, "nothing"),
      ]);
      const found = async (terms: string[], mode: PassageRequest["mode"]): Promise<number[]> =>
        (await store.passages({ terms, mode, limit: 9 })).map(({ entry }) => entry.ref).sort();
      expect(await found(["parse*"], "any")).toEqual([1, 2, 3]);
      expect(await found(["parser*"], "any")).toEqual([1]);
      expect(await found(["queue", "pars*"], "all")).toEqual([3]);
      expect(await found(["retri", "que*"], "phrase")).toEqual([3]);
      const { frequency } = await store.termStatistics(["parse*", "zebra*"], {});
      expect([...frequency]).toEqual([["parse*", 3]]);
    }),
  );
}

function listed(factory: StoreFactory): void {
  it(
    "lists the passages with each term that satisfy the filter, and reads them in the order that is asked for",
    factory(async ({ store }) => {
      await store.addMessages([
        message("a", 1, "heron at the pier"),
        message("b", 2, "a heron"),
        message("c", 3, "another heron", { session: "s2" }),
      ]);
      const all = await store.termStatistics(["heron", "pier", "nothing"], {});
      expect([...all.holders.keys()]).toEqual(["heron", "pier"]);
      const herons = all.holders.get("heron") ?? [];
      const read = await store.passagesById([...herons].reverse());
      expect(read.map(({ entry }) => entry.ref)).toEqual([3, 2, 1]);
      expect(read.map(({ sequence }) => sequence)).toEqual(["anoth heron", "a heron", "heron at the pier"]);
      const own = await store.termStatistics(["heron"], { session: "s2" });
      expect([own.frequency.get("heron"), own.holders.get("heron")]).toEqual([3, herons.slice(2)]);
      await store.forget({ session: "s2" });
      expect((await store.passagesById(herons)).map(({ entry }) => entry.ref)).toEqual([1, 2]);
    }),
  );
}

function words(factory: StoreFactory): void {
  it(
    "gives the words that begin so, with how many passages have them, whenever it is asked",
    factory(async ({ store, reopen }) => {
      await store.addMessages([message("a", 1, "heron herons hero"), message("b", 2, "a heron and a pier")]);
      const heron = [
        ["hero", 1],
        ["heron", 2],
      ];
      expect([...(await store.vocabulary("her", 10))]).toEqual(heron);
      expect((await store.vocabulary("her", 1)).size).toBe(1);
      expect((await store.vocabulary("x", 10)).size).toBe(0);
      const again = await reopen();
      expect([...(await again.vocabulary("her", 10))]).toEqual(heron);
    }),
  );
}

function rarities(factory: StoreFactory): void {
  it(
    "says how rare terms are, without counting what is common to its end",
    factory(async ({ store }) => {
      await store.addMessages(
        Array.from({ length: 12 }, (_, index) =>
          message(`m${index}`, index, index === 3 ? "heron pier" : "pier"),
        ),
      );
      const { passages, frequency } = await store.rarity(["pier", "heron", "nothing"], 5);
      expect(passages).toBe(12);
      expect([...frequency]).toEqual([
        ["pier", 5],
        ["heron", 1],
      ]);
    }),
  );
}

function filters(factory: StoreFactory): void {
  it(
    "holds to kinds, projects, sessions, times, types, files and concepts",
    factory(async ({ store }) => {
      await store.addObservations([
        observation("a", 10, { title: "cache one", type: "bugfix", filesModified: ["src/cache/lru.ts"] }),
        observation("b", 20, {
          title: "cache two",
          project: "other-2",
          session: "s2",
          concepts: ["Caching"],
        }),
        observation("c", 30, {
          title: "cache three",
          type: "decision",
          filesRead: ["/w/app/src/cache/lru.ts"],
        }),
      ]);
      await store.addMessages([message("m", 15, "cache four")]);
      const find = (more: Partial<PassageRequest>) =>
        refs(store, "cache", more).then((found) => found.sort());
      expect(await find({ kinds: ["message"] })).toEqual(["message 1"]);
      expect(await find({ projects: ["other-2"] })).toEqual(["observation 2"]);
      expect(await find({ projects: ["other-2", "app-00000001"] })).toHaveLength(4);
      expect(await find({ projects: ["nowhere"] })).toEqual([]);
      expect([await find({ kinds: [] }), await find({ projects: [] })]).toEqual([[], []]);
      expect(await find({ session: "s2" })).toEqual(["observation 2"]);
      expect(await find({ from: isoAfter(12), to: isoAfter(30) })).toEqual(["message 1", "observation 2"]);
      expect(await find({ types: ["bugfix", "decision"] })).toEqual(["observation 1", "observation 3"]);
      expect(await find({ file: "lru.ts" })).toEqual(["observation 1", "observation 3"]);
      expect(await find({ file: "ru.ts" })).toEqual([]);
      expect(await find({ concept: "caching" })).toEqual(["observation 2"]);
      expect(
        await find({ kinds: ["observation"], projects: ["app-00000001"], file: "cache/lru.ts" }),
      ).toEqual(["observation 1", "observation 3"]);
      const { passages, frequency } = await store.termStatistics(["cach", "four", "nothing"], {
        projects: ["app-00000001"],
      });
      expect([passages, [...frequency]]).toEqual([
        3,
        [
          ["cach", 3],
          ["four", 1],
        ],
      ]);
    }),
  );
}

function conditions(factory: StoreFactory): void {
  it(
    "holds to conditions on words, over all passages of an entry",
    factory(async ({ store }) => {
      const far = "Other things were said in between. ".repeat(40);
      await store.addMessages([
        message("both", 1, `user auth came first. ${far} JWT came last.`),
        message("one", 2, "user auth alone"),
        message("apart", 3, "the auth of a user with JWT"),
      ]);
      await store.addObservations([observation("ob", 4, { title: "数据库连接池", narrative: "user auth" })]);
      const having = (words: PassageRequest["words"]) =>
        refs(store, "user auth", words === undefined ? {} : { words }).then((found) =>
          [...new Set(found)].sort(),
        );
      const auth = { phrase: ["user", ...termsOf("auth").sequence] };
      const jwt = { phrase: ["jwt"] };
      expect(await having({ all: [auth, jwt] })).toEqual(["message 1"]);
      expect(await having({ all: [auth, { not: jwt }] })).toEqual(["message 2", "observation 1"]);
      expect(await having({ any: [jwt, { field: "title", text: "连接" }] })).toEqual([
        "message 1",
        "message 3",
        "observation 1",
      ]);
      expect(await having({ not: auth })).toEqual(["message 3"]);
      expect(await having({ field: "narrative", text: "user auth" })).toEqual(["observation 1"]);
      expect(await having({ field: "title", text: 'x" OR title:*' })).toEqual([]);
    }),
  );
}

function neighbours(factory: StoreFactory): void {
  it(
    "knows what stands around an entry, and what happened around a time",
    factory(async ({ store }) => {
      const said = ["one", "two", "three", "four", "five"];
      await store.addMessages(said.map((text, at) => message(text, at + 1, text)).reverse());
      await store.addMessages([message("x", 3, "elsewhere", { session: "s2" })]);
      const byText = async (text: string) =>
        (await store.passages({ terms: [...termsOf(text).sequence], mode: "any", limit: 1 })).map(
          ({ entry }) => entry,
        );
      const [three] = await byText("three");
      const around = (await store.surroundings(three === undefined ? [] : [three], 2)).get(three?.id ?? 0);
      const texts = async (entries: readonly { readonly ref: number }[] = []) =>
        (await store.messagesById(entries.map(({ ref }) => ref))).map(({ text }) => text);
      expect(await texts(around?.before)).toEqual(["two", "one"]);
      expect(await texts(around?.after)).toEqual(["four", "five"]);
      const middle = await store.timeline({ around: three?.id ?? 0, before: 1, after: 1, session: "s1" });
      expect(await texts(middle)).toEqual(["two", "three", "four"]);
      const time = await store.timeline({ around: { at: isoAfter(2.5) }, before: 1, after: 2 });
      expect(await texts(time)).toEqual(["two", "three", "elsewhere"]);
      const newest = await store.entries({ session: "s1" }, 2);
      expect(await texts(newest)).toEqual(["five", "four"]);
      expect(await store.entriesOf([{ kind: "message", ref: 999 }])).toEqual([]);
    }),
  );
}

function exchanges(factory: StoreFactory): void {
  it(
    "knows the class of a row and the exchange it belongs to, in whatever order rows come",
    factory(async ({ store, reopen }) => {
      const rows = [
        message("ask", 10, "please fix the parser"),
        message("call", 20, "Bash command=npm test", { role: "assistant" }),
        message("out", 30, "FAIL parser", { role: "tool" }),
        message("done", 40, "The parser is fixed and the tests pass.", { role: "assistant" }),
        message("again", 60, "now the lexer"),
        message("lexed", 70, "The lexer is done as well.", { role: "assistant" }),
      ];
      await store.recordEvents([prompt("p", 9, "please fix the parser")]);
      await store.addMessages([...rows.slice(3), ...rows.slice(0, 1)]);
      await store.addMessages(rows.slice(1, 3));
      await store.addObservations([observation("ob", 35, { title: "The parser was repaired" })]);
      const placed = async (from: Store): Promise<string[][]> => {
        const entries = await from.timeline({ around: { at: isoAfter(0) }, before: 0, after: 20 });
        const exchangesOf = [...new Set(entries.map(({ exchange }) => exchange))];
        return exchangesOf.map((one) =>
          entries.filter(({ exchange }) => exchange === one).map(({ rowClass }) => rowClass),
        );
      };
      const expected = [
        ["user", "user", "shell", "failure", "prose", "prose"],
        ["user", "prose"],
      ];
      expect(await placed(store)).toEqual(expected);
      expect(await placed(await reopen())).toEqual(expected);
    }),
  );
}
