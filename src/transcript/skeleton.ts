// Keeps the ids, links and numbers of every row, never contents, so that huge files fit into memory, and counts rows, models, versions and titles while a file is read.
import { defined } from "../lib/index.ts";
import {
  type Block,
  blocksOf,
  type HistoryItem,
  isThinking,
  isToolResult,
  isToolUse,
  isUserInput,
  type Message,
  userWords,
} from "../messages/index.ts";
import {
  type BoundaryFacts,
  type Links,
  type MessageEntry,
  type RowCount,
  rowCounts,
  type SessionFacts,
  type TranscriptEntry,
} from "./model.ts";
import { promptTitle, TitleFinder } from "./title.ts";

/** Clients write this in place of a model's name into messages of their own. */
const SYNTHETIC_MODEL = "<synthetic>";

/** Whether a model wrote the message: Claude Code signs its own with a synthetic name. */
export function isRealModel(model: string | undefined): model is string {
  return model !== undefined && model !== SYNTHETIC_MODEL;
}

const boundaryCounts = {
  compact: "compactBoundaries",
  microcompact: "microcompactBoundaries",
  "collapse-commit": "collapseCommits",
  "collapse-snapshot": "collapseSnapshots",
  snip: "snipBoundaries",
} as const;

const kindCounts = {
  system: "systemRows",
  attachment: "attachmentRows",
  "api-request": "apiRequests",
  "api-request-part": "apiRequestParts",
  unknown: "unknownRows",
} as const;

export class Tally {
  readonly counts = Object.fromEntries(rowCounts.map((name) => [name, 0])) as Record<RowCount, number>;
  readonly versions = new Set<string>();
  readonly models = new Set<string>();
  readonly titles = new TitleFinder();
  session: SessionFacts = {};
  firstAt: number | undefined;
  lastAt: number | undefined;

  add(entry: TranscriptEntry) {
    if (entry.sidechain) this.counts.sidechainRows += 1;
    if (entry.at !== undefined) {
      this.firstAt = Math.min(this.firstAt ?? entry.at, entry.at);
      this.lastAt = Math.max(this.lastAt ?? entry.at, entry.at);
    }
    this.#addSession(entry.session);
    if (entry.kind === "message") this.#addMessage(entry);
    else if (entry.kind === "boundary") this.counts[boundaryCounts[entry.boundary.kind]] += 1;
    else if (entry.kind === "title") this.titles.add(entry);
    else if (entry.kind !== "bookkeeping") this.counts[kindCounts[entry.kind]] += 1;
  }

  #addSession(session: SessionFacts | undefined) {
    if (!session) return;
    if (session.version) this.versions.add(session.version);
    const { cwd } = this.session;
    this.session = { ...this.session, ...session, ...defined({ cwd }) };
  }

  #addMessage({ message, response }: Extract<TranscriptEntry, { kind: "message" }>) {
    this.counts[message.role === "assistant" ? "assistantRows" : "userRows"] += 1;
    if (isRealModel(response?.model)) this.models.add(response.model);
    for (const block of blocksOf(message)) {
      if (isThinking(block)) this.counts.thinkingBlocks += 1;
      else if (isToolUse(block)) this.counts.toolUses += 1;
      else if (block.type === "tool_result") this.counts.toolResults += 1;
    }
  }
}

/** Stands for "no row" or "no call" wherever a number of one is expected. */
export const NONE = -1;
/** Instead of a parent: the row names none that is in the file, and follows the row before it. */
const ROW_BEFORE = -2;
/** Instead of a number of blocks: the row is no message. */
const NO_MESSAGE = -1;

/** The conversation between a person and the agent; sidechains are numbered from 1. */
const MAIN_THREAD = 0;

interface ThreadFacts {
  /** The subagent, or the first row of a sidechain that names none. Empty for the main thread. */
  readonly name: string;
  readonly rows: number[];
  /** The responses that may still grow, by the key of their rows. */
  readonly responses: Map<string, number>;
}

interface BoundaryRow {
  readonly facts: BoundaryFacts;
  readonly at: number | undefined;
}

