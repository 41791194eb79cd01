// The edits that turn the client's messages into the window that the pipeline made, and what changed since the last ones.
import { isDeepStrictEqual } from "node:util";
import { type Block, blocksOf, type History, type Message, textOf } from "../messages/index.ts";
import type { BlocksEdit, EditsChange, EditsInForce, LiveEdit } from "./edits.ts";

/** The client's conversation: its messages, their ids, and the chain at each. */
interface ClientRows {
  readonly messages: readonly Message[];
  readonly ids: readonly string[];
  readonly chains: readonly string[];
}

/** Edits of messages that were made before: the same message changed in the same way is the same edit. */
const made = new WeakMap<
  Message,
  { readonly of: Message; readonly blocks: BlocksEdit["blocks"] | undefined }
>();

/** In order of their rows; none overlaps another. */
export function editsFor(window: History, { messages, ids, chains }: ClientRows): LiveEdit[] {
  const places = new Map(ids.map((id, at) => [id, at]));
  const edits: LiveEdit[] = [];
  let put: string[] = [];
  let reached = 0;
  const closeSpan = (end: number) => {
    if (put.length === 0 && end === reached) return;
    // A compaction takes the beginning out, and with it what the agent announced there and says only once.
    const announced = reached === 0 && end > 0 ? announcedIn(messages.slice(0, end)) : [];
    put.splice(1, 0, ...announced);
    const row = Math.max(end, reached) - 1;
    const guard = row < 0 ? {} : { guard: { row, chain: chains[row] ?? "" } };
    edits.push({ kind: "span", at: reached, end, messages: put, ...guard });
    put = [];
  };
  for (const { id, message } of window) {
    const at = places.get(id);
    const original = at === undefined ? undefined : messages[at];
    if (at === undefined || !original || at < reached) {
      put.push(JSON.stringify(message));
      continue;
    }
    closeSpan(at);
    reached = at + 1;
    if (original === message) continue;
    const blocks = blocksChanged(original, message);
    const guard = { row: at, chain: chains[at] ?? "" };
    if (!blocks) edits.push({ kind: "span", at, end: at + 1, messages: [JSON.stringify(message)], guard });
    else if (Object.keys(blocks).length > 0) edits.push({ kind: "blocks", at, blocks, guard });
  }
  closeSpan(messages.length);
  return edits;
}

const REMINDER = "<system-reminder>";
/** Characters of what was announced later, the newest first. */
const MOST_ANNOUNCED = 10_000;

const systemText = (message: Message) => (message.role === "system" ? textOf(message.content).trim() : "");

const remindersIn = (message: Message) =>
  message.role === "user"
    ? blocksOf(message)
        .map((block) => textOf([block]).trim())
        .filter((text) => text.startsWith(REMINDER))
    : [];

/**
 * What the agent tells its model beside the conversation, as one message: all that stands before the first answer (environment,
 * instructions, tools, skills), and what it announced later.
 */
function announcedIn(messages: readonly Message[]) {
  const answered = messages.findIndex(({ role }) => role === "assistant");
  const first = messages.slice(0, answered < 0 ? messages.length : answered);
  const opening = first.flatMap((message) => [...remindersIn(message), systemText(message)]);
  let room = MOST_ANNOUNCED;
  const later = messages
    .slice(first.length)
    .map(systemText)
    .toReversed()
    .filter((text) => {
      room -= text.length;
      return room >= 0;
    })
    .toReversed();
  const texts = [...opening, ...later].filter((text) => text !== "");
  const content = texts.map((text) => ({
    type: "text",
    text: text.startsWith(REMINDER) ? text : wrapped(text),
  }));
  return content.length === 0 ? [] : [JSON.stringify({ role: "user", content })];
}

const wrapped = (text: string) => `${REMINDER}\n${text}\n</system-reminder>`;

/** Blocks that differ, by index; undefined where the change is none of single blocks. */
function blocksChanged(original: Message, message: Message) {
  const known = made.get(message);
  if (known?.of === original) return known.blocks;
  const blocks = compareBlocks(original, message);
  made.set(message, { of: original, blocks });
  return blocks;
}

function compareBlocks(original: Message, message: Message): BlocksEdit["blocks"] | undefined {
  const { content: before, ...rest } = original;
  const { content: after, ...others } = message;
  if (!isDeepStrictEqual(rest, others)) return undefined;
  if (typeof before === "string" && typeof after === "string")
    return { 0: JSON.stringify({ type: "text", text: after }) };
  if (typeof after === "string") return undefined;
  const old = blocksOf(original);
  const kept = blocksOf(message);
  if (typeof before === "string") {
    const [only] = kept;
    return kept.length === 1 && only ? { 0: JSON.stringify(only) } : undefined;
  }
  if (kept.length === old.length) return replacedBlocks(old, kept);
  return kept.length > 0 ? droppedBlocks(old, kept) : undefined;
}

function replacedBlocks(old: readonly Block[], kept: readonly Block[]): BlocksEdit["blocks"] {
  return Object.fromEntries(
    old.flatMap((block, at) => {
      const now = kept[at];
      return now === block || isDeepStrictEqual(now, block) ? [] : [[String(at), JSON.stringify(now)]];
    }),
  );
}

/** Every block that stays is one of the old ones, in their order; undefined otherwise. */
function droppedBlocks(old: readonly Block[], kept: readonly Block[]): BlocksEdit["blocks"] | undefined {
  const dropped: [string, null][] = [];
  let next = 0;
  old.forEach((block, at) => {
    if (next < kept.length && (kept[next] === block || isDeepStrictEqual(kept[next], block))) next++;
    else dropped.push([String(at), null]);
  });
  return next === kept.length ? Object.fromEntries(dropped) : undefined;
}

/** What turns the edits in force into these; undefined where they are the same. */
export function changeTo(inForce: EditsInForce, edits: readonly LiveEdit[]): EditsChange | undefined {
  const before = inForce.edits;
  let same = 0;
  while (same < Math.min(before.length, edits.length) && isSame(before[same], edits[same])) same++;
  const [gone, come] = [before[same], edits[same]];
  if (!gone && !come) return undefined;
  const from = Math.min(gone?.at ?? Number.POSITIVE_INFINITY, come?.at ?? Number.POSITIVE_INFINITY);
  return { version: inForce.version + 1, from, edits: edits.filter(({ at }) => at >= from) };
}

const isSame = (one: LiveEdit | undefined, other: LiveEdit | undefined) =>
  one === other || isDeepStrictEqual(one, other);
