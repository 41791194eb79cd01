// Tool results on their way into Claude Code's conversation: those over the budget become previews with a handle.

import { wholeOutput } from "../intake/index.ts";
import { defined, givenText, isObject, type JsonObject } from "../lib/index.ts";
import { textOf } from "../messages/index.ts";
import { budgetForHost } from "../pipeline/index.ts";
import type { ModsSavings } from "./account.ts";
import type { Asker, ModsOp } from "./protocol.ts";
import type { OpenWindow } from "./windows.ts";

/** How Claude Code says where it has put a result that it found too large itself. */
const SAVED_TO = /^<persisted-output>\s[^\n]*saved to: ([^\n]+)\n/;

/** Of a result that Claude Code put away itself: the whole of it, where it can be had. */
function putAway(content: unknown, { transcript }: Asker) {
  const named = SAVED_TO.exec(textOf(content))?.[1];
  if (named === undefined || transcript === undefined) return undefined;
  const file = named.trim();
  const found = wholeOutput(file, transcript);
  return found === undefined ? undefined : { text: found, file };
}

function readResult(block: JsonObject, body: JsonObject, asker: Asker) {
  const toolUseId = givenText(block.tool_use_id);
  if (toolUseId === undefined) return undefined;
  const whole = putAway(block.content, asker);
  const item = givenText(body.item);
  return {
    toolUseId,
    tool: givenText(body.tool) ?? "",
    content: block.content,
    isError: block.is_error === true,
    ...defined({ whole, item }),
  };
}

/** Asked with `{ tool, item, results }`; answers `{ results }` with those that are to be stored otherwise. */
export function resultsOp(openWindow: OpenWindow, savings: ModsSavings): ModsOp {
  return async (asker, body) => {
    const { session, model } = openWindow(asker);
    const blocks = Array.isArray(body.results) ? body.results.filter(isObject) : [];
    const results = blocks.flatMap((block) => {
      const result = readResult(block, body, asker);
      const shown = result && budgetForHost(session, result, { model });
      if (!result || !shown) return [];
      savings.result(asker.session, shown.entry.tokens);
      return [{ tool_use_id: result.toolUseId, content: shown.content }];
    });
    return { results, line: savings.line(asker.session) };
  };
}
