// What a session keeps on disk of the messages it has read: a new process recognises them and goes on, without deriving anew.
import { createHash } from "node:crypto";
import { commonStart, isObject, parseJson, readIfThere, sha256, writeFileAtomic } from "../lib/index.ts";
import type { History, Message } from "../messages/index.ts";
import { type SavedWindow, windowProblem } from "./savedWindow.ts";

/** Known of the first `ids.length` messages of a conversation that needed no repair. */
interface HistoryExtract {
  readonly version: 2;
  readonly ids: readonly string[];
  /** A digest for each `BLOCK` messages; the last block may have fewer. */
  readonly digests: readonly string[];
  /** The family that the tokens are of. */
  readonly tokenizer: string;
  /** Tokens of these messages as the client sent them: of all of them last, before that of fewer and fewer. */
  readonly tokens: readonly number[];
  /** Every result in the first so many messages is in the vault. */
  readonly kept: number;
  /** What the ledger had made of them. */
  readonly window?: SavedWindow;
}

/** Where the extract of a session is kept: absent, it is made again. */
export interface ExtractStore {
  load(): string | undefined;
  save(text: string): void;
}

/** A file that can be made again: it is written whole or not at all. */
export function extractFile(file: string): ExtractStore {
  return { load: () => readIfThere(file), save: (text) => writeFileAtomic(file, text) };
}

const BLOCK = 64;

/** The text of the file: its own digest first, so that a damaged file counts as none. */
function extractText(extract: HistoryExtract) {
  const json = JSON.stringify(extract);
  return `${sha256(json)}\n${json}`;
}

/** Undefined for a file that is damaged or of another version. */
function parseExtract(text: string) {
  const end = text.indexOf("\n");
  const json = text.slice(end + 1);
  if (end < 0 || sha256(json) !== text.slice(0, end)) return undefined;
  const value = parseJson(json);
  return isObject(value) && value.version === 2 && isExtract(value as Partial<HistoryExtract>)
    ? (value as unknown as HistoryExtract)
    : undefined;
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function isExtract({ ids, digests, tokenizer, tokens, kept, window }: Partial<HistoryExtract>) {
  return (
    isTexts(ids) &&
    isTexts(digests) &&
    digests.length === Math.ceil(ids.length / BLOCK) &&
    typeof tokenizer === "string" &&
    Array.isArray(tokens) &&
    tokens.length > 0 &&
    typeof kept === "number" &&
    (window === undefined || windowProblem(window) === undefined)
  );
}

/** Digests of the blocks of a conversation; `known` are those of a shorter one with the same messages. */
function blockDigests(messages: readonly Message[], known: readonly string[], read: number) {
  const whole = Math.floor(Math.min(read, messages.length) / BLOCK);
  const digests = known.slice(0, whole);
  for (let at = digests.length * BLOCK; at < messages.length; at += BLOCK)
    digests.push(digestOf(messages, at, Math.min(at + BLOCK, messages.length)));
  return digests;
}

/** How many messages at the beginning are those of the extract; whole blocks, as one digest tells. */
function recognisedBy({ ids, digests }: HistoryExtract, messages: readonly Message[]) {
  let recognised = 0;
  for (const digest of digests) {
    const end = Math.min(recognised + BLOCK, ids.length);
    if (end > messages.length || digestOf(messages, recognised, end) !== digest) break;
    recognised = end;
  }
  return recognised;
}

/** Characters of a seal that are looked at: another one differs in its first. */
const SEAL = 64;
const scratch = { bytes: Buffer.alloc(0) };
const SCRATCH_BYTES = 1 << 20;
const SHORT_TEXT = 256;

/** Of everything in these messages, in its order: stricter than their identities, and many times faster. */
function digestOf(messages: readonly Message[], from: number, to: number) {
  if (scratch.bytes.length === 0) scratch.bytes = Buffer.allocUnsafe(SCRATCH_BYTES);
  const { bytes } = scratch;
  const hash = createHash("sha256");
  let [end, shape, short] = [0, 0, ""];
  const write = (text: string) => {
    if (end + text.length * 3 > SCRATCH_BYTES) {
      hash.update(bytes.subarray(0, end));
      end = 0;
    }
    if (text.length * 3 > SCRATCH_BYTES) hash.update(text);
    else end += bytes.write(text, end);
  };
  const addText = (text: string) => {
    shape = Math.imul(shape ^ text.length, 0x01000193);
    if (text.length < SHORT_TEXT) short += text;
    else write(text);
  };
  const add = (value: unknown) => {
    if (typeof value === "string") addText(value);
    else if (Array.isArray(value)) {
      shape = Math.imul(shape ^ (value.length + 0x10000), 0x85ebca6b);
      for (const part of value) add(part);
    } else if (typeof value === "object" && value !== null) {
      const fields = value as Readonly<Record<string, unknown>>;
      for (const key in fields) {
        const field = fields[key];
        addText(key);
        if (key === "signature" && typeof field === "string") {
          shape = Math.imul(shape ^ field.length, 0x01000193);
          addText(field.slice(0, SEAL));
        } else add(field);
      }
      shape = Math.imul(shape ^ 0x20000, 0xc2b2ae35);
    } else addText(`${typeof value} ${String(value)}`);
  };
  for (let at = from; at < to; at++) {
    add(messages[at]);
    // Keys, ids and the like behind the long texts of their message, in one go.
    write(short);
    short = "";
  }
  return hash.update(bytes.subarray(0, end)).update(String(shape)).digest("hex");
}

/** Messages that a new process may have to read again. */
const SAVED_EVERY = 256;

/** The extract of one session: what is on disk at the start, and what is saved as the conversation grows. */
export class HistoryExtracts {
  readonly #store: ExtractStore | undefined;
  /** What was found on disk, until it was looked at with the first conversation. */
  #found: HistoryExtract | undefined;
  #isLoaded = false;
  #restored: { readonly extract: HistoryExtract; readonly items: History } | undefined;
  /** What the file is of. */
  #items: History = [];
  #digests: readonly string[] = [];

  constructor(store: ExtractStore | undefined) {
    this.#store = store;
  }

  /** The ids of the messages at the beginning that are known; none where the client calls them otherwise. */
  recognise(messages: readonly Message[], ids: readonly string[] | undefined): readonly string[] {
    if (this.#isLoaded) return [];
    this.#isLoaded = true;
    this.#found = parseExtract(this.#store?.load() ?? "");
    if (!this.#found) return [];
    const known = this.#found.ids.slice(0, recognisedBy(this.#found, messages));
    return known.every((id, at) => ids === undefined || ids[at] === id) ? known : [];
  }

  /** The items that were made of the recognised messages. */
  startWith(items: History) {
    const extract = this.#found;
    if (!extract) return;
    [this.#items, this.#digests] = [items, extract.digests];
    if (items.length === extract.ids.length) this.#restored = { extract, items };
  }

  /** The extract, where all of its messages were recognised; only once. */
  takeRestored() {
    const restored = this.#restored;
    [this.#restored, this.#found] = [undefined, undefined];
    return restored;
  }

  isDue(items: History): boolean {
    return this.#store !== undefined && items.length - this.#items.length >= SAVED_EVERY;
  }

  save(items: History, facts: Pick<HistoryExtract, "tokenizer" | "tokens" | "kept" | "window">): void {
    const messages = items.map(({ message }) => message);
    const digests = blockDigests(messages, this.#digests, commonStart(this.#items, items));
    this.#store?.save(extractText({ version: 2, ids: items.map(({ id }) => id), digests, ...facts }));
    [this.#items, this.#digests] = [items, digests];
  }
}
