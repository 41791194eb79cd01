// Nearness in meaning: what it adds, where it has no say, and that its failure breaks nothing else.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Embedder } from "../embed/index.ts";
import { type NewMessage, openStore, type Store } from "../store/index.ts";
import { embedNext, findNear } from "./meaning.ts";
import { readQuestion } from "./question.ts";
import { search } from "./search.ts";

let folder = "";
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-meaning-"));
  store = await openStore({ file: path.join(folder, "throughline.db") });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Knows three things that can be spoken of, by any of their names. */
const topics = [
  /\b(?:cars?|vehicles?|automobiles?)\b/i,
  /\b(?:doctors?|physicians?)\b/i,
  /\b(?:rain|storms?)\b/i,
];

function embedder(more: Partial<Embedder> = {}): Embedder & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    id: "topics",
    dimensions: topics.length + 1,
    languages: "en",
    batch: 3,
    embed: async (asked) => {
      texts.push(...asked);
      return asked.map((text) =>
        Float32Array.from([...topics.map((topic) => Number(topic.test(text))), 0.1]),
      );
    },
    close: async () => undefined,
    ...more,
    texts,
  };
}

const said = (uuid: string, minutes: number, text: string, role = "user"): NewMessage => ({
  session: `s${minutes}`,
  uuid,
  role,
  text,
  at: new Date(Date.UTC(2026, 2, 2, 9, minutes)).toISOString(),
  project: "app",
});

const code = "export function car(vehicle) {\n  const wheel = vehicle.rain;\n  return wheel;\n}";
const messages = [
  said("a", 1, "The physician told me that it would heal by itself."),
  said("b", 2, "We bought an automobile because the old one was broken."),
  said("c", 3, "There was a storm and the roof of the house is gone."),
  said("d", 4, "那辆汽车是医生的，下雨的时候不能开。"),
  said("e", 5, code),
  said("f", 6, "the vehicle is what the tool printed for the test", "tool"),
  said("g", 7, "car: 0x1f 0x2e 3.14159 [ok] 17/17 => 200"),
];

async function embedded(by: Embedder): Promise<void> {
  await store.addMessages(messages);
  while ((await embedNext(store, by)) > 0);
}

describe("a passage", () => {
  it("gets a vector whatever it is: prose, code and output, in a language of the model", async () => {
    const english = embedder();
    await embedded(english);
    const isEnglish = (text: string): boolean => !/\p{Script=Han}/u.test(text);
    expect(english.texts).toEqual(messages.map(({ text }) => text).filter(isEnglish));
    const any = embedder({ id: "any", languages: "any" });
    while ((await embedNext(store, any)) > 0);
    expect(any.texts).toEqual(messages.map(({ text }) => text));
  });
});

describe("a question", () => {
  const ask = (query: string, by?: Embedder) =>
    search(
      { store, ...(by === undefined ? {} : { embedder: async () => by }) },
      { query, explain: true, limit: 100 },
    );

  it("finds what says the same in other words, and says why", async () => {
    const by = embedder();
    await embedded(by);
    const query = "when did I last visit the doctor about my leg";
    expect((await ask(query)).hits.map(({ ref }) => ref)).not.toContain("M1");
    const [first] = (await ask(query, by)).hits;
    expect(first?.ref).toBe("M1");
    expect(first?.why?.map(({ signal }) => signal)).toContain("meaning");
  });

  it.each([
    '"the doctor is in the car"',
    "the car AND the doctor",
    "title:car of the doctor",
    "医生的汽车在哪里，下雨了吗",
    "",
  ])("gets to the byte what it got without, where meaning has no say: %s", async (query) => {
    const by = embedder();
    await embedded(by);
    const made = by.texts.length;
    expect(JSON.stringify(await ask(query, by))).toBe(JSON.stringify(await ask(query)));
    expect(by.texts).toHaveLength(made);
  });

  it("is answered as without vectors where these put nothing apart", async () => {
    const noise = embedder({
      languages: "any",
      dimensions: 32,
      embed: async (asked) =>
        asked.map((text) =>
          Float32Array.from({ length: 32 }, (_, at) => Math.sin((text.length + 1) * (at + 1) * 12.9898)),
        ),
    });
    await embedded(noise);
    const query = "when did the physician look at the vehicle";
    expect(JSON.stringify(await ask(query, noise))).toBe(JSON.stringify(await ask(query)));
  });
});

describe("an embedder that fails", () => {
  const query = "when did I last visit the doctor about my leg";

  it("leaves the answer to the words, with a note", async () => {
    await embedded(embedder());
    const plain = await search({ store }, { query });
    const failing = [
      async () => Promise.reject(new Error("nobody is there")),
      async () => embedder({ embed: () => Promise.reject(new Error("nobody is there")) }),
    ];
    for (const source of failing) {
      const answer = await search({ store, embedder: source }, { query });
      expect(answer).toEqual({ ...plain, notes: ["Found by words alone: nobody is there."] });
    }
  });

  it("is not waited for longer than there is time", async () => {
    const late = async () => embedder({ embed: () => new Promise<never>(() => undefined) });
    const found = await findNear({ store, filter: {} }, readQuestion(query), late, 20);
    expect(found).toEqual({ near: [], note: expect.stringContaining("within 20 ms") });
  });

  it("leaves what it did not do for the next time", async () => {
    await store.addMessages(messages);
    const failing = embedder({ embed: () => Promise.reject(new Error("nobody is there")) });
    await expect(embedNext(store, failing)).rejects.toThrow("nobody is there");
    const by = embedder();
    while ((await embedNext(store, by)) > 0);
    expect(by.texts).toHaveLength(messages.length - 1);
  });
});
