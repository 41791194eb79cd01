// `throughline forget`: lists the data of a session, a project or a period, deletes it everywhere, and checks again; or deletes one item.
import path from "node:path";
import type { Belongings, ForgetReport } from "../../../forget/index.ts";
import { workerSocket } from "../../../home/index.ts";
import { call } from "../../../ipc/index.ts";
import { defined, SECOND, usageError } from "../../../lib/index.ts";
import { forgetWithoutWorker } from "../../../worker/index.ts";
import { defineCommand, flag, value } from "../../command.ts";
import { type CommandContext, commandContext, scopeArgs } from "../../context.ts";
import { columns, exitCodes, formatNumber, sumOf } from "../../output.ts";
import { isWorkerAbsent } from "../../runningWorker.ts";
import { correctItem, correctionReport, edit } from "./edit.ts";

const FORGET_TIMEOUT_MS = 300 * SECOND;
const SHOWN_NAMES = 5;

function belongingsCount({ rows, vault, folders, spooled, archives }: Belongings) {
  return sumOf(rows) + vault.blobs + folders.length + spooled + archives.length;
}

function belongingsText({ rows, vault, folders, spooled, archives }: Belongings) {
  const kinds: [name: string, count: number, more?: string][] = [
    ...Object.entries(rows),
    ["stored texts", vault.blobs, `, ${formatNumber(vault.bytes)} bytes`],
    ["session folders", folders.length, `: ${folders.slice(0, SHOWN_NAMES).join(", ")}`],
    ["spooled events", spooled],
    ["archives", archives.length, `: ${archives.slice(0, SHOWN_NAMES).join(", ")}`],
  ];
  const found = kinds.filter(([, count]) => count > 0);
  return columns(
    found.map(([name, count, more = ""]) => [name, formatNumber(count) + more]),
    "  ",
  );
}

function reportOf({ scope, found, left }: ForgetReport) {
  const data = { scope, found, left: left ?? null };
  const what = Object.entries(scope)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
  const nothing = `${what}: nothing is stored`;
  if (!left) {
    const ending = "Nothing was deleted yet; --yes deletes it permanently.";
    return {
      data,
      text: belongingsCount(found) === 0 ? nothing : `${what}\n${belongingsText(found)}\n${ending}`,
    };
  }
  const isGone = belongingsCount(left) === 0;
  const ending = isGone
    ? "Checked again: nothing is left. Backups, exports and the agent's own transcripts are not deleted."
    : `Checked again; this is left:\n${belongingsText(left)}`;
  const exitCode = isGone ? exitCodes.ok : exitCodes.failure;
  if (belongingsCount(found) === 0 && isGone) return { data, text: nothing };
  return { data, text: `${what}: deleted\n${belongingsText(found)}\n${ending}`, exitCode };
}

/** A running worker does it itself: it may be processing some of the data. */
async function forget({ home }: CommandContext, scope: Readonly<Record<string, string>>, carryOut: boolean) {
  const socket = workerSocket(home);
  if (await isWorkerAbsent(socket)) return forgetWithoutWorker(home, scope, carryOut);
  const args = { ...scope, carryOut };
  return (await call(socket, "forget", { args, timeoutMs: FORGET_TIMEOUT_MS })) as ForgetReport;
}

async function forgetItem(id: string, { yes, undo }: { yes: boolean; undo: boolean }, scope: string[]) {
  if (scope.length > 0) throw usageError(`--id and --${scope[0]} do not go together`, "one of the two");
  const action = undo ? "undo" : yes ? "delete" : "show";
  return correctionReport(await correctItem({ ref: id, action }));
}

const forgetCommand = defineCommand({
  args: {
    session: value("id", "a session id, or the start of one"),
    project: value("name", "a project, by its name, id or folder"),
    id: value("id", "one observation or summary: '#12' or S3, as search prints it"),
    undo: flag("with --id: bring it back"),
    from: scopeArgs.from,
    to: scopeArgs.to,
    yes: flag("delete; without it nothing changes"),
  },
  examples: {
    "throughline forget --session 3f2a": "what is stored of it",
    "throughline forget --session 3f2a --yes": "delete it everywhere, and check again",
    "throughline forget --project . --yes": "everything of the project in this folder",
    "throughline forget --id '#12' --yes": "one observation; --undo brings it back",
    "throughline forget --from 2026-01-01 --to 2026-02-01": "what is stored of a month",
  },
  async run({ args }) {
    const { session, from, to, id } = args;
    // A folder is relative to this process, not to the worker.
    const isFolder = args.project !== undefined && /^\.{1,2}$|[/\\]/.test(args.project);
    const project = isFolder ? path.resolve(args.project ?? "") : args.project;
    const scope = defined({ session, project, from, to });
    if (id !== undefined) return forgetItem(id, args, Object.keys(scope));
    if (args.undo) throw usageError("only one item that was deleted with --id can be brought back");
    if (Object.keys(scope).length === 0) {
      throw usageError(
        "forget needs a session, a project, a period or an item",
        "--session, --project, --from and --to, or --id",
      );
    }
    return reportOf(await forget(commandContext(), scope, args.yes));
  },
});

export default { forget: forgetCommand, edit };
