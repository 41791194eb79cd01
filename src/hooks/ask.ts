// Sends one request to the worker over its socket, with a deadline.

import { type Reply, request } from "../ipc/connect.ts";
import { isObject } from "../lib/index.ts";
import type { CapturedEvent } from "../spool/index.ts";
import { loadFallback } from "./onDemand.ts";

const MOST_ANSWER_BYTES = 1024 * 1024;

interface Said {
  readonly stdout: string;
  /** For the hook log. */
  readonly log: readonly string[];
}

/** `refused`: the worker answered with an error. `late`: the deadline had passed before the request. */
export type Answer = Said | Exclude<Reply, object> | "refused" | "late";

/** Never rejects. */
export async function askWorker(
  socket: string,
  args: { readonly event: CapturedEvent; readonly project: string },
  withinMs: number,
): Promise<Answer> {
  const question = { id: args.event.id, op: "answer", args };
  const limits = { withinMs, mostBytes: MOST_ANSWER_BYTES };
  const reply = await request(socket, question, limits, async (secret) =>
    (await loadFallback()).newProof(secret),
  );
  if (typeof reply === "string") return reply;
  if (!reply.ok) return "refused";
  const { stdout, log } = isObject(reply.data) ? reply.data : {};
  return { stdout: typeof stdout === "string" ? stdout : "", log: Array.isArray(log) ? log.map(String) : [] };
}
