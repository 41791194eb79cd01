// The live feed: reads the worker's event stream and keeps its rows, each once, in order, held back while paused.
import { signal } from "@preact/signals";
import type { TimelineRow } from "../../../src/http/wire.ts";
import type { EventOutline, Observation, Summary, UserPrompt } from "../../../src/store/index.ts";
import { handleAway, isKnownProject, loadMe, reconnects, urlWith } from "./api.ts";

/** An event as the stream sends it: without its payload. */
type StreamedEvent = Pick<EventOutline, "id" | "kind" | "at" | "session" | "project" | "promptNumber"> & {
  readonly toolName?: string;
};

type StreamedRow = Pick<UserPrompt, "id" | "claudeSessionId" | "project" | "createdAt" | "promptNumber"> &
  Partial<Pick<UserPrompt, "promptText"> & Observation & Summary>;

interface FeedPlace {
  readonly key: string;
  readonly cursor: number;
}

export interface LiveEvent extends FeedPlace, Omit<StreamedEvent, "id" | "kind"> {
  readonly kind: "event";
  readonly event: string;
}

export type LiveRow = LiveEvent | (FeedPlace & Omit<TimelineRow, "tokens">);

export interface Feed {
  /** Newest first. */
  readonly rows: readonly LiveRow[];
  /** Arrived while paused; newest first. */
  readonly held: readonly LiveRow[];
  readonly paused: boolean;
  /** The highest cursor seen. */
  readonly cursor: number;
}

/** The feed drops older rows; the timeline has them. */
const MAX_ROWS = 2_000;

export const emptyFeed: Feed = { rows: [], held: [], paused: false, cursor: 0 };

/** Adds a row once: a cursor or a key that the feed has already seen changes nothing. */
export function withRow(feed: Feed, row: LiveRow) {
  const { cursor } = row;
  if (cursor <= feed.cursor) return feed;
  if ([...feed.rows.slice(0, 200), ...feed.held].some(({ key }) => key === row.key))
    return { ...feed, cursor };
  const list = feed.paused ? "held" : "rows";
  return { ...feed, cursor, [list]: [row, ...feed[list]].slice(0, MAX_ROWS) };
}

/** Adds rows from before the stream began below the streamed ones. Called again, it fills in what was missed. */
export function withPast(feed: Feed, past: readonly LiveRow[]): Feed {
  const known = new Set([...feed.rows, ...feed.held].map(({ key }) => key));
  const before = [
    ...feed.rows.filter(({ cursor }) => cursor === 0),
    ...past.filter(({ key }) => !known.has(key)),
  ].sort((a, b) => b.at.localeCompare(a.at));
  const streamed = feed.rows.filter(({ cursor }) => cursor > 0);
  return { ...feed, rows: [...streamed, ...before].slice(0, MAX_ROWS) };
}

export const pauseFeed = (feed: Feed): Feed => ({ ...feed, paused: true });

export function resumeFeed({ held, rows, cursor }: Feed): Feed {
  return { cursor, paused: false, held: [], rows: [...held, ...rows].slice(0, MAX_ROWS) };
}

const refPrefixes = { prompt: "P", observation: "#", summary: "S" } as const;

/** Parses a message of the stream; undefined for an unknown kind, which a newer worker may send. */
export function parseMessage(kind: string, cursor: number, data: unknown): LiveRow | undefined {
  if (kind === "event") {
    const { id, kind: event, ...row } = data as StreamedEvent;
    return { ...row, key: `E${id}`, cursor, kind, event };
  }
  if (kind !== "prompt" && kind !== "observation" && kind !== "summary") return undefined;
  const row = data as StreamedRow;
  const { claudeSessionId: session, project, createdAt: at, promptNumber, type, subtitle } = row;
  const files = row.filesModified;
  const ref = `${refPrefixes[kind]}${row.id}`;
  const title = row.title ?? row.promptText ?? row.completed ?? row.request ?? row.learned ?? "";
  const known = { ...(type && { type }), ...(subtitle && { subtitle }), ...(files && { files }) };
  return { key: ref, cursor, kind, ref, title, at, session, project, promptNumber, ...known };
}

export const feed = signal(emptyFeed);
/** Whether the stream is open. */
export const isLive = signal(false);
/** The latest row that is not a raw event, for pages that show such rows. */
export const lastRow = signal<Exclude<LiveRow, { kind: "event" }>>();

let stream: EventSource | undefined;
/** Where a new connection continues: the browser remembers it only as long as its EventSource lives. */
let lastEventId = "";
let refusedCount = 0;
const requestedProjects = new Set<string>();

/** Loads the name of a project that was never seen, once, whether it is found or not. */
function loadUnknownProject(project: string) {
  if (isKnownProject(project) || requestedProjects.has(project)) return;
  requestedProjects.add(project);
  void loadMe();
}

function onMessage({ type, data, lastEventId: id }: MessageEvent<string>) {
  lastEventId = id;
  const row = parseMessage(type, Number(id), JSON.parse(data));
  if (!row) return;
  feed.value = withRow(feed.value, row);
  if (row.kind !== "event") lastRow.value = row;
  loadUnknownProject(row.project);
}

function openStream() {
  stream?.close();
  const opened = new EventSource(urlWith("/stream", { lastEventId }));
  stream = opened;
  opened.onopen = () => {
    isLive.value = true;
    refusedCount = 0;
  };
  opened.onerror = () => {
    isLive.value = false;
    // The browser reconnects a broken stream itself. A refused one is closed for good, so it is retried here.
    if (opened.readyState !== EventSource.CLOSED) handleAway();
    else {
      const delay = [2_000, 5_000, 15_000][refusedCount++] ?? 30_000;
      setTimeout(() => stream === opened && openStream(), delay);
    }
  };
  for (const kind of ["event", "prompt", "observation", "summary"]) opened.addEventListener(kind, onMessage);
}

export function startStream() {
  if (stream) return;
  openStream();
  reconnects.subscribe((count) => {
    if (count > 0 && stream?.readyState === EventSource.CLOSED) openStream();
  });
}
