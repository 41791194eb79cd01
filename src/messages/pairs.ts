// Tool pairs: every call with its answer, whichever side answers it.
import {
  blocksOf,
  type History,
  isToolResult,
  isToolUse,
  type ToolResultBlock,
  type ToolUseBlock,
} from "./model.ts";

interface BlockPlace {
  /** Index of the message in the array. */
  readonly item: number;
  /** Index of the block in the message's content. */
  readonly block: number;
}

export interface ToolPair {
  /** The tool_use_id. */
  readonly id: string;
  readonly name: string;
  readonly use: ToolUseBlock;
  readonly useAt: BlockPlace;
  /** Absent while the call is open. */
  readonly result?: ToolResultBlock;
  readonly resultAt?: BlockPlace;
}

/** Pairs in the order of their calls. Results without a call are left out: `check` reports those. */
export function toolPairs(history: History): ToolPair[] {
  const pairs = new Map<string, ToolPair>();
  history.forEach(({ message }, item) => {
    blocksOf(message).forEach((block, index) => {
      if (isToolUse(block)) {
        if (!pairs.has(block.id)) {
          pairs.set(block.id, { id: block.id, name: block.name, use: block, useAt: { item, block: index } });
        }
      } else if (isToolResult(block)) {
        const open = pairs.get(block.tool_use_id);
        if (open && !open.result) {
          pairs.set(open.id, { ...open, result: block, resultAt: { item, block: index } });
        }
      }
    });
  });
  return [...pairs.values()];
}
