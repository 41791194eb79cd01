// Sets of documents and questions, and a store that holds the documents of one as messages.
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { isObject, parseJson } from "../../src/lib/index.ts";
import { redactValue } from "../../src/redact/index.ts";
import { type NewMessage, openStore, type Store } from "../../src/store/index.ts";

interface Document {
  readonly unit: string;
  readonly id: string;
  readonly session: string;
  readonly speaker: string;
  readonly time?: string;
  readonly text: string;
}

export interface Query {
  readonly unit: string;
  readonly id: string;
  readonly text: string;
  /** Documents that answer it; empty where only sessions are known. */
  readonly gold: readonly string[];
  readonly goldSessions: readonly string[];
  readonly category: string;
}

export interface QuerySet {
  readonly name: string;
  readonly documents: number;
  readonly queries: readonly Query[];
  readonly store: Store;
  /** What a ref of the store is in the set. */
  readonly known: ReadonlyMap<string, Known>;
  /** The same by `unit/id`: ids are unique within their unit. */
  readonly named: ReadonlyMap<string, Known>;
}

export interface Known {
  readonly ref: string;
  readonly unit: string;
  readonly id: string;
  readonly exchange: string;
  readonly session: string;
}

const stringsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Line by line: a set may be larger than what searching it takes. */
function* linesOf(file: string): Generator<string> {
  const opened = openSync(file, "r");
  const decoder = new TextDecoder();
  const chunk = Buffer.alloc(1 << 20);
  let rest = "";
  try {
    for (let read = readSync(opened, chunk); read > 0; read = readSync(opened, chunk)) {
      const lines = (rest + decoder.decode(chunk.subarray(0, read), { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    yield rest;
  } finally {
    closeSync(opened);
  }
}

function* readLines(file: string): Generator<Document | Query> {
  for (const line of linesOf(file)) {
    const value = parseJson(line);
    if (!isObject(value)) continue;
    const text = (name: string): string => String(value[name] ?? "");
    const common = { unit: text("unit"), id: text("id"), text: text("text") };
    if (value.type === "doc") {
      const time = typeof value.time === "string" ? { time: value.time } : {};
      yield { ...common, session: text("session"), speaker: text("speaker"), ...time };
    } else if (value.type === "query") {
      const gold = { gold: stringsIn(value.gold), goldSessions: stringsIn(value.gold_sessions) };
      yield { ...common, ...gold, category: text("category") };
    }
  }
}

const isQuery = (one: Document | Query): one is Query => "gold" in one;

const EPOCH = Date.parse("2024-01-01T00:00:00.000Z");

/** Each at its time, in the order of its session; what has no time was said right after what came before it. */
function* asMessages(lines: Iterable<Document | Query>): Generator<NewMessage> {
  const last = new Map<string, number>();
  for (const line of lines) {
    if (isQuery(line)) continue;
    const { unit, id, session, speaker, time, text } = line;
    const key = time === undefined ? unit : `${unit}/${session}`;
    const before = last.get(key);
    const said = time === undefined ? (before ?? EPOCH) : Date.parse(time);
    const at = Math.max(said, (before ?? 0) + 1);
    last.set(key, at);
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

async function keep(store: Store, file: string): Promise<void> {
  let batch: NewMessage[] = [];
  for (const message of asMessages(readLines(file))) {
    batch.push(message);
    if (batch.length < 500) continue;
    await store.addMessages(batch);
    batch = [];
  }
  await store.addMessages(batch);
}

/** Messages are known by their number; questions name them by the set's own ids. */
async function knownRows(store: Store): Promise<ReadonlyMap<string, Known>> {
  const known = new Map<string, Known>();
  for (let cursor: string | undefined; ; ) {
    const page = await store.messages({ limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    const entries = await store.entriesOf(page.items.map(({ id }) => ({ kind: "message", ref: id })));
    const exchanges = new Map(entries.map(({ ref, exchange }) => [ref, exchange]));
    for (const { id, uuid, session, project } of page.items)
      known.set(`M${id}`, {
        ref: `M${id}`,
        unit: project,
        id: uuid,
        exchange: String(exchanges.get(id)),
        session: session.slice(session.indexOf("/") + 1),
      });
    cursor = page.next;
    if (cursor === undefined) return known;
  }
}

/** The set with its store in the folder: one that is there already is used as it is. */
export async function openSet(file: string, folder: string): Promise<QuerySet> {
  const database = path.join(folder, `${path.basename(file, ".jsonl")}.db`);
  const isThere = existsSync(database);
  const store = await openStore({ file: database });
  if (!isThere) await keep(store, file);
  return readSet(file, store);
}

/** The set in a store that holds nothing yet. */
export async function fillSet(file: string, store: Store): Promise<QuerySet> {
  await keep(store, file);
  return readSet(file, store);
}

async function readSet(file: string, store: Store): Promise<QuerySet> {
  const name = path.basename(file, ".jsonl");
  const queries: Query[] = [];
  for (const line of readLines(file)) if (isQuery(line)) queries.push(line);
  const known = await knownRows(store);
  const named = new Map([...known.values()].map((one) => [`${one.unit}/${one.id}`, one]));
  return { name, documents: known.size, queries, store, known, named };
}