/** Rows and calls are known by their numbers in file order. */
export class Skeleton {
  readonly threads: ThreadFacts[] = [{ name: "", rows: [], responses: new Map() }];
  /** What a user's input would give as a title, by row; has every row that is an input. */
  readonly prompts = new Map<number, string>();
  readonly boundaries = new Map<number, BoundaryRow>();
  missingParents = 0;
  readonly #measure: ((message: Message) => number) | undefined;
  readonly #ids: (string | undefined)[] = [];
  readonly #rowById = new Map<string, number>();
  readonly #threads = new Column(MAIN_THREAD);
  readonly #parents = new Column();
  readonly #befores = new Column();
  readonly #blocks = new Column();
  readonly #responses = new Column();
  readonly #sizes: number[] = [];
  /** Where each row's calls and answers end in the lists of all of them. */
  readonly #callEnds = new Column(0);
  readonly #answerEnds = new Column(0);
  readonly #callers = new Column();
  readonly #answers = new Column();
  readonly #broughtBy = new Map<number, number>();
  readonly #callById = new Map<string, number>();
  readonly #threadByName = new Map<string, number>();
  /** Links to what was not read yet when it was named. */
  readonly #openParents: { readonly row: number; readonly parent: string }[] = [];
  readonly #openAnswers: { readonly answer: number; readonly call: string }[] = [];
  #responseCount = 0;

  constructor(measure?: (message: Message) => number) {
    this.#measure = measure;
  }

