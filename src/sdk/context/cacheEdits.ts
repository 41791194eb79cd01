// The cached path of microcompact: asks the API to delete old results inside its cache, once a probe has shown that it takes that.
import path from "node:path";
import { isObject, matchesGlob, parseJson, readIfThere, writeFileAtomic } from "../../lib/index.ts";
import { blocksOf, type History, isToolUse, type Message, textOf } from "../../messages/index.ts";
import { CLEARED, type Prepared, type Session, withCacheEdits } from "../../pipeline/index.ts";
import type { MessagesClient } from "./types.ts";

/** Results to be deleted, pinned to the message that asked first: every later request repeats them there. */
interface PinnedEdit {
  readonly item: string;
  readonly cleared: readonly string[];
}

interface CacheEditState {
  /** Undefined until a probe was answered. */
  readonly accepted?: boolean;
  readonly pins: readonly PinnedEdit[];
}

export interface CacheEdits {
  readonly state: CacheEditState;
  /** The messages with what the API is asked to delete, and the calls that it is asked for the first time. */
  carryOut(prepared: Prepared, messages: readonly Message[], model: string): Promise<EditedCache>;
}

interface EditedCache {
  readonly messages: readonly Message[];
  readonly cacheEdits: readonly string[];
}

/** `folder` is the session's: another process repeats the same edits. A session that has none begins with those `before` it. */
export function cacheEdits(
  client: MessagesClient,
  session: Session,
  folder: string | undefined,
  before?: CacheEdits,
): CacheEdits {
  const file = folder && path.join(folder, "cache-edits.json");
  let state = readState(file) ?? before?.state ?? { pins: [] };
  const save = (next: CacheEditState) => {
    state = next;
    if (file !== undefined) writeFileAtomic(file, JSON.stringify(next));
  };
  return {
    get state() {
      return state;
    },
    async carryOut({ items, receipt }, messages, model) {
      // What changed before the newest messages is written to the cache anew: there is nothing left to delete in it.
      if (state.pins.length > 0 && receipt.edits.some(isOldEdit)) save({ ...state, pins: [] });
      // Thinking that is bound to a result is bound to its block as it was.
      if (receipt.regime === "append-only" || !isOurs(receipt.levels)) return { messages, cacheEdits: [] };
      const last = items.at(-1);
      const due = last?.message.role === "user" ? deletable(items, state.pins, session) : [];
      if (due.length > 0 && state.accepted === undefined) {
        const accepted = await probe(client, model);
        if (accepted !== undefined) save({ ...state, accepted });
      }
      if (!state.accepted) return { messages, cacheEdits: [] };
      if (last && due.length > 0) save({ ...state, pins: [...state.pins, { item: last.id, cleared: due }] });
      const edits = state.pins.flatMap(({ item, cleared }) => {
        const at = items.findIndex(({ id }) => id === item);
        return at < 0 ? [] : [{ at, cleared }];
      });
      return { messages: withCacheEdits(messages, edits, { accepted: true }), cacheEdits: due };
    },
  };
}

const isOldEdit = ({ edit, level }: Prepared["receipt"]["edits"][number]) =>
  (edit.kind === "replace-result" && level !== "budget") ||
  ["remove-turn", "replace-span", "replace-prefix", "collapse-commit", "drop-thinking", "undo"].includes(
    edit.kind,
  );

/** The level acts on its server path with this request: its local path did not, and nothing makes it stand back. */
const isOurs = (levels: Prepared["receipt"]["levels"]) =>
  !levels.some(
    ({ level, before, waiting }) => level === "microcompact" && (before > 0 || waiting !== undefined),
  );

/** Results of the listed tools but the newest, which were sent before and not yet deleted. */
function deletable(items: History, pins: readonly PinnedEdit[], { settings }: Session) {
  const { tools, exempt, keepRecent } = settings.microcompact;
  const known = new Set(pins.flatMap(({ cleared }) => cleared));
  const names = new Map<string, string>();
  const found: string[] = [];
  for (const { message } of items)
    for (const block of blocksOf(message)) {
      if (isToolUse(block)) names.set(String(block.id), String(block.name));
      if (block.type !== "tool_result") continue;
      const id = String(block.tool_use_id);
      const name = names.get(id) ?? "";
      const isListed = isOneOf(tools, name) && !isOneOf(exempt, name);
      if (isListed && textOf(block.content) !== CLEARED) found.push(id);
    }
  return found.slice(0, Math.max(0, found.length - keepRecent)).filter((id) => !known.has(id));
}

const isOneOf = (patterns: readonly string[], name: string) =>
  patterns.some((pattern) => matchesGlob([name], [pattern]));

const PROBED_CALL = "toolu_probe";

/** Whether this account takes the blocks; undefined when that is not known from the answer. */
async function probe(client: MessagesClient, model: string) {
  const messages: readonly Message[] = [
    { role: "user", content: "Look it up." },
    { role: "assistant", content: [{ type: "tool_use", id: PROBED_CALL, name: "look_up", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: PROBED_CALL, content: "found" }] },
  ];
  const body = {
    model,
    max_tokens: 1,
    tools: [
      { name: "look_up", description: "Look it up.", input_schema: { type: "object", properties: {} } },
    ],
    messages: withCacheEdits(messages, [{ at: 2, cleared: [PROBED_CALL] }], { accepted: true }),
  };
  try {
    await client.messages.create(body as never);
    return true;
  } catch (error) {
    return isObject(error) && error.status === 400 ? false : undefined;
  }
}

/** What cannot be read is asked for again. */
function readState(file: string | undefined): CacheEditState | undefined {
  const value = parseJson((file && readIfThere(file)) || "");
  if (!isObject(value) || !Array.isArray(value.pins)) return undefined;
  const pins = value.pins.filter(isPin);
  return typeof value.accepted === "boolean" ? { accepted: value.accepted, pins } : { pins };
}

const isPin = (value: unknown): value is PinnedEdit =>
  isObject(value) && typeof value.item === "string" && Array.isArray(value.cleared);
