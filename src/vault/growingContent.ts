// Content that only grows, such as the transcript of a conversation: what was added is hashed and stored, and nothing twice.
import { createHash, type Hash } from "node:crypto";
import { sha256 as hash } from "../lib/index.ts";
import type { BlobContent, ListEntry } from "./blobFormat.ts";
import type { BlobStore, NewBlob } from "./blobStore.ts";
import { storedBlob } from "./handle.ts";
import type { StoredBlob } from "./model.ts";
import { endsPart, isLongPiece, isSmallContent, mergeEntries, type Piece, weightOfEntry } from "./pieces.ts";
import { ResumableSha256, type Sha256State } from "./sha256State.ts";
import { encodeText } from "./text.ts";

interface GrowingPart {
  readonly entry: ListEntry;
  readonly sha256: string;
}

/** Parts that will be one list as soon as it is long enough. */
interface OpenList {
  parts: GrowingPart[];
  weight: number;
  /** Of the content that the parts stand for. */
  hash: RunningHash;
  bytes: number;
}

/** A hash of what was given so far; more may follow. */
type RunningHash = Pick<ResumableSha256, "hex"> & {
  update(bytes: Uint8Array): unknown;
  copy(): RunningHash;
};

/** The platform's own, many times faster; its state cannot be kept. */
const platformHash = (hash: Hash = createHash("sha256")): RunningHash => ({
  update: (bytes) => hash.update(bytes),
  copy: () => platformHash(hash.copy()),
  hex: () => hash.copy().digest("hex"),
});

/** What a later process needs to go on with a content that a vault holds. */
export interface GrowingState {
  readonly whole: Sha256State;
  readonly bytes: number;
  readonly open: readonly OpenPart[];
  readonly openWeight: number;
  readonly levels: readonly (Omit<OpenList, "hash"> & { readonly hash: Sha256State })[];
  readonly stored: string;
}

/** A part behind the last list that was closed, with its bytes. */
type OpenPart = GrowingPart & { readonly content: Uint8Array };

/** What a store has to be given to hold a content. */
interface GrownDeposit {
  readonly blobs: readonly NewBlob[];
  /** A content that the store holds already: its parts are not among the blobs. */
  readonly base?: string;
}

/** The content at one time: what the vault stores, and the name under which it does. */
export interface GrownContent extends StoredBlob {
  /** What this store has to be given. */
  depositIn(store: BlobStore): GrownDeposit;
  /** Called once the deposit is stored: its blobs are not given again. */
  storedIn(store: BlobStore): void;
}

export const isGrown = (content: unknown): content is GrownContent =>
  typeof content === "object" && content !== null && "depositIn" in content;

/** What a piece looks like in the content, and the bytes that are stored for it when it is long. */
function readPiece(piece: Piece) {
  if (typeof piece === "string") return { shown: piece, stored: encodeText(piece), isJson: false };
  return { shown: JSON.stringify(piece.json), stored: encodeText(piece.json), isJson: true };
}

const textOfPieces = (pieces: readonly Piece[]) => pieces.map((piece) => readPiece(piece).shown).join("");

/** Pieces are appended, and are divided into the same blobs as content that is put in pieces. */
export class GrowingContent {
  readonly #newHash: () => RunningHash;
  readonly #whole: RunningHash;
  #bytes = 0;
  #open: OpenPart[] = [];
  #openWeight = 0;
  /** Lists of lists: each closed one becomes a part of the next. */
  readonly #levels: OpenList[] = [];
  /** Blobs that no store has been given yet. */
  readonly #fresh = new Map<string, BlobContent>();
  /** The content that a store holds; after a restart any store that has it. */
  #stored: { readonly store: BlobStore | undefined; readonly sha256: string } | undefined;

