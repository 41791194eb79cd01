// Sessions as cards, and one session with everything that is kept of it.
import path from "node:path";
import { archiveFolder, archivesOf } from "../../archive/index.ts";
import { notesFolder, readNotes } from "../../compact/index.ts";
import { type Environment, type Home, sessionPlace } from "../../home/index.ts";
import { liveAccount } from "../../inspector/index.ts";
import { defined, isoTime, notFoundError, statIfThere } from "../../lib/index.ts";
import { archiveSettings } from "../../settings/index.ts";
import { journalIn, readJournal, readSnapshotKey, statementsIn } from "../../snapshot/index.ts";
import type {
  Account,
  AccountStore,
  EventStore,
  OverviewStore,
  Page,
  PageRequest,
  Session,
  SessionStatus,
  Store,
} from "../../store/index.ts";
import type { SessionCard, SessionCost, SessionDetail } from "../wire.ts";
import { projectName } from "./projects.ts";
import { sessionTitle } from "./timeline.ts";

/** More prompts than a person types in one session. */
const MOST_ROWS = 500;
const FIRST_OBSERVATIONS = 50;

type CardStore = Pick<OverviewStore, "sessionDigests"> & Pick<AccountStore, "account">;

function spentFrom(account: Account | undefined): SessionCard["spent"] {
  if (!account || account.requests === 0) return undefined;
  const { requests, outputTokens, compactions, dollars } = account;
  const inputTokens = account.inputTokens + account.cacheReadTokens + account.cacheWriteTokens;
  return { requests, inputTokens, outputTokens, compactions, ...defined({ dollars }) };
}

async function cardsOf(store: CardStore, sessions: readonly Session[]): Promise<SessionCard[]> {
  const ids = sessions.map(({ claudeSessionId }) => claudeSessionId);
  const [digests, accounts] = await Promise.all([
    store.sessionDigests(ids),
    Promise.all(ids.map((id) => store.account(id))),
  ]);
  const known = new Map(digests.map((digest) => [digest.session, digest]));
  return sessions.map((session, at) => {
    const digest = known.get(session.claudeSessionId);
    const { observations = 0, summaries = 0 } = digest ?? {};
    const spent = spentFrom(accounts[at]);
    return { ...session, title: sessionTitle(digest ?? {}), observations, summaries, ...defined({ spent }) };
  });
}

export async function sessionCards(
  store: Pick<EventStore, "sessions"> & CardStore,
  request: PageRequest & { readonly status?: SessionStatus },
): Promise<Page<SessionCard>> {
  const { items, ...rest } = await store.sessions(request);
  return { ...rest, items: await cardsOf(store, items) };
}

export interface SessionPlaces {
  readonly home: Home;
  readonly env: Environment;
  readonly store: Store;
}

function snapshotsOf(folder: string, home: Home): SessionDetail["snapshots"] {
  const key = readSnapshotKey(home);
  return readJournal(journalIn(folder)).map(({ at, file, handles }) => {
    // The file lies in the project until the next session reads it; its bytes stay in the vault.
    const bytes = statIfThere(file)?.size;
    const statements = bytes === undefined ? [] : statementsIn(file, key);
    return defined({ id: path.basename(file), at: isoTime(at), handles, bytes, statements });
  });
}

function archivesIn({ home, env }: SessionPlaces, session: string): SessionDetail["archives"] {
  const settings = archiveSettings(home, env)();
  const folders = new Set([home.data, archiveFolder(settings ?? { dir: "" }, home)]);
  return [...folders]
    .flatMap((folder) => archivesOf(folder, session))
    .map(({ file, changedAt, bytes }) => ({ name: path.basename(file), at: isoTime(changedAt), bytes }));
}

function costFrom(account: Account | undefined): SessionCost | undefined {
  if (!account || account.requests === 0) return undefined;
  const { savedTokens: _t, savedDollars: _d, compactions: _c, results: _r, ...cost } = account;
  return cost;
}

/** Throws `not-found` for an unknown session. */
export async function sessionDetail(places: SessionPlaces, id: string): Promise<SessionDetail> {
  const { home, store } = places;
  const found = await store.session(id);
  const [session] = found ? await cardsOf(store, [found]) : [];
  if (!session) throw notFoundError(`there is no session ${id}`);
  const place = sessionPlace(home, session.project, id);
  const notes = readNotes(notesFolder(place))?.text;
  const [prompts, summaries, observations, files, lanes, account] = await Promise.all([
    store.prompts({ session: id, order: "oldest", limit: MOST_ROWS }),
    store.summaries({ session: id, order: "oldest", limit: MOST_ROWS }),
    store.observations({ session: id, limit: FIRST_OBSERVATIONS }),
    store.touchedFiles(id),
    store.lanesOf(id),
    store.account(id),
  ]);
  return {
    session,
    projectName: projectName(session.project),
    lanes,
    prompts: prompts.items,
    summaries: summaries.items,
    observations,
    files,
    snapshots: snapshotsOf(place.folder, home),
    archives: archivesIn(places, id),
    ...defined({ notes, cost: costFrom(account), live: liveAccount(place.folder) }),
  };
}
