// Replays captured sessions under every rule, in the background, one request at a time: the newest replaces the one before.
import { existsSync } from "node:fs";
import { type Environment, type Home, replayFolder } from "../home/index.ts";
import { errorText, ownVersion } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import {
  assumptions,
  baselineName,
  contentDigest,
  KnownResults,
  type Policy,
  type PolicyTotal,
  policies,
  replayBatch,
  totalsByPolicy,
} from "../replay/index.ts";
import { userSettings } from "../settings/index.ts";
import type { EventStore, Session } from "../store/index.ts";
import { modelTableDate } from "../tokens/index.ts";
import { sessionTranscript } from "./handlers.ts";

/** What is replayed: one session, or those of a project or since a time, the newest first. */
export interface ReplayScope {
  readonly session?: string;
  readonly project?: string;
  /** An ISO time. */
  readonly from?: string;
}

/** The rows of a table: the numbers of one policy over all sessions of the scope. */
interface ReplayRow extends PolicyTotal {
  readonly kind: Policy["kind"];
}

export interface ReplayState {
  readonly state: "running" | "done" | "failed";
  /** Sessions with a transcript, and how many of them are done. */
  readonly sessions: number;
  readonly done: number;
  readonly baseline: string;
  readonly ttl: string;
  readonly pricesAsOf: string;
  readonly assumptions: readonly string[];
  /** Empty until it is done. */
  readonly totals: readonly ReplayRow[];
  readonly leftOut: readonly { readonly session: string; readonly reason: string }[];
  readonly problem?: string;
}

interface ReplayParts {
  readonly home: Home;
  readonly env: Environment;
  readonly store: Pick<EventStore, "sessions" | "events">;
  /** The program of a thread. */
  readonly thread: string;
  readonly log: Pick<Logger, "warn">;
}

const SESSIONS_PER_PAGE = 100;
const MOST_SESSIONS = 200;

async function sessionsOf(store: ReplayParts["store"], { session, project, from }: ReplayScope) {
  if (session !== undefined) return [session];
  const since = from === undefined ? 0 : Date.parse(from);
  const found: Session[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.sessions({
      limit: SESSIONS_PER_PAGE,
      ...(project !== undefined && { project }),
      ...(cursor !== undefined && { cursor }),
    });
    const recent = page.items.filter(({ lastActivityEpoch }) => lastActivityEpoch >= since);
    found.push(...recent);
    cursor = recent.length === page.items.length ? page.next : undefined;
  } while (cursor !== undefined && found.length < MOST_SESSIONS);
  return found.slice(0, MOST_SESSIONS).map(({ claudeSessionId }) => claudeSessionId);
}

async function transcriptsOf(store: ReplayParts["store"], scope: ReplayScope) {
  const files: { file: string; name: string }[] = [];
  for (const name of await sessionsOf(store, scope)) {
    const file = await sessionTranscript(store, name);
    if (file !== undefined && existsSync(file)) files.push({ file, name });
  }
  return files;
}

const kindOf = (name: string) => policies.find((policy) => policy.name === name)?.kind ?? "peer";

interface RunningReplay {
  readonly key: string;
  readonly control: AbortController;
  state: ReplayState;
  isTold: boolean;
}

async function carryOut({ home, env, store, thread }: ReplayParts, scope: ReplayScope, own: RunningReplay) {
  const { models, replay } = userSettings(home, env);
  const files = await transcriptsOf(store, scope);
  own.state = { ...own.state, sessions: files.length, ttl: replay.ttl };
  // As the command line names it, so that each finds what the other has replayed.
  const program = (await contentDigest(thread)) ?? ownVersion;
  const { replayed, leftOut } = await replayBatch(files, {
    settings: { ttl: replay.ttl, overrides: models },
    policies,
    // One thread: sessions at work have the other cores.
    jobs: 1,
    thread,
    known: new KnownResults(replayFolder(home), program),
    fresh: false,
    onProgress: ({ done }) => {
      own.state = { ...own.state, done };
    },
    signal: own.control.signal,
  });
  const totals = totalsByPolicy(replayed.map(({ result }) => result));
  const names = new Map(files.map(({ file, name }) => [file, name]));
  own.state = {
    ...own.state,
    state: "done",
    done: files.length,
    totals: totals.map((total) => ({ ...total, kind: kindOf(total.policy) })),
    leftOut: leftOut.map(({ file, reason }) => ({ session: names.get(file) ?? file, reason })),
  };
}

const begun: ReplayState = {
  ...{ state: "running", sessions: 0, done: 0, baseline: baselineName, ttl: "5m" },
  ...{ pricesAsOf: modelTableDate, assumptions, totals: [], leftOut: [] },
};

export function makeReplays(parts: ReplayParts) {
  let running: RunningReplay | undefined;
  return {
    /** Begins to replay a scope, or says how far it is; an end is told once, and asking again replays what has changed. */
    state(scope: ReplayScope): ReplayState {
      const key = JSON.stringify([scope.session, scope.project, scope.from]);
      if (running?.key === key && !running.isTold) {
        running.isTold = running.state.state !== "running";
        return running.state;
      }
      running?.control.abort();
      const own: RunningReplay = { key, control: new AbortController(), isTold: false, state: begun };
      running = own;
      carryOut(parts, scope, own).catch((error: unknown) => {
        parts.log.warn({ problem: errorText(error) }, "replay.failed");
        own.state = { ...own.state, state: "failed", problem: errorText(error) };
      });
      return own.state;
    },
    busy: () => running?.state.state === "running",
    /** Ends what is being replayed; finished sessions stay known. */
    async stop() {
      running?.control.abort();
    },
  };
}
