// The line to the worker on which changes arrive: opened once, and taken up again where it broke.
import { signal } from "@preact/signals";
import { addressWith } from "../wire.ts";
import { emptyFeed, type Feed, readMessage, withRow } from "./feed.ts";
import { noteAway, revivals } from "./worker.ts";

export const feed = signal<Feed>(emptyFeed);
/** Whether the line is open. */
export const isLive = signal(false);
/** Grows with each change of what is kept, for pages that show counts. */
export const changes = signal(0);

let source: EventSource | undefined;
/** Where to go on; a browser's own memory of it ends with the connection object. */
let lastId = "";

function take(kind: string, message: MessageEvent<string>): void {
  lastId = message.lastEventId;
  const row = readMessage(kind, Number(message.lastEventId), JSON.parse(message.data));
  if (row === undefined) return;
  feed.value = withRow(feed.value, row);
  changes.value += 1;
}

function open(): void {
  source?.close();
  source = new EventSource(addressWith("/stream", { lastEventId: lastId }));
  source.onopen = () => {
    isLive.value = true;
  };
  source.onerror = () => {
    isLive.value = false;
    // Closed for good means that something else than the line is wrong: asked anew when the worker is back.
    noteAway();
  };
  for (const kind of ["event", "prompt", "observation", "summary"]) {
    source.addEventListener(kind, (message) => take(kind, message as MessageEvent<string>));
  }
}

export function startStream(): void {
  open();
  revivals.subscribe((count) => {
    if (count > 0 && source?.readyState !== EventSource.OPEN) open();
  });
}
