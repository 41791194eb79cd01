// Level 3, the server's path: directives that let the API clear old results on its side, the client's history untouched.

import { CONTEXT_MANAGEMENT_BETA } from "../../legality/index.ts";
import { defined } from "../../lib/index.ts";
import { type Block, blocksOf, type Message } from "../../messages/index.ts";
import {
  freedBy,
  type PlanContext,
  type PlannedEdit,
  type Removed,
  resultsIn,
  wholeResult,
} from "../planContext.ts";

/** The beta header that `context_management` needs. */
/** The directives in the order the API wants them: thinking first. */
export function clearingDirectives(trigger: number, clearAtLeast: number) {
  return {
    context_management: {
      edits: [
        { type: "clear_thinking_20251015", keep: "all" },
        {
          type: "clear_tool_uses_20250919",
          trigger: { type: "input_tokens", value: trigger },
          clear_at_least: { type: "input_tokens", value: clearAtLeast },
        },
      ],
    },
  };
}

/** Says, in the system prompt, that the server clears old results and how to read them again. */
export const CLEARING_NOTE =
  "[Old tool results may be cleared from this conversation to save room. Each one is kept: call recall with its tool_use_id to read it again.]";

/** The note comes before the API can possibly clear: at this part of the trigger, by our own count. */
const NOTE_AT = 0.5;

export interface ServerClearing {
  readonly edits: readonly PlannedEdit[];
  /** What the API may clear from now on: it has to be in the vault before the request is sent. */
  readonly keep?: readonly Removed[];
}

/**
 * The directive with the first request, the note once there is something to clear; every result is kept before.
 * `alongside` are the edits that make this request smaller.
 */
export function planServerClearing(context: PlanContext, alongside: readonly PlannedEdit[]): ServerClearing {
  const { serverTrigger, serverClearAtLeast } = context.settings.microcompact;
  const keep = notYetKept(context);
  const directive: PlannedEdit = {
    level: "microcompact",
    by: "server",
    why: `the API clears old results from ${serverTrigger} prompt tokens on`,
    edit: {
      kind: "directive",
      params: clearingDirectives(serverTrigger, serverClearAtLeast),
      betas: [CONTEXT_MANAGEMENT_BETA],
    },
    removed: [],
  };
  const given = context.active.some(({ by, edit }) => by === "server" && edit.kind === "directive");
  return { edits: [...(given ? [] : [directive]), ...planNote(context, alongside)], keep };
}

function planNote(
  { settings, view, active, viewTokens }: PlanContext,
  alongside: readonly PlannedEdit[],
): PlannedEdit[] {
  if (viewTokens() - freedBy(alongside) < settings.microcompact.serverTrigger * NOTE_AT) return [];
  const last = view.at(-1);
  if (last?.message.role !== "user") return [];
  const messages: readonly Message[] = [{ role: "user", content: CLEARING_NOTE }];
  const given = active.some(
    ({ edit }) => edit.kind === "insert" && edit.messages.some(({ content }) => content === CLEARING_NOTE),
  );
  if (given) return [];
  return [
    {
      level: "microcompact",
      why: "says where cleared results can be had again",
      edit: { kind: "insert", after: last.id, messages },
      removed: [],
    },
  ];
}

/** Whole results, as the agent had them, that this process has not put into the vault. */
function notYetKept({ notKept, tools }: PlanContext) {
  return notKept().flatMap(({ id: item, message }) =>
    resultsIn(message).flatMap(({ tool_use_id, content }) => {
      const toolUseId = String(tool_use_id);
      return wholeResult(content, { toolUseId, item, ...defined({ tool: tools.get(toolUseId) }) });
    }),
  );
}

/** Results that the server is asked to delete from its cache, pinned to the message that asked first. */
export interface CacheEdit {
  /** Index of the user message that carries the request; it stays there in every later request. */
  readonly at: number;
  readonly cleared: readonly string[];
}

/**
 * The unpublished blocks that delete results inside the server's cache. They are not part of the public API: without a probe that was `accepted` on this account the messages come back as they are.
 */
export function withCacheEdits(
  messages: readonly Message[],
  edits: readonly CacheEdit[],
  probe: { readonly accepted: boolean },
): readonly Message[] {
  if (!probe.accepted || edits.length === 0) return messages;
  const cleared = new Set(edits.flatMap((edit) => edit.cleared));
  const isCleared = (block: Block) => block.type === "tool_result" && cleared.has(String(block.tool_use_id));
  return messages.map((message, at): Message => {
    const own = edits.filter((edit) => edit.at === at && message.role === "user");
    if (own.length === 0 && !blocksOf(message).some(isCleared)) return message;
    const content = blocksOf(message).map((block) =>
      isCleared(block) ? { ...block, cache_reference: block.tool_use_id } : block,
    );
    const asked = own.map(
      (edit): Block => ({
        type: "cache_edits",
        edits: edit.cleared.map((id) => ({ type: "delete", cache_reference: id })),
      }),
    );
    return { ...message, content: [...content, ...asked] };
  });
}
