// One exchange with the server: sends what came about here, then takes what came about elsewhere. Repeating any part of it changes nothing.
import { ThroughlineError } from "../lib/index.ts";
import type { ChangeFrom, Store } from "../store/index.ts";
import type { RemoteClient } from "./client.ts";
import { type ProjectNames, projectNames } from "./projects.ts";
import type { RemoteState } from "./state.ts";

interface ExchangeParts {
  readonly store: Store;
  readonly client: RemoteClient;
  readonly now: () => number;
  /** Written after every page, so that a killed process goes on from there. */
  readonly keep: (state: RemoteState) => void;
  readonly onRefused: (change: ChangeFrom, why: string) => void;
}

const PAGE = 200;
const MOST_BODY_CHARACTERS = 16_000_000;

/** Sends changes; those that the server does not take are left out, so that the others do not wait for ever. */
async function send(parts: ExchangeParts, machine: string, changes: readonly ChangeFrom[]): Promise<number> {
  if (changes.length === 0) return 0;
  const body = JSON.stringify({ machine, changes });
  const half = Math.ceil(changes.length / 2);
  const inHalves = async () =>
    (await send(parts, machine, changes.slice(0, half))) + (await send(parts, machine, changes.slice(half)));
  if (body.length > MOST_BODY_CHARACTERS && changes.length > 1) return inHalves();
  try {
    await parts.client.push(body);
    return 0;
  } catch (error) {
    if (!(error instanceof ThroughlineError) || error.code !== "usage") throw error;
    const [only] = changes;
    if (changes.length > 1 || only === undefined) return inHalves();
    parts.onRefused(only, error.message);
    return 1;
  }
}

async function push(parts: ExchangeParts, start: RemoteState, names: ProjectNames) {
  let state = start;
  for (let more = true; more; ) {
    const page = await parts.store.changes({ cursor: state.pushed, limit: PAGE, except: "any" });
    const refused = await send(parts, state.machine, names.outgoing(page.changes));
    more = page.more;
    if (page.cursor === state.pushed) continue;
    const head = Math.max(state.head, page.cursor);
    state = { ...state, pushed: page.cursor, head, refused: state.refused + refused };
    parts.keep(state);
  }
  return state;
}

async function pull(parts: ExchangeParts, start: RemoteState, names: ProjectNames) {
  let state = start;
  for (let more = true; more; ) {
    const page = await parts.client.pull(state.machine, state.pulled, PAGE);
    if (page.head < state.pulled) {
      // The server was set back to an older state: everything is exchanged again, and what is known is left as it is.
      state = { ...state, pushed: 0, pulled: 0 };
      parts.keep(state);
      return pull(parts, await push(parts, state, names), names);
    }
    if (page.changes.length > 0)
      await parts.store.receive({
        changes: names.incoming(page.changes),
        machine: "server",
        unsentAfter: state.pushed,
      });
    more = page.more;
    if (page.cursor !== state.pulled) {
      state = { ...state, pulled: page.cursor };
      parts.keep(state);
    }
  }
  return state;
}

/** Throws when the server is away or refuses the key; what was done until then is kept. */
export async function exchange(parts: ExchangeParts, start: RemoteState): Promise<RemoteState> {
  const { store, now, keep } = parts;
  const names = await projectNames(store);
  let state = start;
  // A database that was restored from a backup lacks what came after it.
  if ((await store.feedHead()) < state.head) state = { ...state, pushed: 0, pulled: 0, head: 0 };
  for (const project of names.arrived) {
    // Rows of this repository came under its name: they are taken again, under the id that it has here.
    if (await store.releaseProject(project)) state = { ...state, pulled: 0 };
  }
  keep(state);
  state = await pull(parts, await push(parts, state, names), names);
  const { problem: _, ...done } = {
    ...state,
    syncedAt: now(),
    head: Math.max(state.head, await store.feedHead()),
  };
  keep(done);
  return done;
}
