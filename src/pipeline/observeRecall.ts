// Counts recalls of results that were cut on arrival, so that tools whose results are looked at are cut less.

import { withLook } from "../economics/index.ts";
import { textOf } from "../messages/index.ts";
import { cutOnArrival } from "./budget/plan.ts";
import type { Session } from "./session.ts";

/**
 * Call it when the model recalls something: `name` is the handle or the id of the call. Returns the tool whose result it
 * was; undefined for anything that was not cut on arrival, or was counted by this process before.
 */
export function observeRecall(session: Session, name: string): string | undefined {
  const { runtime } = session;
  const cuts = session.ledger.entries().flatMap((entry) => cutOnArrival(entry) ?? []);
  const cut = cuts.findLast(
    ({ toolUseId, content }) =>
      toolUseId === name || (name.startsWith("tl:") && textOf(content).includes(name)),
  );
  if (!cut || runtime.recalled.has(cut.toolUseId)) return undefined;
  runtime.recalled.add(cut.toolUseId);
  const tool = runtime.tools.get(cut.toolUseId) ?? "";
  const { state } = runtime;
  runtime.state = { ...state, looks: withLook(state.looks ?? {}, tool) };
  session.state.save(runtime.state);
  return tool;
}
