// A recorded run made fit to be bundled: names of the machine it ran on replaced, and times and sizes as a model would give them.
import path from "node:path";
import { isObject, type JsonObject, MINUTE } from "../../src/lib/index.ts";
import { turns } from "./story.ts";

interface RecordedPlace {
  readonly folder: string;
  readonly home: string;
  readonly session: string;
}

const FOLDER = "/home/dev/ferry-times";
const HOME = "/home/dev";
const SESSION = "5a3b1e70-2c4d-4f60-9b1a-7d2e8c90aa11";

/** Claude Code names a project's folder after its path. */
const slug = (folder: string): string => folder.replace(/[^A-Za-z0-9]/g, "-");

/** The same text as if it had been written in `/home/dev/ferry-times`. */
export function neutral(text: string, { folder, home, session }: RecordedPlace): string {
  return [
    [folder, FOLDER],
    [slug(folder), slug(FOLDER)],
    [home, HOME],
    [path.dirname(folder), HOME],
    [session, SESSION],
  ].reduce((all, [from = "", to = ""]) => all.replaceAll(from, to), text);
}

const START = Date.parse("2026-03-12T09:04:00.000Z");
const CACHE_MS = 5 * MINUTE;

/** The turn's opening words, on the row of a prompt. */
function wordsOf({ type, message }: JsonObject): string {
  if (type !== "user" || !isObject(message)) return "";
  const { content } = message;
  if (typeof content === "string") return content;
  const [block] = Array.isArray(content) ? content : [];
  return isObject(block) && typeof block.text === "string" ? block.text : "";
}

interface Clock {
  at: number;
  cached: number;
  cachedAt: number;
  last: string;
}

/** A scripted model answers at once; a real one takes its time, and people take theirs between two turns. */
function tick(clock: Clock, row: JsonObject): void {
  const turn = turns.find(({ words }) => words === wordsOf(row));
  clock.at += turn === undefined ? 2_000 + (JSON.stringify(row).length % 9) * 1_000 : turn.pause * MINUTE;
}

/** What the provider's cache would have held: everything of the last request, for five minutes. */
function usageOf(clock: Clock, row: JsonObject, usage: JsonObject): JsonObject {
  const sizes = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
  const total = sizes.reduce((sum, name) => sum + Number(usage[name] ?? 0), 0);
  const isNew = row.requestId !== clock.last;
  if (isNew) {
    const isWarm = clock.at - clock.cachedAt <= CACHE_MS;
    clock.cached = isWarm ? Math.min(clock.cached, total - 4) : 0;
    clock.last = String(row.requestId);
  }
  const read = clock.cached;
  const written = total - 4 - read;
  clock.cachedAt = clock.at;
  return {
    ...usage,
    input_tokens: 4,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
  };
}

/** The conversation and where it was compacted. The rest are the client's own books and words, and not ours to bundle. */
const isConversation = ({ type, subtype, uuid }: JsonObject): boolean =>
  uuid !== undefined && (type === "user" || type === "assistant" || subtype === "compact_boundary");

/** The rows that are kept, each linked to the nearest one before it that is kept too. */
function conversationOf(rows: readonly JsonObject[]): JsonObject[] {
  const parents = new Map(rows.map(({ uuid, parentUuid }) => [uuid, parentUuid]));
  const kept = rows.filter(isConversation);
  const ids = new Set(kept.map(({ uuid }) => uuid));
  const nearest = (uuid: unknown): unknown =>
    uuid === undefined || uuid === null || ids.has(uuid) ? (uuid ?? null) : nearest(parents.get(uuid));
  return kept.map((row) => ({
    ...row,
    parentUuid: nearest(row.parentUuid),
    ...("logicalParentUuid" in row ? { logicalParentUuid: nearest(row.logicalParentUuid) } : {}),
  }));
}

const title: JsonObject = {
  type: "ai-title",
  aiTitle: "Late boats missing from the board",
  sessionId: SESSION,
};

/** The session as it is bundled: what was said, with times and usage set anew; the rest of each row is as the CLI wrote it. */
export function bundled(rows: readonly JsonObject[]): JsonObject[] {
  return [...madeBelievable(conversationOf(rows)), title];
}

function madeBelievable(rows: readonly JsonObject[]): JsonObject[] {
  const clock: Clock = { at: START, cached: 0, cachedAt: Number.NEGATIVE_INFINITY, last: "" };
  let total = 0;
  return rows.map((row) => {
    if (typeof row.timestamp !== "string") return row;
    tick(clock, row);
    const timed = { ...row, timestamp: new Date(clock.at).toISOString() };
    if (row.type !== "assistant" || !isObject(row.message) || !isObject(row.message.usage)) return timed;
    if (row.requestId !== clock.last && total > 0) clock.cached = total - 4;
    const usage = usageOf(clock, row, row.message.usage);
    total = Number(usage.cache_read_input_tokens) + Number(usage.cache_creation_input_tokens) + 4;
    return { ...timed, message: { ...row.message, usage } };
  });
}
