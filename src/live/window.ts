// One window in the worker: the client's rows, the pipeline's session, and the edits that carriers have.
import path from "node:path";
import type { Config } from "../config/index.ts";
import { readAccount, recentLooks, type SentRequest, type SessionAccount } from "../economics/index.ts";
import {
  type Home,
  projectOf,
  type SessionPlace,
  safeName,
  sessionPlace,
  vaultFolder,
} from "../home/index.ts";
import { activeEntries, type LedgerEntry } from "../ledger/index.ts";
import {
  defined,
  isObject,
  isoTime,
  type JsonObject,
  parseJson,
  readIfThere,
  timeOrderedId,
  writeFileAtomic,
} from "../lib/index.ts";
import { type History, isBlock, type Message } from "../messages/index.ts";
import {
  openSession,
  type PipelineSettings,
  type Session,
  settingsFor,
  turnTags,
  withCollapse,
  withoutNewEdits,
} from "../pipeline/index.ts";
import type { ModelInfo, ModelOverrides } from "../tokens/index.ts";
import type { EditsChange } from "./edits.ts";
import { copyWindow, findParent } from "./fork.ts";
import type { PlanQuestion } from "./protocol.ts";
import { type EditsRecord, openRecord } from "./record.ts";
import { chainOf } from "./rows.ts";
import { earlierLooks, ownToolsIn } from "./sessionFacts.ts";
import { changeTo, editsFor } from "./windowEdits.ts";

/** The parts of a request that stay the same from one to the next. */
interface FixedParts {
  readonly hash: string;
  readonly system?: string | readonly unknown[];
  readonly tools?: readonly unknown[];
  /** The definitions of our own tools among them, as JSON. */
  readonly ownTools: string;
  readonly body: JsonObject;
}

/**
 * Below the client's own threshold: what is new it counts at full length, before an edit has shortened it, and would compact
 * by itself.
 */
const WINDOW_SHARE = 0.88;

export class LiveWindow {
  readonly place: SessionPlace;
  /** No subagent's. */
  readonly isMain: boolean;
  /** The model of the last request. */
  model = "";
  readonly record: EditsRecord;
  readonly #accountFile: string;
  readonly #open: () => Session;
  #session: Session;
  #values: Config;
  #rows: string[] = [];
  #chains: string[] = [];
  #messages: Message[] = [];
  #fixed: FixedParts = { hash: "", ownTools: "", body: {} };
  account: SessionAccount;
  /** What is known of the request that is under way: for the response to it. */
  sent: SentRequest | undefined;
  /** Tokens of the window that the client keeps to. */
  clientWindow = 0;
  #isForkSought = false;
  isForked = false;
  /** A compaction is due that takes longer than a usual request waits. */
  wantsTime = false;
  /** What was raised for a compaction that is still to be made: how many rows there were, and what the session is told. */
  announced: { readonly rows: number; readonly text: Promise<string> } | undefined;
  /** The model's words for it, and how many rows it had read. */
  words: { readonly text?: string; readonly rows: number } | undefined;
  /** How many rows the last request had that went out. */
  sentRows = 0;

