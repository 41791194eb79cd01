// Export and import over HTTP: everything as lines, out as a download and in as a body that is never kept by name.
import { createReadStream } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Context } from "hono";
import { stream } from "hono/streaming";
import type { Home } from "../../home/index.ts";
import { type JsonObject, SECOND, timeOrderedId } from "../../lib/index.ts";
import type { Scope, Store } from "../../store/index.ts";
import { bodyLimit } from "../guard.ts";
import { type Handlers, pageRequest, problem } from "../request.ts";

export interface TransferParts {
  readonly home: Home;
  readonly store: Pick<Store, "exportLines" | "importLines">;
  /** The full scan: nobody knows who wrote a file. */
  readonly redact: (value: JsonObject) => JsonObject | Promise<JsonObject>;
  /** Called when rows have come in. */
  readonly onImported: () => void;
}

/** So much goes out at once. */
const CHUNK = 64 * 1024;
/** A reader that takes nothing for so long is gone: the snapshot of the database that it holds must not linger. */
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

async function inTime(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), STALLED_MS);
  });
  try {
    return (await Promise.race([work, late])) !== "late";
  } finally {
    clearTimeout(timer);
  }
}

function scopeOf(c: Context): Scope {
  const { project, session, from, to } = pageRequest(c);
  const given = { project, session, from, to };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function fileName({ project = "everything" }: Scope): string {
  const day = new Date().toISOString().slice(0, 10);
  return `throughline-${project.replace(/[^\w.-]+/g, "-")}-${day}.jsonl`;
}

function download(c: Context, { store }: TransferParts): Response {
  const scope = scopeOf(c);
  c.header("Content-Type", "application/x-ndjson; charset=utf-8");
  c.header("Content-Disposition", `attachment; filename="${fileName(scope)}"`);
  return stream(c, async (out) => {
    for await (const chunk of inChunks(store.exportLines(scope))) {
      if (out.aborted || !(await inTime(out.write(chunk)))) return;
    }
  });
}

/** A file that has no name any more: however the worker ends, nothing of what came in stays on the disk. */
async function namelessFile(home: Home): Promise<FileHandle> {
  const name = path.join(home.state, timeOrderedId("import", Date.now()));
  const file = await open(name, "wx+", 0o600);
  await unlink(name);
  return file;
}

/** False for a body that is larger than it may be. */
async function received(c: Context, file: FileHandle): Promise<boolean> {
  const limit = bodyLimit(c.req.path);
  let bytes = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limit) return false;
    await file.write(chunk);
  }
  return true;
}

async function* linesIn(file: FileHandle): AsyncGenerator<string> {
  const input = createReadStream("", { fd: file, start: 0, encoding: "utf8", autoClose: false });
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

/** All of it is here before the first row is taken: a body that breaks off has changed nothing. */
async function takeIn(c: Context, parts: TransferParts): Promise<Response> {
  const file = await namelessFile(parts.home);
  try {
    if (!(await received(c, file)))
      return problem(c, 413, "body-too-large", `A body may have ${bodyLimit(c.req.path)} bytes.`);
    return c.json(await parts.store.importLines(linesIn(file), { redact: parts.redact }));
  } finally {
    await file.close();
    parts.onImported();
  }
}

export function transferRoutes(parts: TransferParts): Handlers<"GET /api/export" | "POST /api/import"> {
  let isBusy = false;
  return {
    "GET /api/export": (c) => download(c, parts),
    "POST /api/import": async (c) => {
      if (isBusy) return problem(c, 409, "busy", "Another import is under way.", "try again when it is done");
      isBusy = true;
      try {
        return await takeIn(c, parts);
      } finally {
        isBusy = false;
      }
    },
  };
}
