// The live feed: the event stream of the worker, and its rows, each once, in order, held while the reader pauses.
import { signal } from "@preact/signals";
import type { TimelineRow } from "../../../src/http/wire.ts";
import { addressWith, getAcquainted, isKnownProject, noteAway, revivals } from "./api.ts";

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
const KEPT = 2_000;

export const emptyFeed: Feed = { rows: [], held: [], paused: false, cursor: 0 };

/** The same row again, by cursor or by what it is, changes nothing. */
export function withRow(feed: Feed, row: LiveRow): Feed {
  if (row.cursor <= feed.cursor) return feed;
  const known = [...feed.rows.slice(0, 200), ...feed.held].some(({ key }) => key === row.key);
  const cursor = row.cursor;
  if (known) return { ...feed, cursor };
  return feed.paused
    ? { ...feed, cursor, held: [row, ...feed.held].slice(0, KEPT) }
    : { ...feed, cursor, rows: [row, ...feed.rows].slice(0, KEPT) };
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
  return { ...feed, rows: [...streamed, ...sorted].slice(0, KEPT) };
}

export function projectOf(row: LiveRow): string {
  return row.kind === "event" ? row.row.project : row.project;
}

function timeOf(row: LiveRow) {
  return row.kind === "event" ? row.row.at : row.at;
}

export function paused(feed: Feed): Feed {
  return { ...feed, paused: true };
}

export function resumed(feed: Feed): Feed {
  return { ...feed, paused: false, held: [], rows: [...feed.held, ...feed.rows].slice(0, KEPT) };
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

const letters = { prompt: "P", observation: "#", summary: "S" } as const;

/** One message of the stream; undefined for a kind that is not known here. */
export function readMessage(kind: string, cursor: number, data: unknown): LiveRow | undefined {
  if (kind === "event") {
    const row = data as FeedEvent["row"];
    return { key: `E${row.id}`, cursor, kind, row };
  }
  if (kind !== "prompt" && kind !== "observation" && kind !== "summary") return undefined;
  const row = data as StoredRow;
  const ref = `${letters[kind]}${row.id}`;
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
const PATIENCE_MS = [2_000, 5_000, 15_000, 30_000];

let source: EventSource | undefined;
/** Where to go on; a browser's own memory of it ends with the connection object. */
let lastId = "";
let refusals = 0;
const met = new Set<string>();

/** A project that was never seen has a name to be asked for; once, whether it is found or not. */
function meetProject(project: string) {
  if (isKnownProject(project) || met.has(project)) return;
  met.add(project);
  void getAcquainted();
}

function take(kind: string, message: MessageEvent<string>) {
  lastId = message.lastEventId;
  const row = readMessage(kind, Number(message.lastEventId), JSON.parse(message.data));
  if (row === undefined) return;
  feed.value = withRow(feed.value, row);
  if (row.kind !== "event") lastRow.value = row;
  meetProject(projectOf(row));
}

function open() {
  source?.close();
  const line = new EventSource(addressWith("/stream", { lastEventId: lastId }));
  source = line;
  line.onopen = () => {
    isLive.value = true;
    refusals = 0;
  };
  line.onerror = () => {
    isLive.value = false;
    // A line that broke is taken up by the browser itself. One that was refused is closed for good: tried again later.
    if (line.readyState !== EventSource.CLOSED) noteAway();
    else
      setTimeout(() => source === line && open(), PATIENCE_MS[Math.min(refusals++, PATIENCE_MS.length - 1)]);
  };
  for (const kind of ["event", "prompt", "observation", "summary"]) {
    line.addEventListener(kind, (message) => take(kind, message as MessageEvent<string>));
  }
}

export function startStream(): void {
  if (source !== undefined) return;
  open();
  revivals.subscribe((count) => {
    if (count > 0 && source?.readyState === EventSource.CLOSED) open();
  });
}
