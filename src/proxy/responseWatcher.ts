// Reads usage and stop reason from a copy of a response, as events or as one document. The response itself is not delayed.
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isObject, parseJson } from "../lib/index.ts";
import type { Outcome } from "./engine.ts";
import { type Head, headerOf, statusOf } from "./http1.ts";

/** Longer documents and lines are not looked into: usage is in short ones. */
const MOST_DOCUMENT_BYTES = 16 * 1024 * 1024;
const MOST_LINE = 1024 * 1024;

type Found = { -readonly [key in keyof Omit<Outcome, "status" | "isWhole">]: Outcome[key] };

/** What one message, or one event about it, says. Fields that it does not have keep their values. */
function takeFrom(found: Found, value: unknown) {
  if (!isObject(value)) return;
  const { message, delta, usage, diagnostics, context_management: cleared } = value;
  takeFrom(found, message);
  // The last event has the output only: what the first said of the input stays.
  if (isObject(usage)) found.usage = { ...found.usage, ...usage };
  for (const part of [value, delta])
    if (isObject(part) && typeof part.stop_reason === "string") found.stopReason = part.stop_reason;
  if (diagnostics != null) found.diagnostics = diagnostics;
  if (cleared != null) found.contextManagement = cleared;
}

/** Joins the lines of an event stream, whichever way it was cut. */
class EventReader {
  #line = "";
  #isTooLong = false;
  readonly #found: Found;

  constructor(found: Found) {
    this.#found = found;
  }

  take(text: string): void {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      if (!this.#isTooLong) this.#read(this.#line + line);
      this.#line = "";
      this.#isTooLong = false;
    }
    this.#isTooLong ||= this.#line.length + last.length > MOST_LINE;
    this.#line = this.#isTooLong ? "" : this.#line + last;
  }

  #read(line: string) {
    // Of thousands of events two are parsed.
    if (!line.startsWith("data:") || !/"message_(start|delta)"/.test(line)) return;
    const event = parseJson(line.slice("data:".length));
    if (isObject(event) && /^message_(start|delta)$/.test(String(event.type))) takeFrom(this.#found, event);
  }
}

function decoderFor(encoding: string | undefined): Transform | "none" | "unknown" {
  switch (encoding?.toLowerCase() ?? "identity") {
    case "identity":
      return "none";
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return "unknown";
  }
}

/** Follows one response. `finish` gives what was found once the copy is decoded. */
export class ResponseWatcher {
  readonly #status: number;
  readonly #decoder: ReturnType<typeof decoderFor>;
  readonly #isStream: boolean;
  readonly #found: Found = {};
  readonly #events: EventReader;
  readonly #utf8 = new TextDecoder();
  #document: Buffer[] = [];
  #size = 0;

  constructor(head: Head) {
    this.#status = statusOf(head);
    this.#isStream = (headerOf(head, "content-type") ?? "").includes("text/event-stream");
    this.#decoder = decoderFor(headerOf(head, "content-encoding"));
    this.#events = new EventReader(this.#found);
    if (typeof this.#decoder === "object") {
      this.#decoder.on("data", (bytes: Buffer) => this.#read(bytes));
      // A response that was cut does not decode to its end.
      this.#decoder.on("error", () => undefined);
    }
  }

  take(bytes: Buffer): void {
    if (this.#decoder === "none") this.#read(bytes);
    else if (typeof this.#decoder === "object" && !this.#decoder.destroyed) this.#decoder.write(bytes);
  }

  async finish(isWhole: boolean): Promise<Outcome> {
    const decoder = this.#decoder;
    if (typeof decoder === "object" && !decoder.destroyed)
      await new Promise<void>((resolve) => {
        decoder.once("close", resolve);
        decoder.end();
      });
    if (!this.#isStream && this.#size <= MOST_DOCUMENT_BYTES)
      takeFrom(this.#found, parseJson(Buffer.concat(this.#document).toString("utf8")));
    this.#document = [];
    return { status: this.#status, isWhole, ...this.#found };
  }

  #read(bytes: Buffer) {
    if (this.#isStream) {
      this.#events.take(this.#utf8.decode(bytes, { stream: true }));
      return;
    }
    this.#size += bytes.length;
    if (this.#size <= MOST_DOCUMENT_BYTES) this.#document.push(bytes);
    else this.#document = [];
  }
}
