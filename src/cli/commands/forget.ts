// `throughline forget`: shows what is kept of a session, a project or a time, deletes it everywhere, and looks again.
import path from "node:path";
import type { Belongings, ForgetReport } from "../../forget/index.ts";
import { workerSocket } from "../../home/index.ts";
import { ask, call } from "../../ipc/index.ts";
import { SECOND, ThroughlineError } from "../../lib/index.ts";
import { forgetWithoutWorker } from "../../worker/index.ts";
import { defineCommand, type Report } from "../command.ts";
import { columns, exitCodes } from "../output.ts";
import { type Surroundings, surroundings } from "../surroundings.ts";

const PATIENCE_MS = 300 * SECOND;
const SHOWN = 5;

function countOf({ rows, vault, folders, spooled, archives }: Belongings): number {
  const kept = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return kept + vault.blobs + folders.length + spooled + archives.length;
}

function listed({ rows, vault, folders, spooled, archives }: Belongings): string {
  const number = (count: number): string => count.toLocaleString("en-US");
  const some: readonly (readonly [string, number, string])[] = [
    ...Object.entries(rows).map(([name, count]) => [name, count, ""] as const),
    ["stored texts", vault.blobs, `, ${number(vault.bytes)} bytes`],
    ["session folders", folders.length, `: ${folders.slice(0, SHOWN).join(", ")}`],
    ["spooled events", spooled, ""],
    ["archives", archives.length, `: ${archives.slice(0, SHOWN).join(", ")}`],
  ];
  const lines = some
    .filter(([, count]) => count > 0)
    .map(([name, count, more]) => [name, number(count) + more]);
  return columns(lines, "  ");
}

function reportOf({ scope, found, left }: ForgetReport): Report {
  const data = { scope, found, left: left ?? null };
  const what = Object.entries(scope)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
  const nothing = `${what}: nothing is kept of it`;
  if (left === undefined) {
    const ending = "Nothing was deleted yet; --yes deletes it for good.";
    return { data, text: countOf(found) === 0 ? nothing : `${what}\n${listed(found)}\n${ending}` };
  }
  const isGone = countOf(left) === 0;
  const ending = isGone
    ? "Looked again: nothing is left. Backups, exports and the agent's own transcripts are yours to delete."
    : `Looked again, and this is left:\n${listed(left)}`;
  const exitCode = isGone ? exitCodes.ok : exitCodes.failure;
  if (countOf(found) === 0 && isGone) return { data, text: nothing };
  return { data, text: `${what}: deleted\n${listed(found)}\n${ending}`, exitCode };
}

/** A worker that runs does it itself: it alone knows what it has in hand. */
async function forget(
  { home }: Surroundings,
  scope: Readonly<Record<string, string>>,
  carryOut: boolean,
): Promise<ForgetReport> {
  const socket = workerSocket(home);
  if ((await ask(socket, "ping", { timeoutMs: 2 * SECOND })) === "absent") {
    return forgetWithoutWorker(home, scope, carryOut);
  }
  return (await call(socket, "forget", {
    args: { ...scope, carryOut },
    timeoutMs: PATIENCE_MS,
  })) as ForgetReport;
}

export default defineCommand({
  args: {
    session: { type: "string", valueHint: "id", description: "a session, by its id or the beginning of it" },
    project: { type: "string", valueHint: "name", description: "a project, by its name, id or folder" },
    from: { type: "string", valueHint: "time", description: "from this day or time on" },
    to: { type: "string", valueHint: "time", description: "before this day or time" },
    yes: { type: "boolean", description: "delete; without it you only see what would go" },
  },
  examples: [
    { line: "throughline forget --session 3f2a", does: "what is kept of it" },
    { line: "throughline forget --session 3f2a --yes", does: "delete it everywhere, and look again" },
    { line: "throughline forget --project . --yes", does: "everything of the project in this folder" },
    { line: "throughline forget --from 2026-01-01 --to 2026-02-01", does: "what is kept of a month" },
  ],
  async run({ args }) {
    const { session, from, to } = args;
    // A folder is named from here; the worker stands elsewhere.
    const isFolder = args.project !== undefined && /^\.{1,2}$|[/\\]/.test(args.project);
    const project = isFolder ? path.resolve(args.project ?? "") : args.project;
    const given = Object.entries({ session, project, from, to }).filter(([, value]) => value !== undefined);
    if (given.length === 0) {
      throw new ThroughlineError("usage", "say what to forget", {
        fix: "--session, --project, or --from and --to",
      });
    }
    const scope: Record<string, string> = Object.fromEntries(
      given.map(([name, value]) => [name, String(value)]),
    );
    return reportOf(await forget(surroundings(), scope, args.yes === true));
  },
});
