// `throughline worker jobs`: work that was given up, with its reason, and another try.
import { existsSync } from "node:fs";
import { databaseFile, workerSocket } from "../../../home/index.ts";
import { ask, call } from "../../../ipc/index.ts";
import { isObject } from "../../../lib/index.ts";
import { openStore } from "../../../store/index.ts";
import { type GivenUpJobs, givenUpJobs } from "../../../worker/index.ts";
import { defineCommand } from "../../command.ts";
import { columns } from "../../output.ts";
import { surroundings } from "../../surroundings.ts";
import { counted } from "../../wording.ts";

const ANSWERS_WITHIN_MS = 2_000;

const isReport = (value: unknown): value is GivenUpJobs => isObject(value) && Array.isArray(value.jobs);

/** By the worker where one runs: it alone writes then. */
async function report(retry: boolean): Promise<GivenUpJobs> {
  const { home } = surroundings();
  const socket = workerSocket(home);
  if ((await ask(socket, "ping", { timeoutMs: ANSWERS_WITHIN_MS })) !== "absent") {
    const found = await call(socket, "jobs", { args: { retry } });
    if (isReport(found)) return found;
  }
  const file = databaseFile(home);
  if (!existsSync(file)) return { jobs: [], count: 0, retried: 0 };
  const store = await openStore({ file, mustExist: true });
  try {
    return await givenUpJobs(store, retry, Date.now());
  } finally {
    await store.close();
  }
}

function textOf({ jobs, count, retried }: GivenUpJobs): string {
  if (count === 0) return "no job was given up";
  const rows = jobs.map(({ id, kind, session, attempts, lastError }) => [
    String(id),
    kind,
    session ?? "",
    counted(attempts, "attempt"),
    lastError ?? "no reason was kept",
  ]);
  const more = count > jobs.length ? [`and ${count - jobs.length} more`] : [];
  const next =
    retried > 0
      ? `${counted(retried, "job")} will be tried again`
      : "try again: throughline worker jobs --retry";
  return [columns(rows), ...more, next].join("\n");
}

export default defineCommand({
  args: { retry: { type: "boolean", description: "give every one of them all its attempts back" } },
  examples: [
    { line: "throughline worker jobs", does: "what was given up, and why" },
    { line: "throughline worker jobs --retry", does: "tries all of it again" },
  ],
  async run({ args }) {
    const data = await report(args.retry === true);
    return { data, text: textOf(data) };
  },
});
