// The error book: failures of past sessions by signature, with class, message, the last fix, and how often each was seen.
import type { EventStore, Scope } from "../store/index.ts";
import { queryTerms, termsOf } from "../terms/index.ts";
import { type Episode, EpisodeReader, type Fix } from "./episodes.ts";
import type { FailureClass } from "./failure.ts";

export interface ErrorEntry {
  readonly class: FailureClass;
  readonly signature: string;
  readonly subject?: string;
  /** What the newest run that failed said. */
  readonly message: string;
  readonly command: string;
  readonly project: string;
  /** Episodes: from the first run that failed to the one that passed. */
  readonly seen: number;
  /** Runs that failed, in all episodes. */
  readonly runs: number;
  readonly sessions: readonly string[];
  readonly firstAt: string;
  readonly lastAt: string;
  /** Of the newest episode. */
  readonly state: Episode["state"];
  /** How many episodes ended in a run that passed after something was changed. */
  readonly fixed: number;
  /** The newest fix, with its session. */
  readonly fix?: Fix & { readonly session: string };
  /** The event of the newest episode's first run that failed. */
  readonly row: string;
}

export interface ErrorRequest extends Scope {
  /** Words that message, subject, command or files of the fix must have. */
  readonly query?: string;
  readonly classes?: readonly FailureClass[];
  /** A file that failed, or that a fix changed: its name or the end of its path. */
  readonly file?: string;
  readonly state?: Episode["state"];
}

const PAGE = 500;

/** Every episode of the scope, oldest first. Takes one page of events into memory at a time. */
async function episodesIn(store: Pick<EventStore, "events">, { session, project, from, to }: Scope) {
  const readers = new Map<string, EpisodeReader>();
  const scope = {
    ...(session && { session }),
    ...(project && { project }),
    ...(from && { from }),
    ...(to && { to }),
  };
  let cursor: string | undefined;
  do {
    const page = await store.events({ ...scope, order: "oldest", limit: PAGE, ...(cursor && { cursor }) });
    for (const event of page.items) {
      const reader = readers.get(event.session) ?? new EpisodeReader();
      readers.set(event.session, reader);
      reader.read(event);
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return [...readers.values()]
    .flatMap((reader) => reader.episodes())
    .sort((a, b) => a.at.localeCompare(b.at));
}

function entryOf(episodes: readonly Episode[]): ErrorEntry {
  const [first, newest] = [episodes[0] as Episode, episodes.at(-1) as Episode];
  const repaired = episodes.filter(({ fix }) => fix !== undefined);
  const last = repaired.at(-1);
  const { signature, subject, message, command, project, state, row } = newest;
  return {
    class: newest.class,
    ...{ signature, message, command, project, state, row },
    ...(subject !== undefined && { subject }),
    seen: episodes.length,
    runs: episodes.reduce((sum, { runs }) => sum + runs, 0),
    sessions: [...new Set(episodes.map(({ session }) => session))],
    firstAt: first.at,
    lastAt: newest.lastAt,
    fixed: repaired.length,
    ...(last?.fix && { fix: { ...last.fix, session: last.session } }),
  };
}

const wordsOf = (text: string) => {
  const { sequence, extra } = termsOf(text);
  return new Set([...sequence, ...extra]);
};

function satisfies(entry: ErrorEntry, { query = "", classes, file, state }: ErrorRequest) {
  if (classes && !classes.includes(entry.class)) return false;
  if (state !== undefined && entry.state !== state) return false;
  const { subject = "", message, command, fix } = entry;
  const files = [subject, ...(fix?.files ?? [])];
  if (file !== undefined && !files.some((path) => path === file || path.endsWith(`/${file}`))) return false;
  const words = wordsOf([message, command, ...files, ...(fix?.changes ?? []), fix?.commit ?? ""].join("\n"));
  return queryTerms(query).every(({ term }) => words.has(term));
}

/** Seen most often first, then the newest. */
export async function errorBook(
  store: Pick<EventStore, "events">,
  request: ErrorRequest,
): Promise<ErrorEntry[]> {
  const groups = new Map<string, Episode[]>();
  for (const episode of await episodesIn(store, request)) {
    const key = `${episode.project}\n${episode.signature}`;
    groups.set(key, [...(groups.get(key) ?? []), episode]);
  }
  return [...groups.values()]
    .map(entryOf)
    .filter((entry) => satisfies(entry, request))
    .sort((a, b) => b.seen - a.seen || b.lastAt.localeCompare(a.lastAt));
}
