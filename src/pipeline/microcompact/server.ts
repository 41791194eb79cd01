// Level 3, the server's path: directives that let the API clear old results on its side, the client's history untouched.
import { activeEntries } from "../../ledger/index.ts";
import { type Block, blocksOf, type Message, textOf } from "../../messages/index.ts";
import type { PlanContext, PlannedEdit, Removed } from "../plan.ts";

export const CONTEXT_MANAGEMENT_BETA = "context-management-2025-06-27";

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

const NOTE =
  "[Old tool results may be cleared from this conversation to save room. Each one is kept: call recall with its tool_use_id to read it again.]";

export interface ServerClearing {
  readonly edits: readonly PlannedEdit[];
  /** What the API may clear from now on: it has to be in the vault before the request is sent. */
  readonly keep: readonly Removed[];
}

/** The directive and its note once; with every request whatever results are new by then. */
export function planServerClearing(context: PlanContext): ServerClearing {
  const { settings, view, entries } = context;
  const { serverTrigger, serverClearAtLeast } = settings.microcompact;
  const active = activeEntries(entries);
  const sent = active.some(({ by, edit }) => by === "server" && edit.kind === "directive");
  const keep = freshSince(context, !sent);
  if (sent) return { edits: [], keep };
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
  const last = view.at(-1);
  if (last?.message.role !== "user") return { edits: [directive], keep };
  const note: PlannedEdit = {
    level: "microcompact",
    why: "says where cleared results can be had again",
    edit: { kind: "insert", after: last.id, messages: [{ role: "user", content: NOTE }] },
    removed: [],
  };
  return { edits: [directive, note], keep };
}

/** Results that the vault may not have yet: all of them at first, then those behind the last assistant message. */
function freshSince({ view, tools }: PlanContext, all: boolean): Removed[] {
  const from = all ? 0 : view.findLastIndex(({ message }) => message.role === "assistant") + 1;
  return view.slice(from).flatMap(({ id, message }) =>
    blocksOf(message).flatMap((block): Removed[] => {
      if (block.type !== "tool_result") return [];
      const toolUseId = String(block.tool_use_id);
      const tool = tools.get(toolUseId);
      return [
        { content: textOf(block.content), toolUseId, item: id, ...(tool === undefined ? {} : { tool }) },
      ];
    }),
  );
}

/**
 * The unpublished blocks that delete results inside the server's cache. Only for accounts on which a probe was
 * accepted: the public endpoint is said to refuse them.
 */
export function withCacheEdits(messages: readonly Message[], cleared: readonly string[]): readonly Message[] {
  const last = messages.at(-1);
  if (cleared.length === 0 || last?.role !== "user") return messages;
  const wanted = new Set(cleared);
  const marked = messages.map((message): Message => {
    if (typeof message.content === "string" || message.role !== "user") return message;
    if (!message.content.some((block) => wanted.has(String(block.tool_use_id)))) return message;
    const content = message.content.map(
      (block): Block =>
        wanted.has(String(block.tool_use_id)) ? { ...block, cache_reference: block.tool_use_id } : block,
    );
    return { ...message, content };
  });
  const edits = cleared.map((id) => ({ type: "delete", cache_reference: id }));
  const end = marked.at(-1) ?? last;
  return [...marked.slice(0, -1), { ...end, content: [...blocksOf(end), { type: "cache_edits", edits }] }];
}
