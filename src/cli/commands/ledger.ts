// `throughline ledger SESSION`: every edit of a session's window, who made it and why.

import { findSession, ledgerFile } from "../../home/index.ts";
import { activeEntries, type LedgerEntry, openLedger, planUndo } from "../../ledger/index.ts";
import { systemClock, timeOrderedId } from "../../lib/index.ts";
import { defineCommand } from "../command.ts";
import { columns } from "../output.ts";
import { surroundings } from "../surroundings.ts";
import { paint } from "../terminal.ts";

function row(entry: LedgerEntry, active: boolean): string[] {
  const { tokens } = entry;
  const saved = tokens ? `${tokens.before} → ${tokens.after} tokens` : "";
  const state = active || entry.edit.kind === "undo" ? "" : paint("dim", "undone");
  return [
    entry.id,
    entry.at,
    entry.level,
    entry.by,
    entry.edit.kind,
    saved,
    (entry.handles ?? []).join(" "),
    entry.why,
    state,
  ];
}

export default defineCommand({
  args: {
    session: { type: "positional", required: true, description: "a session id, or the beginning of one" },
    undo: {
      type: "string",
      valueHint: "entry",
      description: "take this entry back, and what was built on it",
    },
  },
  examples: [
    { line: "throughline ledger 5f1c", does: "the session's edits, oldest first" },
    { line: "throughline ledger 5f1c --undo e_0mfz3k", does: "take one back" },
    { line: "throughline ledger 5f1c --json", does: "the entries as they are stored" },
  ],
  run({ args }) {
    const place = findSession(surroundings().home, args.session);
    const ledger = openLedger(ledgerFile(place));
    if (args.undo) {
      const taken = planUndo(ledger.entries(), args.undo);
      const now = systemClock.now();
      const edit = { kind: "undo", entry: args.undo } as const;
      const why = "asked for on the command line";
      ledger.append([
        {
          v: 1,
          id: timeOrderedId("e", now),
          at: new Date(now).toISOString(),
          by: "here",
          level: "user",
          why,
          edit,
        },
      ]);
      const ids = taken.map(({ id }) => id);
      return { data: { session: place.session, undone: ids }, text: `undone: ${ids.join(", ")}` };
    }
    const entries = ledger.entries();
    const active = new Set(activeEntries(entries).map(({ id }) => id));
    const problems = ledger.problems();
    const notes = problems.map(({ byte, problem }) => paint("yellow", `at byte ${byte}: ${problem}`));
    const text = [columns(entries.map((entry) => row(entry, active.has(entry.id)))), ...notes].join("\n");
    return {
      data: { session: place.session, project: place.project, entries, active: [...active], problems },
      text: entries.length === 0 ? "no edits" : text,
    };
  },
});
