// Export as a download of lines, and import of such lines from a body that never has a name on disk.
import { createReadStream } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Context } from "hono";
import { stream } from "hono/streaming";
import type { Home } from "../../home/index.ts";
import {
  isoTime,
  type JsonObject,
  SECOND,
  ThroughlineError,
  timeOrderedId,
  withinTime,
} from "../../lib/index.ts";
import type { Scope, UpkeepStore } from "../../store/index.ts";
import { bodyOf, type Handlers, readQuery, scopeQuery } from "../request.ts";

export interface TransferParts {
  readonly home: Home;
  readonly store: Pick<UpkeepStore, "exportLines" | "importLines">;
  /** The full scan: the author of the file is unknown. */
  readonly redact: (value: JsonObject) => JsonObject | Promise<JsonObject>;
  /** Called when rows have come in. */
  readonly onImported: () => void;
}

/** Characters sent at once. */
const CHUNK = 64 * 1024;
/** A client that reads nothing for so long is dropped, so that its snapshot of the database is released. */
const STALLED_MS = 60 * SECOND;

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

function fileName({ project = "everything" }: Scope) {
  const day = isoTime(Date.now()).slice(0, 10);
  return `throughline-${project.replace(/[^\w.-]+/g, "-")}-${day}.jsonl`;
}

function download(c: Context, { store }: TransferParts) {
  const scope = readQuery(c, scopeQuery);
  c.header("Content-Type", "application/x-ndjson; charset=utf-8");
  c.header("Content-Disposition", `attachment; filename="${fileName(scope)}"`);
  return stream(c, async (out) => {
    for await (const chunk of inChunks(store.exportLines(scope))) {
      if (out.aborted || (await withinTime(out.write(chunk), STALLED_MS)) === "late") return;
    }
  });
}

/** A file that is unlinked while open: however the worker ends, nothing of the body stays on disk. */
async function namelessFile(home: Home) {
  const name = path.join(home.state, timeOrderedId("import", Date.now()));
  const file = await open(name, "wx+", 0o600);
  await unlink(name);
  return file;
}

async function* linesIn(file: FileHandle): AsyncGenerator<string> {
  const input = createReadStream("", { fd: file, start: 0, encoding: "utf8", autoClose: false });
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

/** The whole body is stored before the first row is taken: a body that breaks off changes nothing. */
async function takeIn(c: Context, { home, store, redact, onImported }: TransferParts) {
  const file = await namelessFile(home);
  try {
    for await (const chunk of bodyOf(c)) await file.write(chunk);
    return await store.importLines(linesIn(file), { redact });
  } finally {
    await file.close();
    onImported();
  }
}

export function transferRoutes(parts: TransferParts) {
  let isBusy = false;
  return {
    "GET /api/export": (c) => download(c, parts),
    "POST /api/import": async (c) => {
      if (isBusy) {
        const fix = "try again when it is done";
        throw new ThroughlineError("busy", "Another import is under way.", fix);
      }
      isBusy = true;
      try {
        return await takeIn(c, parts);
      } finally {
        isBusy = false;
      }
    },
  } satisfies Partial<Handlers>;
}
