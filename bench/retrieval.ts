// How well search finds what answers a question: sets of documents and questions through the product's own store.
// usage: npm run bench:retrieval -- FILE.jsonl… [--misses] [--embedder=packaged]
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Embedder, openPackaged } from "../src/embed/index.ts";
import { isObject, parseJson } from "../src/lib/index.ts";
import { redactValue } from "../src/redact/index.ts";
import { embedNext, search } from "../src/search/index.ts";
import { type NewMessage, openStore, type Store } from "../src/store/index.ts";
import { emptyTally, type Judged, judge, report } from "./retrieval/measures.ts";

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

const files = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
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

/** Asks every question and prints how well they were answered. */
async function ask(
  store: Store,
  queries: readonly Query[],
  byRef: ReadonlyMap<string, string>,
  embedder?: Embedder,
): Promise<void> {
  const tallies = new Map([["all", emptyTally()]]);
  let spent = 0;
  let unheard = 0;
  for (const query of queries) {
    const started = performance.now();
    const { hits, notes } = await search(
      { store, ...(embedder === undefined ? {} : { embedder: async () => embedder }) },
      { query: query.text, projects: [query.unit, "*"], limit: SHOWN, layer: "index" },
    );
    spent += performance.now() - started;
    unheard += notes.length;
    const found = hits.map(({ ref }) => byRef.get(ref) ?? ref);
    const judged: Judged = { found, gold: query.gold };
    for (const name of ["all", query.category]) {
      const tally = tallies.get(name) ?? emptyTally();
      tallies.set(name, tally);
      judge(tally, judged);
    }
    if (process.argv.includes("--misses") && !query.gold.some((id) => found.slice(0, SHOWN).includes(id)))
      process.stdout.write(`  missed: ${query.text.slice(0, 200)}\n`);
  }
  const how = embedder === undefined ? "words" : `words and ${embedder.id}, which was late for ${unheard}`;
  process.stdout.write(
    `  ${how}: ${queries.length} questions, ${(spent / queries.length).toFixed(1)} ms a question\n${report(tallies)}\n`,
  );
}

async function measure(file: string, folder: string, embedder?: Embedder): Promise<void> {
  const { documents, queries } = readSet(file);
  const store = await openStore({ file: path.join(folder, `${path.basename(file)}.db`) });
  const began = performance.now();
  await keep(store, documents);
  const kept = Math.round(performance.now() - began);
  process.stdout.write(`${path.basename(file)}: ${documents.length} documents kept in ${kept} ms\n`);
  const byRef = await names(store);
  await ask(store, queries, byRef);
  if (embedder !== undefined) {
    const started = performance.now();
    while ((await embedNext(store, embedder)) > 0);
    const { vectors } = await store.vectorState();
    const seconds = Math.round((performance.now() - started) / 1_000);
    process.stdout.write(`  ${vectors} vectors in ${seconds} s\n`);
    await ask(store, queries, byRef, embedder);
  }
  await store.close();
}

if (files.length === 0) {
  process.stderr.write("usage: npm run bench:retrieval -- FILE.jsonl… [--embedder=packaged]\n");
  process.exit(2);
}
const folder = mkdtempSync(path.join(tmpdir(), "throughline-bench-retrieval-"));
const embedder = process.argv.includes("--embedder=packaged") ? openPackaged() : undefined;
try {
  for (const file of files) await measure(file, folder, embedder);
} finally {
  await embedder?.close();
  rmSync(folder, { recursive: true, force: true });
}
