// The live feed: the event stream of the worker, and its rows, each once, in order, held while the reader pauses.
import { signal } from "@preact/signals";
import type { TimelineRow } from "../../../src/http/wire.ts";
import { handleAway, isKnownProject, loadMe, reconnects, urlWith } from "./api.ts";

/** What the stream sends of an event: its head. */
interface FeedEvent {
  readonly kind: "event";
  readonly row: {
    readonly id: string;
    readonly kind: string;
    readonly at: string;
    readonly session: string;
    readonly project: string;
    readonly cwd?: string;
    readonly toolName?: string;
  };
}

type FeedRow = Pick<TimelineRow, "kind" | "ref" | "title" | "at" | "session" | "project"> & {
  readonly type?: string | undefined;
};

export type LiveRow = { readonly key: string; readonly cursor: number } & (FeedEvent | FeedRow);

export interface Feed {
  /** Newest first. */
  readonly rows: readonly LiveRow[];
  /** Came while paused; newest first. */
  readonly held: readonly LiveRow[];
  readonly paused: boolean;
  /** The highest cursor that was seen. */
  readonly cursor: number;
}

/** Older rows are on the timeline. */
const MAX_ROWS = 2_000;

export const emptyFeed: Feed = { rows: [], held: [], paused: false, cursor: 0 };

/** The same row again, by cursor or by what it is, changes nothing. */
export function withRow(feed: Feed, row: LiveRow): Feed {
  if (row.cursor <= feed.cursor) return feed;
  const known = [...feed.rows.slice(0, 200), ...feed.held].some(({ key }) => key === row.key);
  const cursor = row.cursor;
  if (known) return { ...feed, cursor };
  return feed.paused
    ? { ...feed, cursor, held: [row, ...feed.held].slice(0, MAX_ROWS) }
    : { ...feed, cursor, rows: [row, ...feed.rows].slice(0, MAX_ROWS) };
}

/** What was there before the stream began, below what the stream has brought. Asked again, it fills what was missed. */
export function withPast(feed: Feed, past: readonly LiveRow[]): Feed {
  const known = new Set([...feed.rows, ...feed.held].map(({ key }) => key));
  const streamed = feed.rows.filter(({ cursor }) => cursor > 0);
  const before = [
    ...feed.rows.filter(({ cursor }) => cursor === 0),
    ...past.filter(({ key }) => !known.has(key)),
  ];
  const sorted = before.sort((a, b) => timeOf(b).localeCompare(timeOf(a)));
  return { ...feed, rows: [...streamed, ...sorted].slice(0, MAX_ROWS) };
}

export function projectOf(row: LiveRow): string {
  return row.kind === "event" ? row.row.project : row.project;
}

function timeOf(row: LiveRow) {
  return row.kind === "event" ? row.row.at : row.at;
}

export function pauseFeed(feed: Feed): Feed {
  return { ...feed, paused: true };
}

export function resumeFeed(feed: Feed): Feed {
  return { ...feed, paused: false, held: [], rows: [...feed.held, ...feed.rows].slice(0, MAX_ROWS) };
}

interface StoredRow {
  readonly id: number;
  readonly claudeSessionId: string;
  readonly project: string;
  readonly createdAt: string;
  readonly title?: string;
  readonly type?: string;
  readonly promptText?: string;
  readonly request?: string;
  readonly completed?: string;
  readonly learned?: string;
}

const refPrefixes = { prompt: "P", observation: "#", summary: "S" } as const;

/** One message of the stream; undefined for a kind that is not known here. */
export function parseMessage(kind: string, cursor: number, data: unknown): LiveRow | undefined {
  if (kind === "event") {
    const row = data as FeedEvent["row"];
    return { key: `E${row.id}`, cursor, kind, row };
  }
  if (kind !== "prompt" && kind !== "observation" && kind !== "summary") return undefined;
  const row = data as StoredRow;
  const ref = `${refPrefixes[kind]}${row.id}`;
  const title = row.title ?? row.promptText ?? row.completed ?? row.request ?? row.learned ?? "";
  const { claudeSessionId: session, project, createdAt: at, type } = row;
  return { key: ref, cursor, kind, ref, title, at, session, project, type };
}

export const feed = signal<Feed>(emptyFeed);
/** Whether the line is open. */
export const isLive = signal(false);
/** The last row that came and is more than a raw event, for pages that show such rows. */
export const lastRow = signal<Exclude<LiveRow, { kind: "event" }> | undefined>(undefined);

/** Pauses before a line that was refused is tried again; the last one for ever. */
const RETRY_BACKOFF_MS = [2_000, 5_000, 15_000, 30_000];

let stream: EventSource | undefined;
/** Where to go on; a browser's own memory of it ends with the connection object. */
let lastEventId = "";
let refusedCount = 0;
const requestedProjects = new Set<string>();

/** A project that was never seen has a name to be asked for; once, whether it is found or not. */
function loadUnknownProject(project: string) {
  if (isKnownProject(project) || requestedProjects.has(project)) return;
  requestedProjects.add(project);
  void loadMe();
}

function onMessage(kind: string, message: MessageEvent<string>) {
  lastEventId = message.lastEventId;
  const row = parseMessage(kind, Number(message.lastEventId), JSON.parse(message.data));
  if (row === undefined) return;
  feed.value = withRow(feed.value, row);
  if (row.kind !== "event") lastRow.value = row;
  loadUnknownProject(projectOf(row));
}

function openStream() {
  stream?.close();
  const line = new EventSource(urlWith("/stream", { lastEventId: lastEventId }));
  stream = line;
  line.onopen = () => {
    isLive.value = true;
    refusedCount = 0;
  };
  line.onerror = () => {
    isLive.value = false;
    // A line that broke is taken up by the browser itself. One that was refused is closed for good: tried again later.
    if (line.readyState !== EventSource.CLOSED) handleAway();
    else
      setTimeout(
        () => stream === line && openStream(),
        RETRY_BACKOFF_MS[Math.min(refusedCount++, RETRY_BACKOFF_MS.length - 1)],
      );
  };
  for (const kind of ["event", "prompt", "observation", "summary"]) {
    line.addEventListener(kind, (message) => onMessage(kind, message as MessageEvent<string>));
  }
}

export function startStream(): void {
  if (stream !== undefined) return;
  openStream();
  reconnects.subscribe((count) => {
    if (count > 0 && stream?.readyState === EventSource.CLOSED) openStream();
  });
}
