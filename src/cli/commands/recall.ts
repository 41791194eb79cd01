// `throughline recall`: the exact bytes of what left the window. `throughline ledger`: every edit of it.
import { hostname } from "node:os";
import { chooseByBeginning, findSession, ledgerFile, vaultFolder } from "../../home/index.ts";
import { activeEntries, type LedgerEntry, openLedger, planUndo } from "../../ledger/index.ts";
import {
  defined,
  isoTime,
  notFoundError,
  systemClock,
  ThroughlineError,
  timeOrderedId,
  usageError,
} from "../../lib/index.ts";
import { machineWith } from "../../remote/index.ts";
import {
  openVault,
  type Range,
  recall,
  recallSession,
  type Selection,
  type Vault,
} from "../../vault/index.ts";
import { defineCommand, operand, optional, value } from "../command.ts";
import { commandContext, ownConfig, withDatabase } from "../context.ts";
import { columns } from "../output.ts";
import { paint } from "../terminal.ts";

function lineRange(text: string): Range {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  if (!match) throw usageError(`--lines must be A-B, not ${text}`, "for example --lines 10-40");
  return [Number(match[1]), Number(match[2] ?? match[1])];
}

function recallHandle(vault: Vault, handle: string, selection: Selection) {
  const { bytes, ...rest } = recall(vault, handle, selection);
  return {
    data: { ...rest, base64: isUtf8(bytes) ? undefined : Buffer.from(bytes).toString("base64") },
    text: bytes,
  };
}

function isUtf8(bytes: Uint8Array) {
  return Buffer.from(Buffer.from(bytes).toString("utf8"), "utf8").equals(Buffer.from(bytes));
}

function sessionNamed(vault: Vault, id: string) {
  const names = vault.sessions().map(({ session }) => session);
  const session = chooseByBeginning(names, id);
  if (session !== undefined) return session;
  throw notFoundError(
    `nothing was removed from a session ${id}`,
    "check the id, or THROUGHLINE_HOME if the data is elsewhere",
  );
}

function recallFromSession(vault: Vault, session: string, pattern: string | undefined) {
  if (pattern === undefined) {
    const blobs = vault.list({ session });
    const rows = blobs.map(({ handle, bytes, origins }) => {
      const origin = origins.find((one) => one.session === session);
      return [handle, `${bytes} B`, origin?.level ?? "", origin?.tool ?? "", origin?.toolUseId ?? ""];
    });
    return { data: { session, blobs }, text: columns(rows) };
  }
  const found = recallSession(vault, session, { pattern });
  const lines = found.matches.map(
    ({ handle, line, text }) => `${paint("dim", `${handle}:${line}:`)} ${text}`,
  );
  return {
    data: { session, ...found },
    text: [
      ...(lines.length === 0 ? ["no match"] : lines),
      found.truncated && "… more matches; narrow the pattern",
    ],
  };
}

/** With a server, what is not in this vault may be in that of another machine: then the failure says in which. */
async function withMachine<T>(named: string, work: () => T) {
  try {
    return work();
  } catch (error) {
    if (
      !(error instanceof ThroughlineError) ||
      error.code !== "not-found" ||
      ownConfig().values.remote === ""
    )
      throw error;
    const machine = await withDatabase((store) => machineWith(store, named, hostname()), "read");
    if (machine === undefined) throw error;
    throw notFoundError(
      `${named} is in the vault of the machine ${machine}; vaults are not exchanged`,
      `on ${machine}: throughline recall ${named}`,
    );
  }
}

const recallCommand = defineCommand({
  args: {
    handle: optional("a handle (tl:…) or a tool_use_id"),
    session: value(
      "session",
      "the session it was removed from, or the start of its id; without a handle it lists everything",
    ),
    lines: value("a-b", "only these lines, from 1"),
    pattern: value("pattern", "only lines that match this regular expression"),
  },
  examples: {
    "throughline recall tl:3f9a0c12b7de": "the whole content, byte for byte",
    "throughline recall tl:3f9a0c12b7de --lines 40-80": "some of its lines",
    "throughline recall --session 5f1c --pattern 'refresh.*token'":
      "search everything removed from a session",
  },
  run({ args }) {
    const vault = openVault(vaultFolder(commandContext().home));
    const { handle, lines, pattern } = args;
    if (!handle && (!args.session || lines !== undefined)) {
      const wanted = args.session ? "--lines needs a handle" : "recall needs a handle or --session";
      throw usageError(wanted, "throughline recall HANDLE, or throughline recall --session ID");
    }
    const range = lines === undefined ? undefined : lineRange(lines);
    return withMachine(handle ?? args.session ?? "", () => {
      const session = args.session ? sessionNamed(vault, args.session) : undefined;
      if (!handle) return recallFromSession(vault, session ?? "", pattern);
      return recallHandle(vault, handle, defined({ session, lines: range, pattern }));
    });
  },
});

function ledgerRow(entry: LedgerEntry, active: boolean) {
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

const ledgerCommand = defineCommand({
  args: {
    session: operand("a session id, or the start of one"),
    undo: value("entry", "undo this entry and the entries built on it"),
  },
  examples: {
    "throughline ledger 5f1c": "the session's edits, oldest first",
    "throughline ledger 5f1c --undo e_0mfz3k": "undo one",
    "throughline ledger 5f1c --json": "the entries as they are stored",
  },
  run({ args }) {
    const place = findSession(commandContext().home, args.session);
    const ledger = openLedger(ledgerFile(place));
    if (args.undo) {
      const ids = planUndo(ledger.entries(), args.undo).map(({ id }) => id);
      const now = systemClock.now();
      const origin = { by: "here", level: "user", why: "asked for on the command line" } as const;
      const edit = { kind: "undo", entry: args.undo } as const;
      ledger.append([{ v: 1, id: timeOrderedId("e", now), at: isoTime(now), ...origin, edit }]);
      return { data: { session: place.session, undone: ids }, text: `undone: ${ids.join(", ")}` };
    }
    const entries = ledger.entries();
    const active = new Set(activeEntries(entries).map(({ id }) => id));
    const problems = ledger.problems();
    const notes = problems.map(({ byte, problem }) => paint("yellow", `at byte ${byte}: ${problem}`));
    const rows = entries.map((entry) => ledgerRow(entry, active.has(entry.id)));
    return {
      data: { session: place.session, project: place.project, entries, active: [...active], problems },
      text: entries.length === 0 ? "no edits" : [columns(rows), ...notes],
    };
  },
});

export default { recall: recallCommand, ledger: ledgerCommand };
