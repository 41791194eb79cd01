// What the commands that look for something share: the worker is asked where one runs, the database is read where none does.
import { databaseFile, workerSocket } from "../../home/index.ts";
import { ask } from "../../ipc/index.ts";
import { SECOND, ThroughlineError } from "../../lib/index.ts";
import { openStore, type Store } from "../../store/index.ts";
import { type FinderAnswers, makeFinder, memorySources } from "../../tools/index.ts";
import { scopeFrom } from "../commands/data/database.ts";
import { surroundings } from "../surroundings.ts";

/** The database as it is, read and not written; closed whatever happens. */
export async function withReading<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ file: databaseFile(surroundings().home), mustExist: true, readOnly: true });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const PATIENCE_MS = 20 * SECOND;

/** A worker that does not know the question, or does not answer, is no reason not to answer. */
export async function askFinder<K extends keyof FinderAnswers>(
  what: K,
  request: Readonly<Record<string, unknown>>,
): Promise<FinderAnswers[K]> {
  const { home, env, cwd } = surroundings();
  const args = { ...request, folder: cwd };
  const reply = await ask(workerSocket(home), what, { args, timeoutMs: PATIENCE_MS });
  if (typeof reply === "object" && reply.ok) return reply.data as FinderAnswers[K];
  if (typeof reply === "object" && reply.error.code === "usage")
    throw new ThroughlineError("usage", reply.error.message);
  return withReading((store) =>
    makeFinder({ store, memoriesFrom: memorySources({ home, env, store }) })[what](args),
  );
}

export const filterArgs = {
  project: {
    type: "string",
    valueHint: "name",
    description: "only this project: its id, its name or a folder; `.` is this one",
  },
  session: { type: "string", valueHint: "id", description: "only this session" },
  from: { type: "string", valueHint: "time", description: "from this day or time on" },
  to: { type: "string", valueHint: "time", description: "before this day or time" },
} as const;

/** The same with the project named in full. */
export async function fullFilter(
  args: {
    [name in keyof typeof filterArgs]?: string | undefined;
  },
): Promise<Readonly<Record<string, string>>> {
  if (args.project === undefined) {
    return Object.fromEntries(
      Object.entries(args).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }
  const scope = await withReading((store) => scopeFrom(store, args));
  return Object.fromEntries(Object.entries(scope).map(([name, value]) => [name, String(value)]));
}

export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new ThroughlineError("usage", `--${name} is a whole number, not ${text}`);
}
