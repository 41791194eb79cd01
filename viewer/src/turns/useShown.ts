// What a list of turns shows besides its rows: known traces, open turns and open calls; and loading of what comes into view.
import { useEffect, useMemo } from "preact/hooks";
import { getFilter } from "../state/route.ts";
import { loadFigures, loadSteps, traces } from "../state/traces.ts";
import type { TurnEntry } from "./entries.ts";
import { openCalls, openTurns } from "./opened.ts";

export function useShown() {
  const known = traces.value;
  const [turn, call] = [getFilter("turn"), getFilter("call")];
  return useMemo(() => ({ traces: known, turns: openTurns(), calls: openCalls() }), [known, turn, call]);
}

/** Loads the figures of the sessions in view. */
export function loadSeen(entries: readonly { readonly kind: string }[]) {
  for (const entry of entries as readonly TurnEntry[]) {
    if (entry.kind === "turn") loadFigures(entry.turn.session);
  }
}

/** Loads the steps of open turns as soon as it is known which turns of the transcript they are. */
export function useOpenSteps(entries: readonly { readonly kind: string }[]) {
  useEffect(() => {
    for (const entry of entries as readonly TurnEntry[]) {
      if (entry.kind !== "turn" || !entry.isOpen) continue;
      const { session, figures } = entry.turn;
      loadFigures(session);
      if (figures) loadSteps(session, figures.turn);
    }
  }, [entries]);
}