  /** Where a later process is to go on, `kept` says so or is what the last one left. */
  constructor(kept?: GrowingState | "kept") {
    this.#newHash = kept === undefined ? platformHash : () => new ResumableSha256();
    this.#whole = this.#newHash();
    if (typeof kept !== "object") return;
    this.#whole = new ResumableSha256(kept.whole);
    [this.#bytes, this.#open, this.#openWeight] = [kept.bytes, [...kept.open], kept.openWeight];
    this.#levels = kept.levels.map((level) => ({ ...level, hash: new ResumableSha256(level.hash) }));
    this.#stored = { store: undefined, sha256: kept.stored };
  }

  /** What to keep; undefined while no store has all of it, or where nothing was to be kept. */
  state(): GrowingState | undefined {
    const whole = this.#whole;
    if (!(whole instanceof ResumableSha256) || this.#fresh.size > 0 || !this.#stored) return undefined;
    return {
      whole: whole.state(),
      bytes: this.#bytes,
      open: [...this.#open],
      openWeight: this.#openWeight,
      levels: this.#levels.map((level) => ({ ...level, hash: (level.hash as ResumableSha256).state() })),
      stored: this.#stored.sha256,
    };
  }

  /** Adds pieces behind those that are there. */
  append(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      const { shown, stored, isJson } = readPiece(piece);
      if (shown === "") continue;
      const content = isJson ? encodeText(shown) : stored;
      const sha256 = hash(stored);
      const entry: ListEntry = !isLongPiece(stored) ? shown : isJson ? [sha256, "json"] : [sha256];
      if (typeof entry !== "string") this.#fresh.set(sha256, stored);
      this.#open.push({ entry, sha256, content });
      this.#openWeight += weightOfEntry(entry);
      this.#bytes += content.length;
      if (endsPart(entry, sha256, this.#openWeight)) this.#closeOpen();
    }
  }

  /**
   * `pieces` gives all of them again, for a store that holds none of the earlier ones. `ending` stands behind them in this content
   * alone.
   */
  current(pieces: () => readonly Piece[], ending = ""): GrownContent {
    const rest = this.#openContent();
    const whole = this.#whole.copy();
    whole.update(rest);
    whole.update(encodeText(ending));
    const sha256 = whole.hex();
    const ends = ending === "" ? [] : [{ entry: ending }];
    const parts = [...this.#levels.toReversed().flatMap((level) => level.parts), ...this.#open, ...ends];
    const bytes = this.#bytes + Buffer.byteLength(ending);
    const list: BlobContent = { bytes, entries: mergeEntries(parts) };
    const fresh = [...this.#fresh].map(([name, content]) => ({ sha256: name, content }));
    const blobs = this.#fresh.has(sha256) ? fresh : [...fresh, { sha256, content: list }];
    const isSmall = isSmallContent(bytes);
    const stored = this.#stored;
    return {
      ...storedBlob(sha256, bytes),
      depositIn: (store) => {
        if (isSmall) return { blobs: [{ sha256, content: encodeText(textOfPieces(pieces()) + ending) }] };
        if (stored === undefined) return { blobs };
        if ((stored.store ?? store) === store && store.facts(stored.sha256) !== undefined)
          return { blobs, base: stored.sha256 };
        const anew = new GrowingContent();
        anew.append(pieces());
        return anew.current(pieces, ending).depositIn(store);
      },
      storedIn: (store) => {
        if (isSmall) return;
        this.#stored = { store, sha256 };
        for (const { sha256: name } of fresh) this.#fresh.delete(name);
      },
    };
  }

  #emptyList(): OpenList {
    return { parts: [], weight: 0, hash: this.#newHash(), bytes: 0 };
  }

  #openContent() {
    return Buffer.concat(this.#open.map(({ content }) => content));
  }

  #closeOpen() {
    const content = this.#openContent();
    const parts = this.#open;
    [this.#open, this.#openWeight] = [[], 0];
    this.#whole.update(content);
    for (const level of this.#levels) {
      level.hash.update(content);
      level.bytes += content.length;
    }
    if (!this.#levels[0]) {
      this.#levels[0] = { ...this.#emptyList(), bytes: content.length };
      this.#levels[0].hash.update(content);
    }
    this.#push(
      0,
      this.#partOf(parts, () => hash(content), content.length),
    );
  }

  /**
   * One part that is a reference stands for itself; more become a list. A text by itself becomes one too: a long one ends its
   * list, and would end every list above it alone as well.
   */
  #partOf(parts: readonly GrowingPart[], name: () => string, bytes: number): GrowingPart {
    const [first] = parts;
    if (first && parts.length === 1 && typeof first.entry !== "string")
      return { entry: first.entry, sha256: first.sha256 };
    const sha256 = name();
    this.#fresh.set(sha256, { bytes, entries: mergeEntries(parts) });
    return { entry: [sha256], sha256 };
  }

  #push(index: number, part: GrowingPart) {
    const level = this.#levels[index] as OpenList;
    level.parts.push(part);
    level.weight += weightOfEntry(part.entry);
    if (!endsPart(part.entry, part.sha256, level.weight)) return;
    const closed = this.#partOf(level.parts, () => level.hash.hex(), level.bytes);
    // A list that is closed for the first time begins where the content does, and so does the list of such lists.
    this.#levels[index + 1] ??= { ...this.#emptyList(), hash: level.hash.copy(), bytes: level.bytes };
    this.#levels[index] = this.#emptyList();
    this.#push(index + 1, closed);
  }
}
