// What a session keeps on disk of the messages it has read: a new process recognises them and goes on, without deriving anew.
import { createHash } from "node:crypto";
import { commonStart, isObject, parseJson, readIfThere, sha256, writeFileAtomic } from "../lib/index.ts";
import type { History, Message } from "../messages/index.ts";
import { firstShown, type SavedWindow, windowProblem } from "./savedWindow.ts";

/** Known of the first `ids.length` messages of a conversation that needed no repair. */
interface HistoryExtract {
  readonly version: 3;
  readonly ids: readonly string[];
  /** A digest for each `BLOCK` messages; the last block may have fewer. */
  readonly digests: readonly string[];
  /** The outline of each of these blocks. */
  readonly outlines: readonly number[];
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

/** The text of the file: its own digest first, so that a damaged file counts as none; ids as one text, which is read faster. */
function extractText({ ids, ...rest }: HistoryExtract) {
  const json = JSON.stringify({ ...rest, ids: ids.join("\n") });
  return `${sha256(json)}\n${json}`;
}

/** Undefined for a file that is damaged or of another version. */
function parseExtract(text: string): HistoryExtract | undefined {
  const end = text.indexOf("\n");
  const json = text.slice(end + 1);
  if (end < 0 || sha256(json) !== text.slice(0, end)) return undefined;
  const value = parseJson(json);
  if (!isObject(value) || value.version !== 3 || typeof value.ids !== "string") return undefined;
  const extract = { ...value, ids: value.ids.split("\n") } as unknown as HistoryExtract;
  return isExtract(extract) ? extract : undefined;
}

function isExtract({ ids, digests, outlines, tokenizer, tokens, kept, window }: Partial<HistoryExtract>) {
  return (
    Array.isArray(digests) &&
    digests.every((digest) => typeof digest === "string") &&
    digests.length === Math.ceil((ids ?? []).length / BLOCK) &&
    Array.isArray(outlines) &&
    outlines.length === digests.length &&
    typeof tokenizer === "string" &&
    Array.isArray(tokens) &&
    tokens.length > 0 &&
    typeof kept === "number" &&
    (window === undefined || windowProblem(window) === undefined)
  );
}

/** What is known of each block of a conversation; `known` is that of a shorter one with the same messages. */
function knownBlocks(messages: readonly Message[], known: KnownBlocks, read: number): KnownBlocks {
  const whole = Math.floor(Math.min(read, messages.length) / BLOCK);
  const [digests, outlines] = [known.digests.slice(0, whole), known.outlines.slice(0, whole)];
  for (let at = digests.length * BLOCK; at < messages.length; at += BLOCK) {
    const end = Math.min(at + BLOCK, messages.length);
    digests.push(digestOf(messages, at, end));
    outlines.push(outlineOf(messages, at, end));
  }
  return { digests, outlines };
}

type KnownBlocks = Pick<HistoryExtract, "digests" | "outlines">;

/**
 * How many messages at the beginning are those of the extract, by whole blocks. Before the first message that the window
 * shows, a block is recognised by its outline; `verifyOn` looks at its texts later.
 */
function recognisedBy({ ids, digests, outlines, window }: HistoryExtract, messages: readonly Message[]) {
  const shownFrom = window ? firstShown(window) : 0;
  let recognised = 0;
  for (const [block, digest] of digests.entries()) {
    const end = Math.min(recognised + BLOCK, ids.length);
    if (end > messages.length) break;
    const isKnown =
      block >= VERIFIED_AT_FIRST && end <= shownFrom
        ? outlineOf(messages, recognised, end) === outlines[block]
        : digestOf(messages, recognised, end) === digest;
    if (!isKnown) break;
    recognised = end;
  }
  return { recognised, unverified: Math.floor(Math.min(shownFrom, recognised) / BLOCK) };
}

const FNV_PRIME = 0x01000193;

/** Roles, and of each block its type and how long its texts are: a small part of what a digest costs. */
function outlineOf(messages: readonly Message[], from: number, to: number) {
  let outline = 0;
  for (let at = from; at < to; at++) {
    const { role, content } = messages[at] as Message;
    outline = Math.imul(Math.imul(outline ^ role.length, FNV_PRIME) ^ content.length, FNV_PRIME);
    if (typeof content === "string") continue;
    for (const block of content) {
      const { type, text, content: inner, id } = block;
      outline = Math.imul(outline ^ (type?.length ?? 0), FNV_PRIME);
      if (typeof text === "string") outline = Math.imul(outline ^ text.length, FNV_PRIME);
      if (typeof inner === "string" || Array.isArray(inner))
        outline = Math.imul(outline ^ inner.length, FNV_PRIME);
      if (typeof id === "string")
        outline = Math.imul(outline ^ id.length ^ id.charCodeAt(id.length - 1), FNV_PRIME);
    }
  }
  return outline;
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
/** Blocks that a request verifies, and the first one of a process. */
const VERIFIED_AT_ONCE = 8;
const VERIFIED_AT_FIRST = 48;

/** The extract of one session: what is on disk at the start, and what is saved as the conversation grows. */
export class HistoryExtracts {
  readonly #store: ExtractStore | undefined;
  /** What was found on disk, until it was looked at with the first conversation. */
  #found: HistoryExtract | undefined;
  #isLoaded = false;
  #restored: { readonly extract: HistoryExtract; readonly items: History } | undefined;
  /** What the file is of. */
  #items: History = [];
  #blocks: KnownBlocks = { digests: [], outlines: [] };
  /** The first block that was recognised by its outline alone, and the end of those. */
  #unverified = { from: 0, to: 0 };

  constructor(store: ExtractStore | undefined) {
    this.#store = store;
  }

  /** The ids of the messages at the beginning that are known; none where the client calls them otherwise. */
  recognise(messages: readonly Message[], ids: readonly string[] | undefined): readonly string[] {
    if (this.#isLoaded) return [];
    this.#isLoaded = true;
    this.#found = parseExtract(this.#store?.load() ?? "");
    if (!this.#found) return [];
    const { recognised, unverified } = recognisedBy(this.#found, messages);
    const known = this.#found.ids.slice(0, recognised);
    if (!known.every((id, at) => ids === undefined || ids[at] === id)) return [];
    this.#unverified = { from: VERIFIED_AT_FIRST, to: unverified };
    return known;
  }

  /**
   * Looks at the texts of some of the messages that were recognised by their outline. Gives how many messages are known to
   * be the same: fewer than there are where the client has changed one of them.
   */
  verifyOn(messages: readonly Message[]): number {
    const { from, to } = this.#unverified;
    if (this.#verify(messages, Math.min(to, from + VERIFIED_AT_ONCE))) return messages.length;
    const changed = this.#unverified.from * BLOCK;
    this.#unverified = { from: 0, to: 0 };
    return changed;
  }

  /** Looks at the texts of all that are left. False where one of them was changed, which `verifyOn` tells again. */
  isVerified(): boolean {
    return this.#verify(
      this.#items.map(({ message }) => message),
      this.#unverified.to,
    );
  }

  #verify(messages: readonly Message[], end: number) {
    for (let { from: block } = this.#unverified; block < end; block++) {
      this.#unverified = { ...this.#unverified, from: block };
      if (digestOf(messages, block * BLOCK, (block + 1) * BLOCK) !== this.#blocks.digests[block])
        return false;
    }
    this.#unverified = { ...this.#unverified, from: Math.max(this.#unverified.from, end) };
    return true;
  }

  /** The items that were made of the recognised messages. */
  startWith(items: History) {
    const extract = this.#found;
    if (!extract) return;
    [this.#items, this.#blocks] = [items, extract];
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
    const blocks = knownBlocks(messages, this.#blocks, commonStart(this.#items, items));
    this.#store?.save(extractText({ version: 3, ids: items.map(({ id }) => id), ...blocks, ...facts }));
    [this.#items, this.#blocks] = [items, blocks];
  }
}
