// How well search finds what answers a question: sets of documents and questions through the product's own store.
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Embedder, openPackaged } from "../src/embed/index.ts";
import { isObject, parseJson } from "../src/lib/index.ts";
import { redactValue } from "../src/redact/index.ts";
import { embedNext, search } from "../src/search/index.ts";
import { type NewMessage, openStore, type Store } from "../src/store/index.ts";
import { type Bench, type Finding, UsageError } from "./bench.ts";
import { inFolder, rounded, timed } from "./measure.ts";
import { emptyTally, type Judged, judge, rowsOf } from "./retrieval/measures.ts";

interface Document {
  readonly unit: string;
  readonly id: string;
  readonly session: string;
  readonly speaker: string;
  readonly time?: string;
  readonly text: string;
}

interface Query {
  readonly unit: string;
  readonly id: string;
  readonly text: string;
  readonly gold: readonly string[];
  readonly category: string;
}

const SHOWN = 10;

function readSet(file: string): { documents: Document[]; queries: Query[] } {
  const documents: Document[] = [];
  const queries: Query[] = [];
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const value = parseJson(line);
    if (!isObject(value)) continue;
    const text = (name: string): string => String(value[name] ?? "");
    const common = { unit: text("unit"), id: text("id"), text: text("text") };
    if (value.type === "doc") {
      const time = typeof value.time === "string" ? { time: value.time } : {};
      documents.push({ ...common, session: text("session"), speaker: text("speaker"), ...time });
    } else if (value.type === "query") {
      const gold = Array.isArray(value.gold) ? value.gold.map(String) : [];
      queries.push({ ...common, gold, category: text("category") });
    }
  }
  return { documents, queries };
}

const EPOCH = Date.parse("2024-01-01T00:00:00.000Z");

/** Each at its time, in the order they were said; what has none was said right after what came before it. */
function* asMessages(documents: readonly Document[]): Generator<NewMessage> {
  const last = new Map<string, number>();
  for (const { unit, id, session, speaker, time, text } of documents) {
    const before = last.get(unit);
    const said = time === undefined ? (before ?? EPOCH) : Date.parse(time);
    const at = Math.max(said, (before ?? 0) + 1);
    last.set(unit, at);
    yield {
      session: `${unit}/${session}`,
      uuid: id,
      role: speaker,
      text: redactValue({ text }).value.text as string,
      at: new Date(at).toISOString(),
      project: unit,
    };
  }
}

async function keep(store: Store, documents: readonly Document[]): Promise<void> {
  const all = [...asMessages(documents)];
  for (let at = 0; at < all.length; at += 500) await store.addMessages(all.slice(at, at + 500));
}

/** Messages are known by their number; questions name them by the set's own ids. */
async function names(store: Store): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  for (let cursor: string | undefined; ; ) {
    const page = await store.messages({ limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id, uuid } of page.items) known.set(`M${id}`, uuid);
    cursor = page.next;
    if (cursor === undefined) return known;
  }
}

/** Asks every question; how well they were answered, by category. */
async function ask(
  store: Store,
  queries: readonly Query[],
  byRef: ReadonlyMap<string, string>,
  embedder?: Embedder,
): Promise<{ rows: Finding["rows"]; ms: number; unheard: number; missed: string[] }> {
  const tallies = new Map([["all", emptyTally()]]);
  const missed: string[] = [];
  let [spent, unheard] = [0, 0];
  for (const query of queries) {
    const asked = { query: query.text, projects: [query.unit, "*"], limit: SHOWN, layer: "index" } as const;
    const where = { store, ...(embedder === undefined ? {} : { embedder: async () => embedder }) };
    let found: string[] = [];
    spent += await timed(async () => {
      const { hits, notes } = await search(where, asked);
      unheard += notes.length;
      found = hits.map(({ ref }) => byRef.get(ref) ?? ref);
    });
    const judged: Judged = { found, gold: query.gold };
    for (const name of ["all", query.category]) {
      const tally = tallies.get(name) ?? emptyTally();
      tallies.set(name, tally);
      judge(tally, judged);
    }
    if (!query.gold.some((id) => found.slice(0, SHOWN).includes(id))) missed.push(query.text.slice(0, 200));
  }
  return { rows: rowsOf(tallies), ms: spent / Math.max(1, queries.length), unheard, missed };
}

async function measure(file: string, folder: string, embedder: Embedder | undefined, showMisses: boolean) {
  const { documents, queries } = readSet(file);
  const store = await openStore({ file: path.join(folder, `${path.basename(file)}.db`) });
  const kept = await timed(() => keep(store, documents));
  const byRef = await names(store);
  const findings: Finding[] = [];
  const add = async (how: string, by?: Embedder): Promise<void> => {
    const { rows, ms, unheard, missed } = await ask(store, queries, byRef, by);
    const late = unheard === 0 ? [] : [`It was late for ${unheard} questions.`];
    findings.push({
      title: `${path.basename(file)}: ${documents.length} documents, by ${how}`,
      rows,
      notes: [
        `Kept in ${Math.round(kept)} ms; ${rounded(ms, 1)} ms a question.`,
        ...late,
        ...(showMisses ? missed.map((text) => `missed: ${text}`) : []),
      ],
    });
  };
  await add("words");
  if (embedder !== undefined) {
    while ((await embedNext(store, embedder)) > 0);
    await add(`words and ${embedder.id}`, embedder);
  }
  await store.close();
  return findings;
}

export const bench: Bench = {
  name: "retrieval",
  about:
    "How well search finds what answers a question: sets of documents and questions through the product's own store.",
  usage: "FILE.jsonl… [--misses] [--embedder=packaged]",
  async run(args) {
    const files = args.filter((argument) => !argument.startsWith("--"));
    if (files.length === 0) throw new UsageError();
    const embedder = args.includes("--embedder=packaged") ? openPackaged() : undefined;
    try {
      return await inFolder("retrieval", async (folder) => {
        const findings: Finding[] = [];
        for (const file of files)
          findings.push(...(await measure(file, folder, embedder, args.includes("--misses"))));
        return { findings };
      });
    } finally {
      await embedder?.close();
    }
  },
};
