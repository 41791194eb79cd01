// Exchanges changes with the team's server in the background: soon after something was stored, and now and then. A server that is away delays nothing.
import type { Environment, Home } from "../../home/index.ts";
import {
  type Clock,
  errorText,
  isoTime,
  MINUTE,
  minuteOf,
  SECOND,
  serialQueue,
  ThroughlineError,
} from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import {
  exchange,
  exchangeMemories,
  makeClient,
  type RemoteState,
  readRemoteState,
  remotePlace,
  shareItem,
  writeRemoteState,
} from "../../remote/index.ts";
import type { Store } from "../../store/index.ts";
import { memoryFolderFor } from "../../tools/index.ts";
import type { BackgroundJob } from "../backgroundJob.ts";

interface RemoteParts {
  readonly home: Home;
  readonly env: Environment;
  readonly store: Store;
  /** The address in the settings; undefined where they cannot be read. */
  readonly url: () => string | undefined;
  /** Rows came from others. */
  readonly onReceived: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

interface RemoteJob extends BackgroundJob {
  note(): void;
  /** Exchanges now. Throws when there is no server, when it is away, or when it refuses the key. */
  sync(): Promise<RemoteState>;
  share(asked: unknown): ReturnType<typeof shareItem>;
  /** What a search cannot see now; undefined where nothing is missing. */
  missing(): string | undefined;
}

const FIRST_MS = SECOND;
/** What belongs together is stored within this time. */
const AFTER_EVENTS_MS = 3 * SECOND;
const EVERY_MS = 20 * SECOND;
/** Memories change seldom. */
const MEMORIES_EVERY_MS = MINUTE;
const LONGEST_WAIT_MS = 5 * MINUTE;

const noServer = () =>
  new ThroughlineError("server-absent", "this machine has no server", {
    fix: "throughline remote connect https://HOST (with a key from the operator)",
  });

const placeOf = ({ home, env, url }: RemoteParts) => remotePlace(home, env, url());

function clientOf(parts: RemoteParts, signal: AbortSignal) {
  const found = placeOf(parts);
  if (found === undefined) throw noServer();
  return makeClient(found, signal);
}

/** The reason of a failure stays in the state until an exchange is completed. */
async function exchangeOnce(parts: RemoteParts, signal: AbortSignal) {
  const { home, store, clock, log, onReceived } = parts;
  const client = clientOf(parts, signal);
  const start = readRemoteState(home, client.url);
  try {
    const state = await exchange(
      {
        ...{ store, client, now: clock.now, keep: (one: RemoteState) => writeRemoteState(home, one) },
        onRefused: ({ kind }, why) => log.warn({ kind, problem: why }, "remote.change-refused"),
      },
      start,
    );
    if (state.pulled !== start.pulled) onReceived();
    return state;
  } catch (error) {
    writeRemoteState(home, { ...readRemoteState(home, client.url), problem: errorText(error) });
    throw error;
  }
}

const exchangeFolders = (parts: RemoteParts, signal: AbortSignal) =>
  exchangeMemories({
    store: parts.store,
    client: clientOf(parts, signal),
    placeOf: (folder) => memoryFolderFor({ home: parts.home, env: parts.env, folder }).place,
    onProblem: (folder, problem) => parts.log.warn({ folder, problem }, "remote.memories-left"),
  });

function missingFrom(parts: RemoteParts) {
  const found = placeOf(parts);
  if (found === undefined) return undefined;
  const { problem, syncedAt, url } = readRemoteState(parts.home, found.url.replace(/\/+$/, ""));
  if (problem === undefined) return undefined;
  const since = syncedAt === 0 ? "never answered" : `not answered since ${minuteOf(isoTime(syncedAt))}`;
  return `The server at ${url} has ${since}: newer rows of other machines are not in this answer.`;
}

export function makeRemote(parts: RemoteParts): RemoteJob {
  const queue = serialQueue();
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let running = 0;
  const schedule = (ms: number) => {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(() => void background(), ms).unref();
  };
  let memoriesAt = 0;
  const exchangeAll = async () => {
    const state = await exchangeOnce(parts, signal);
    memoriesAt = parts.clock.now();
    await exchangeFolders(parts, signal);
    return state;
  };
  const isDue = () => Math.abs(parts.clock.now() - memoriesAt) >= MEMORIES_EVERY_MS;
  const sync = async (work = exchangeAll) => {
    running += 1;
    try {
      const state = await queue.run(work);
      failures = 0;
      return state;
    } catch (error) {
      failures += 1;
      throw error;
    } finally {
      running -= 1;
    }
  };
  async function background() {
    try {
      if (placeOf(parts)) await sync(isDue() ? exchangeAll : () => exchangeOnce(parts, signal));
    } catch (error) {
      if (failures === 1) parts.log.warn({ problem: errorText(error) }, "remote.sync-failed");
    }
    schedule(Math.min(LONGEST_WAIT_MS, EVERY_MS * 2 ** Math.min(failures, 6)));
  }
  return {
    start: () => schedule(FIRST_MS),
    note: () => {
      if (failures === 0) schedule(AFTER_EVENTS_MS);
    },
    busy: () => running > 0,
    sync: () => sync(),
    share: async (asked) => shareItem(parts.store, clientOf(parts, signal), sync, asked),
    missing: () => missingFrom(parts),
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await queue.idle();
    },
  };
}
