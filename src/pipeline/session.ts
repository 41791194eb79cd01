// The session object: ledger, vault, window state, settings and the runtime of one managed conversation.
import path from "node:path";
import { type Offers, type ReadingStore, readingFile } from "../compact/index.ts";
import type { LookCounts } from "../economics/index.ts";
import { ledgerFile, type SessionPlace, safeName } from "../home/index.ts";
import { type ExtractStore, extractFile, type Ledger, memoryLedger, openLedger } from "../ledger/index.ts";
import { isObject, parseJson, readIfThere, writeFileAtomic } from "../lib/index.ts";
import type { CounterState, ModelOverrides } from "../tokens/index.ts";
import { memoryVault, openVault, type Vault } from "../vault/index.ts";
import type { Breaker } from "./autocompact/ask.ts";
import { SessionRuntime } from "./runtime.ts";
import { type PipelineSettings, settingsFor } from "./settings.ts";

/** State kept on disk between processes, so that the next decision is the same. */
export interface WindowState {
  readonly version: 1;
  /** When the last request was sent, in milliseconds. */
  readonly lastRequestAt?: number;
  /** Lifetime of the cache, as the last response's usage showed it. */
  readonly ttl: "5m" | "1h";
  readonly requests: number;
  readonly counter?: CounterState;
  /** Results that were cut on arrival in this session, and recalls of them, by tool. */
  readonly looks?: LookCounts;
  /** The circuit breaker of the summarising model. */
  readonly summariser?: Breaker;
  /** What the agent offered its model at the start or at the last compaction: a compaction attaches what changed since. */
  readonly offers?: Offers;
}

const freshState: WindowState = { version: 1, ttl: "5m", requests: 0 };

/** Where the state of the window is kept between requests. */
export interface StateStore {
  /** The state that was saved last, or a fresh one. */
  load(): WindowState;
  /** Replaces the saved state. */
  save(state: WindowState): void;
}

/** Pass it to `prepare`; one object per conversation and process. */
export interface Session {
  readonly id: string;
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly settings: PipelineSettings;
  readonly state: StateStore;
  /** Whole results as plain files, one a call, so that an agent can Read them with offset and limit; no file in memory. */
  readonly results: {
    /** Where the result of a call is or would be. */
    fileOf(toolUseId: string): string | undefined;
    /** Writes a whole result. */
    write(toolUseId: string, text: string): void;
  };
  readonly models: ModelOverrides;
  /** What earlier sessions of the project counted, by tool: it decides from which size on results are cut. */
  readonly looks: LookCounts;
  /** What this process remembers between two requests; owned by `prepare`, gone with the object. */
  readonly runtime: SessionRuntime;
}

/** Options of every session. */
export interface SessionOptions {
  readonly settings?: PipelineSettings;
  readonly models?: ModelOverrides;
  readonly looks?: LookCounts;
}

/** A session that lives in memory and is gone with the process. */
export function memorySession(id: string, options: SessionOptions = {}): Session {
  let saved = freshState;
  const state: StateStore = {
    load: () => saved,
    save(next) {
      saved = next;
    },
  };
  return {
    id,
    ledger: memoryLedger(),
    vault: memoryVault(),
    results: { fileOf: () => undefined, write: () => undefined },
    ...runtimeParts(state, options),
  };
}

/** Options of a session on disk. */
export interface DiskSessionOptions extends SessionOptions {
  readonly vault: string;
  /** Folder that the agent may read without asking; the session's own by default. */
  readonly resultsFolder?: string;
}

/** A session on disk: a later process goes on where this one stopped. */
export function openSession(place: SessionPlace, options: DiskSessionOptions): Session {
  const folder = options.resultsFolder ?? path.join(place.folder, "tool-results");
  const fileOf = (toolUseId: string) => path.join(folder, `${safeName(toolUseId)}.txt`);
  return {
    id: place.session,
    ledger: openLedger(ledgerFile(place)),
    vault: openVault(options.vault),
    results: { fileOf, write: (toolUseId, text) => writeFileAtomic(fileOf(toolUseId), text) },
    ...runtimeParts(
      diskState(path.join(place.folder, "window.json")),
      options,
      extractFile(path.join(place.folder, "extract.json")),
      readingFile(path.join(place.folder, "reading.bin")),
    ),
  };
}

function runtimeParts(
  state: StateStore,
  { settings = settingsFor("thrifty"), models = {}, looks = {} }: SessionOptions,
  extracts?: ExtractStore,
  readings?: ReadingStore,
) {
  return { settings, models, looks, state, runtime: new SessionRuntime(state, extracts, readings) };
}

function diskState(file: string): StateStore {
  return {
    load() {
      const value = parseJson(readIfThere(file) ?? "");
      // An unreadable state is dropped: the next decision knows less, the session goes on.
      return isObject(value) && value.version === 1 ? (value as unknown as WindowState) : freshState;
    },
    save: (state) => writeFileAtomic(file, JSON.stringify(state)),
  };
}
