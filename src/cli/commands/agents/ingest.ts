// `throughline ingest`: events of any agent from standard input, one JSON object a line, into the worker.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { MOST_EVENTS } from "../../../gateway/index.ts";
import { workerSocket } from "../../../home/index.ts";
import { ask } from "../../../ipc/index.ts";
import { isObject, parseJson, SECOND, ThroughlineError } from "../../../lib/index.ts";
import { defineCommand } from "../../command.ts";
import { commandContext } from "../../context.ts";
import { counted, exitCodes } from "../../output.ts";
import { ensureWorker } from "../../runningWorker.ts";

const INGEST_TIMEOUT_MS = 30 * SECOND;
const AGAIN_MS = SECOND;
/** After so long a worker that is busy is not waited for any longer. */
const MOST_TRIES = 120;
const BATCH_CHARACTERS = 4 * 1024 * 1024;

interface Line {
  readonly number: number;
  readonly event: unknown;
  readonly size: number;
}

interface Rejected {
  readonly line: number;
  readonly problem: string;
}

interface Totals {
  accepted: number;
  left: number;
  readonly rejected: Rejected[];
}

/** Sends events, and waits while the worker has too much to store. Throws `usage` for an event that is not valid. */
async function send(events: readonly unknown[]) {
  const context = commandContext();
  for (let tries = 1; ; tries++) {
    const reply = await ask(workerSocket(context.home), "ingest", {
      args: { events },
      timeoutMs: INGEST_TIMEOUT_MS,
    });
    if (typeof reply === "object" && reply.ok && isObject(reply.data)) return reply.data;
    const { code, message } =
      typeof reply === "object" && !reply.ok
        ? reply.error
        : { code: "worker-absent", message: String(reply) };
    if (code === "usage") throw new ThroughlineError("usage", message);
    if (tries === MOST_TRIES || (code !== "busy" && code !== "worker-absent"))
      throw new ThroughlineError(
        "worker-failed",
        `the worker does not take events (${code}): ${message}`,
        "see `throughline worker logs`, then send the same lines again: an event is stored once",
      );
    if (code === "busy") await sleep(AGAIN_MS);
    else await ensureWorker(context);
  }
}

/** Sends the lines together; where one is wrong, one by one, so that the others are stored. */
async function sendBatch(lines: readonly Line[], totals: Totals) {
  const add = (data: Readonly<Record<string, unknown>>) => {
    totals.accepted += Number(data.accepted);
    totals.left += Number(data.left);
  };
  if (lines.length === 0) return;
  try {
    add(await send(lines.map(({ event }) => event)));
  } catch (error) {
    if (!(error instanceof ThroughlineError) || error.code !== "usage") throw error;
    const [only] = lines;
    if (lines.length === 1 && only !== undefined)
      totals.rejected.push({ line: only.number, problem: error.message.replace(/^events\.0\.?/, "") });
    else for (const line of lines) await sendBatch([line], totals);
  }
}

async function ingestLines(input: NodeJS.ReadableStream): Promise<Totals> {
  const totals: Totals = { accepted: 0, left: 0, rejected: [] };
  let [batch, size, number]: [Line[], number, number] = [[], 0, 0];
  const flush = async () => {
    const sent = batch;
    [batch, size] = [[], 0];
    await sendBatch(sent, totals);
  };
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (text.trim() === "") continue;
    const event = parseJson(text);
    if (!isObject(event)) totals.rejected.push({ line: number, problem: "is not a JSON object" });
    else batch.push({ number, event, size: text.length });
    size += text.length;
    if (batch.length === MOST_EVENTS || size > BATCH_CHARACTERS) await flush();
  }
  await flush();
  return totals;
}

const SHOWN_LINES = 20;

const ingest = defineCommand({
  examples: {
    "my-agent --events | throughline ingest": "store what an agent reports",
    "cat session.jsonl | throughline ingest --json": "a recorded session, with the counts as JSON",
  },
  async run() {
    const totals = await ingestLines(process.stdin);
    const { accepted, left, rejected } = totals;
    return {
      data: totals,
      text: [
        `accepted: ${counted(accepted, "event")}`,
        left > 0 && `left out: ${counted(left, "event")} of an excluded folder, or while capture is paused`,
        ...rejected.slice(0, SHOWN_LINES).map(({ line, problem }) => `line ${line}: ${problem}`),
        rejected.length > SHOWN_LINES && `and ${rejected.length - SHOWN_LINES} more lines that are not valid`,
      ],
      exitCode: rejected.length === 0 ? exitCodes.ok : exitCodes.degraded,
    };
  },
});

export default { ingest };
