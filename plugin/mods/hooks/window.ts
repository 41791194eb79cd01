// What the window holds: results within the budget before they are stored, and compactions with Claude's own summary and ours.
import type {
  AppendEvent,
  CompactEvent,
  CompactResult,
  Engine,
  HostRow,
  Json,
  Next,
  ResultBlock,
} from "./engine.ts";
import { lastCompaction } from "./screen.js";
import { ask, isObject, textIn } from "./worker.js";

/** Shorter results are within every budget: the worker need not be asked. */
const SHORTEST_RESULT = 2_000;
/** A compaction is given up after so many requests; the worker answers each within 20 s. */
const MOST_ASKED = 6;
/** Of a long conversation the worker is sent so many characters, the newest; it reads the others in the transcript. */
const MOST_CHARACTERS = 1_000_000;

const textLength = (content: unknown): number =>
  typeof content === "string"
    ? content.length
    : Array.isArray(content)
      ? content.reduce((sum, part) => sum + (isObject(part) ? textIn(part.text).length : 0), 0)
      : 0;

export async function withinBudget($: Engine, e: AppendEvent): Promise<AppendEvent> {
  // A subagent's conversation is its own.
  if (e.agentId !== undefined) return e;
  const isLong = (block: ResultBlock) =>
    block.type === "tool_result" && textLength(block.content) >= SHORTEST_RESULT;
  const results = e.message.content.filter(isLong);
  if (results.length === 0) return e;
  const told = await ask($, "result", {
    tool: e.origin.tool ?? "",
    item: e.uuid,
    results,
    model: await $.session.model(),
  });
  const changed = Array.isArray(told?.results) ? told.results.filter(isObject) : [];
  if (changed.length === 0) return e;
  const content = e.message.content.map((block) => {
    const shown = changed.find((one) => one.tool_use_id === block.tool_use_id);
    return block.type === "tool_result" && shown ? { ...block, content: shown.content } : block;
  });
  return { ...e, message: { ...e.message, content } };
}

/** A row without what the worker has no use for: the tools' own records are as long as the rows again. */
function slimRow({ role, text, toolUses, toolResults, handle }: HostRow): Json {
  return {
    role,
    text,
    toolUses: toolUses.map(({ tool_use_id, tool, input }) => ({ tool_use_id, tool, input })),
    toolResults: toolResults?.map((one) => ({
      tool_use_id: one.tool_use_id,
      text: one.text,
      isError: one.isError,
    })),
    handle,
  };
}

/** The rows from the newest back while there is room; of those before only their names and lengths. */
function rowsToSend(messages: readonly HostRow[]): Json[] {
  let room = MOST_CHARACTERS;
  return messages
    .toReversed()
    .map((message): Json => {
      const row = slimRow(message);
      const size = JSON.stringify(row).length;
      room -= size;
      return room >= 0 ? row : { role: message.role, handle: message.handle, size };
    })
    .toReversed();
}

const isRow = (value: unknown): value is HostRow =>
  isObject(value) &&
  (value.role === "user" || value.role === "assistant") &&
  typeof value.text === "string" &&
  Array.isArray(value.toolUses);

/**
 * What the worker said when the session began anew: Claude Code reports that inside its own compaction, and puts the
 * text into the window that ours replaces.
 */
export const restored = { text: "" };

/** The window that the worker makes has what the digest of the snapshot would tell once more. */
export function withoutDigest(context: string) {
  return context.replace(/<throughline-context kind="snapshot" [\s\S]*?<\/throughline-context>\s*/, "");
}

async function askToCompact($: Engine, body: Json) {
  let told = await ask($, "compact", { ...body, model: await $.session.model() });
  for (let asked = 1; told?.isUnderway === true && asked < MOST_ASKED; asked++)
    told = await ask($, "compact", { again: true });
  lastCompaction.saved = textIn(told?.line);
  return told;
}

const windowIn = (told: Json | undefined): { readonly messages: readonly HostRow[] } | undefined => {
  const rows = told?.messages;
  return Array.isArray(rows) && rows.length > 0 && rows.every(isRow) ? { messages: rows } : undefined;
};

/** Claude Code's own compaction; undefined where it fails. */
async function ownCompaction(e: CompactEvent, next: Next<CompactEvent, CompactResult>) {
  try {
    return { result: await next(e) };
  } catch (error) {
    // The person stopped it.
    if (isObject(error) && error.name === "AbortError") throw error;
    return { error };
  }
}

/**
 * The worker has notes for the window, or wants Claude's own summary: then Claude Code compacts, and the worker adds to
 * that what it has. Whatever the worker cannot do leaves Claude Code's own result.
 */
export async function compacted(
  $: Engine,
  e: CompactEvent,
  next: Next<CompactEvent, CompactResult>,
): Promise<CompactResult> {
  if (e.agentId !== undefined) return next(e);
  if (e.trigger === "precompute") {
    const told = await ask($, "hello", {});
    return told ? { skip: "Throughline compacts when it is time" } : next(e);
  }
  const { trigger, instructions } = e;
  const body = { trigger, instructions, messages: rowsToSend(e.messages) };
  const answer = await askToCompact($, body);
  if (answer?.wantsSummary !== true) return windowIn(answer) ?? next(e);
  restored.text = "";
  const own = await ownCompaction(e, next);
  if (!own.result) {
    const made = windowIn(await askToCompact($, { ...body, isRefused: true }));
    if (!made) throw own.error;
    return made;
  }
  const { result } = own;
  const [first, ...kept] = "messages" in result ? result.messages : [];
  if (!first) return result;
  const handles = new Set(kept.flatMap(({ handle }) => handle ?? []));
  const keptFrom = e.messages.find(({ handle }) => handle !== undefined && handles.has(handle))?.handle;
  const made = windowIn(await askToCompact($, { ...body, summary: first.text, keptFrom }));
  const [summed, ...rest] = made?.messages ?? [];
  if (!summed) return result;
  // In the summary's own row: another one would be read as a prompt of the user.
  const text = [summed.text, restored.text].filter((part) => part !== "").join("\n\n");
  return { messages: [{ ...summed, text }, ...rest] };
}