  /** The number of the new row, or undefined when a row of this id was read before. */
  add(entry: TranscriptEntry) {
    const row = this.#ids.length;
    const { id } = entry;
    if (id !== undefined) {
      if (this.#rowById.has(id)) return undefined;
      this.#rowById.set(id, row);
    }
    this.#ids.push(id);
    const parent = this.#findParent(entry, row);
    const number = this.#findThread(entry, row, parent);
    const thread = this.#thread(number);
    this.#threads.push(number);
    this.#parents.push(parent);
    this.#befores.push(thread.rows.at(-1) ?? NONE);
    thread.rows.push(row);
    if (entry.kind === "message") this.#addMessage(entry, row, thread);
    else this.#blocks.push(NO_MESSAGE);
    this.#responses.push(entry.kind === "message" ? this.#findResponse(entry, thread) : NONE);
    if (this.#measure) this.#sizes.push(entry.kind === "message" ? this.#measure(entry.message) : 0);
    this.#callEnds.push(this.#callers.length);
    this.#answerEnds.push(this.#answers.length);
    if (entry.kind === "boundary")
      this.boundaries.set(row, { facts: withoutContents(entry.boundary), at: entry.at });
    return row;
  }

  /** Call when all rows are in: closes the links that pointed forward. */
  finish() {
    for (const { row, parent } of this.#openParents) {
      const found = this.#rowById.get(parent);
      if (found === undefined) this.missingParents += 1;
      else this.#parents.set(row, found);
    }
    for (const { answer, call } of this.#openAnswers)
      this.#answers.set(answer, this.#callById.get(call) ?? NONE);
  }

  rowOf(id: string | undefined) {
    return (id === undefined ? undefined : this.#rowById.get(id)) ?? NONE;
  }

  idOf(row: number) {
    return this.#ids[row];
  }

  threadOf(row: number) {
    return this.#threads.at(row);
  }

  /** The row that this one follows; NONE for a root. */
  parentOf(row: number) {
    const parent = this.#parents.at(row);
    return parent === ROW_BEFORE ? this.beforeOf(row) : parent;
  }

  isRoot(row: number) {
    return row < this.#parents.length && this.#parents.at(row) === NONE;
  }

  /** The row before it in the same thread. */
  beforeOf(row: number) {
    return this.#befores.at(row);
  }

  isMessage(row: number) {
    return this.#blocks.at(row) !== NO_MESSAGE;
  }

  isEmpty(row: number) {
    return this.#blocks.at(row) === 0;
  }

  isCompaction(row: number) {
    return this.boundaries.get(row)?.facts.kind === "compact";
  }

  /** The response that an assistant's row is a part of; NONE for others. */
  responseOf(row: number) {
    return this.#responses.at(row);
  }

  /** The call that brought a user row along. */
  bringerOf(row: number) {
    return this.#broughtBy.get(row) ?? NONE;
  }

  /** The row that made a call. */
  callerOf(call: number) {
    return this.#callers.at(call);
  }

  callCount(row: number) {
    return this.#callEnds.at(row) - this.#callEnds.at(row - 1);
  }

  /** The calls that a row answers; NONE for a result without a call. */
  answersOf(row: number) {
    return this.#answers.slice(this.#answerEnds.at(row - 1), this.#answerEnds.at(row));
  }

  sizeOf(row: number) {
    return this.#sizes[row] ?? 0;
  }

  /** The thread to read: the conversation itself, or in a subagent's own file the subagent. */
  mainThread() {
    if (this.#thread(MAIN_THREAD).rows.some((row) => this.isMessage(row))) return MAIN_THREAD;
    for (let row = this.#ids.length - 1; row >= 0; row -= 1)
      if (this.isMessage(row)) return this.threadOf(row);
    return MAIN_THREAD;
  }

  #thread(thread: number) {
    const facts = this.threads[thread];
    if (!facts) throw new RangeError(`There is no thread ${thread}.`);
    return facts;
  }

  #findParent({ parent }: Links, row: number) {
    if (parent === null) return NONE;
    if (parent === undefined) return ROW_BEFORE;
    const found = this.#rowById.get(parent);
    if (found !== undefined && found !== row) return found;
    this.#openParents.push({ row, parent });
    return ROW_BEFORE;
  }

  #findThread({ id, sidechain, agentId }: Links, row: number, parent: number) {
    if (!sidechain) return MAIN_THREAD;
    const inherited = this.threadOf(parent);
    if (agentId === undefined && inherited !== MAIN_THREAD) return inherited;
    const name = agentId ?? id ?? `row-${row}`;
    const known = this.#threadByName.get(name);
    if (known !== undefined) return known;
    this.threads.push({ name, rows: [], responses: new Map() });
    this.#threadByName.set(name, this.threads.length - 1);
    return this.threads.length - 1;
  }

  #addMessage(entry: Links & MessageEntry, row: number, thread: ThreadFacts) {
    const { message, meta, compactSummary, at } = entry;
    const item: HistoryItem = { id: entry.id ?? "", message, ...defined({ at, meta, compactSummary }) };
    const isInput = isUserInput(item);
    if (isInput) this.prompts.set(row, promptTitle(userWords(item)));
    // No response reaches across a user's input: an id that comes again behind one is another response.
    if (isInput || compactSummary) thread.responses.clear();
    const blocks = blocksOf(message);
    this.#blocks.push(blocks.length);
    for (const block of blocks) this.#addBlock(block, row);
    const bringer = entry.broughtBy === undefined ? undefined : this.#callById.get(entry.broughtBy);
    if (bringer !== undefined) this.#broughtBy.set(row, bringer);
  }

  #findResponse({ message, response }: MessageEntry, thread: ThreadFacts) {
    if (message.role !== "assistant") return NONE;
    const key = response?.key;
    const known = key === undefined ? undefined : thread.responses.get(key);
    if (known !== undefined) return known;
    const found = this.#responseCount;
    if (key !== undefined) thread.responses.set(key, found);
    this.#responseCount += 1;
    return found;
  }

  #addBlock(block: Block, row: number) {
    if (isToolUse(block)) {
      // Ids that are used again mean the newest call: results come after the call they answer.
      if (typeof block.id === "string") this.#callById.set(block.id, this.#callers.length);
      this.#callers.push(row);
    } else if (isToolResult(block)) {
      const { tool_use_id: id } = block;
      const call = this.#callById.get(id);
      if (call === undefined) this.#openAnswers.push({ answer: this.#answers.length, call: id });
      this.#answers.push(call ?? NONE);
    }
  }
}

function withoutContents(boundary: BoundaryFacts): BoundaryFacts {
  if (boundary.kind === "collapse-snapshot") return { ...boundary, spans: [] };
  if (boundary.kind !== "collapse-commit") return boundary;
  const { summaryContent: _, ...rest } = boundary;
  return rest;
}

const FIRST_CAPACITY = 1024;

/** A list of numbers that grows; `otherwise` stands outside of it. */
class Column {
  length = 0;
  readonly #otherwise: number;
  #values = new Int32Array(FIRST_CAPACITY);

  constructor(otherwise = NONE) {
    this.#otherwise = otherwise;
  }

  push(value: number) {
    if (this.length === this.#values.length) {
      const wider = new Int32Array(this.length * 2);
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[this.length++] = value;
  }

  at(place: number) {
    return (place < this.length ? this.#values[place] : undefined) ?? this.#otherwise;
  }

  set(place: number, value: number) {
    if (place < this.length) this.#values[place] = value;
  }

  slice(start: number, end: number) {
    return Array.from(this.#values.subarray(start, Math.min(end, this.length)));
  }
}