  constructor(home: Home, { session, agent, project, transcript }: PlanQuestion, values: Config) {
    // In the session's own folder and under its id: what is forgotten or recalled of a session is its subagents' too.
    const place = sessionPlace(home, projectOf(project).id, session);
    const folder = agent === undefined ? place.folder : path.join(place.folder, "agents", safeName(agent));
    this.place = { ...place, folder };
    this.isMain = agent === undefined;
    this.record = openRecord(home, session, agent);
    this.#values = values;
    this.#open = () =>
      openSession(this.place, {
        vault: vaultFolder(home),
        settings: liveSettings(this.#values),
        models: this.#values.models,
        looks: recentLooks(earlierLooks(place)),
        ...defined({ resultsFolder: hostResults(transcript) }),
      });
    this.#session = this.#open();
    this.#accountFile = path.join(this.place.folder, "live.json");
    this.account = readAccount(parseJson(readIfThere(this.#accountFile) ?? ""));
  }

  get count(): number {
    return this.#rows.length;
  }

  get chain(): string {
    return this.#chains.at(-1) ?? "";
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get fixed(): FixedParts {
    return this.#fixed;
  }

  get values(): Config {
    return this.#values;
  }

  hasFixed(hash: string): boolean {
    return this.#fixed.hash === hash;
  }

  learnFixed(hash: string, fixed: Readonly<Record<string, string>>): void {
    const read = (name: string) => parseJson(fixed[name] ?? "null") ?? undefined;
    const system = read("system");
    const tools = read("tools");
    const body = {
      thinking: read("thinking"),
      context_management: managedBy(read("context_management")),
      compaction: read("compaction"),
    };
    this.#fixed = {
      hash,
      body: defined(body),
      ...defined({
        system: typeof system === "string" || Array.isArray(system) ? system : undefined,
        tools: Array.isArray(tools) ? tools : undefined,
      }),
      ownTools: ownToolsIn(tools),
    };
  }

  /** Takes over rows behind `base`; false where the rows before them are not those that are known. */
  take({ count, chain }: PlanQuestion["base"], rows: readonly string[]): boolean {
    if (count > this.#chains.length || (this.#chains[count - 1] ?? "") !== chain) return false;
    const parsed = rows.map((row) => parseJson(row));
    if (!parsed.every(isMessage)) return false;
    // The same rows again: their objects are known to the pipeline.
    const isRepeated = rows.length > 0 && rows.every((row, at) => this.#rows[count + at] === row);
    if (isRepeated && this.#rows.length === count + rows.length) return true;
    this.#rows.length = count;
    this.#chains.length = count;
    this.#messages = this.#messages.slice(0, count);
    rows.forEach((row, at) => {
      this.#rows.push(row);
      this.#chains.push(chainOf(this.#chains.at(-1) ?? "", row));
      this.#messages.push(parsed[at] as Message);
    });
    return true;
  }

  /** The session for a request to this model, with the room that the client leaves. */
  sessionFor(model: ModelInfo, values: Config, limit: number, isGuarded: boolean): Session {
    this.#values = values;
    this.clientWindow = Math.min(model.window, limit);
    const window = Math.floor(this.clientWindow * WINDOW_SHARE);
    const own = { ...values.models[model.id], window, compactsOnDemand: false };
    const models: ModelOverrides = { ...values.models, [model.id]: own };
    const settings = liveSettings(values);
    this.#session = {
      ...this.#session,
      models,
      settings: isGuarded ? withoutNewEdits(settings) : settings,
    };
    return this.#session;
  }

  get session(): Session {
    return this.#session;
  }

  /** A conversation that begins as one of another session goes on with its edits. Gives that session. */
  continueFork(home: Home): string | undefined {
    const isForked = this.#messages.some(({ role }) => role === "assistant");
    const isNew = this.isMain && this.record.inForce.version === 0;
    if (this.#isForkSought || !isForked || !isNew || this.#session.ledger.entries().length > 0)
      return undefined;
    this.#isForkSought = true;
    const parent = findParent(home, this.place, this.#chains);
    if (!parent) return undefined;
    copyWindow(parent.place, this.place);
    this.#session = this.#open();
    this.record.append({ version: 1, from: 0, edits: parent.edits }, []);
    this.isForked = true;
    return parent.place.session;
  }

  get hasTurns(): boolean {
    return this.#session.runtime.lastHistory.length > 0;
  }

  /** Whether one of these tags, with or without what stands around it, is that of a turn here. */
  knowsAny(tags: readonly string[]): boolean {
    return turnTags(this.#session.runtime.lastHistory).some(({ tag }) =>
      tags.some((one) => one.includes(tag)),
    );
  }

  /** The change that carriers need for the window as the pipeline made it. */
  changeFor(items: History, client: History): EditsChange | undefined {
    const ids = client.map(({ id }) => id);
    const rows = { messages: this.#messages, ids, chains: this.#chains };
    return changeTo(this.record.inForce, editsFor(items, rows));
  }

  /** Takes back what was recorded for a request that went out without it: nothing of it was ever sent. */
  takeBackUnsent(version: number, now: number): void {
    const { ledger } = this.#session;
    const active = new Set(activeEntries(ledger.entries()).map(({ id }) => id));
    const unsent = this.record.entriesSince(version).filter((id) => active.has(id));
    ledger.append(
      unsent.map(
        (entry): LedgerEntry => ({
          v: 1,
          id: timeOrderedId("e", now),
          at: isoTime(now),
          by: "here",
          level: "autocompact",
          why: "the request went out before this was recorded",
          edit: { kind: "undo", entry },
        }),
      ),
    );
  }

  /** Words that were there for a request before this one; none where the conversation has gone another or a long way since. */
  wordsSince(mostRows: number) {
    const { words, count } = this;
    return words && count >= words.rows && count - words.rows <= mostRows ? words : undefined;
  }

  saveAccount(account: SessionAccount): void {
    this.account = account;
    writeFileAtomic(this.#accountFile, JSON.stringify(account));
  }
}

const isMessage = (value: unknown): value is Message =>
  isObject(value) &&
  typeof value.role === "string" &&
  (typeof value.content === "string" || (Array.isArray(value.content) && value.content.every(isBlock)));

/**
 * Endless Mode: results beyond the newest become one line with a handle, ten at a time, so that the prefix changes once
 * for all of them.
 */
const endless = { tools: ["*"], keepRecent: 5, batch: 10, smallest: 300, observations: true, handles: true };

/** Carriers change content blocks and nothing else: no directive, no block that the API makes. */
function liveSettings({ policy, compaction, collapse, channel, live }: Config): PipelineSettings {
  const settings = withCollapse(settingsFor(policy, compaction), collapse);
  const isEndless = channel === "beta" && live.endless;
  const microcompact = { ...settings.microcompact, server: false, ...(isEndless ? endless : {}) };
  return { ...settings, microcompact };
}

/** Claude Code has the API keep all thinking with every request: that manages nothing. */
function managedBy(management: unknown) {
  const edits = isObject(management) ? management.edits : undefined;
  const keepsAll = (edit: unknown) =>
    isObject(edit) && edit.type === "clear_thinking_20251015" && edit.keep === "all";
  return Array.isArray(edits) && edits.every(keepsAll) ? undefined : management;
}

/** Claude Code's own folder for results too large to show: the agent may read there without a question. */
function hostResults(transcript: string | undefined) {
  return transcript?.endsWith(".jsonl")
    ? path.join(transcript.slice(0, -".jsonl".length), "tool-results")
    : undefined;
}
