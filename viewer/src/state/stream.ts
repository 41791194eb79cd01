// The line to the worker on which changes arrive: opened once, and taken up again where it broke.
import { signal } from "@preact/signals";
import { addressWith } from "../wire.ts";
import { emptyFeed, type Feed, type LiveRow, projectOf, readMessage, withRow } from "./feed.ts";
import { getAcquainted, isKnownProject, noteAway, revivals } from "./worker.ts";

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
function meetProject(project: string): void {
  if (isKnownProject(project) || met.has(project)) return;
  met.add(project);
  void getAcquainted();
}

function take(kind: string, message: MessageEvent<string>): void {
  lastId = message.lastEventId;
  const row = readMessage(kind, Number(message.lastEventId), JSON.parse(message.data));
  if (row === undefined) return;
  feed.value = withRow(feed.value, row);
  if (row.kind !== "event") lastRow.value = row;
  meetProject(projectOf(row));
}

function open(): void {
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
