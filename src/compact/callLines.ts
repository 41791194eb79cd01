// One line for each call: what was done and how it came out, to stand for a result that left the window.
import { actionOf, callsIn } from "../activity/index.ts";
import type { History } from "../messages/index.ts";

/** By tool_use_id. */
export function callLines(history: History): ReadonlyMap<string, string> {
  return new Map(callsIn(history).map((call) => [call.id, actionOf(call).line]));
}
