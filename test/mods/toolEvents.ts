// Tool events of the mod against a real worker, and which of them are kept.
import type { ChildProcess } from "node:child_process";
import { call } from "../../src/ipc/index.ts";
import type { WorkerHome } from "../worker/workers.ts";
import type { Host } from "./host.ts";
import { beginSession, startWorker } from "./session.ts";

const callTool = (host: Host, at: number): Promise<unknown> =>
  host.classic("PostToolUse", {
    tool_name: "Bash",
    tool_use_id: `toolu_${at}`,
    tool_input: { command: `echo ${at}` },
    tool_response: { stdout: `${at}` },
  });

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Calls from one number on, a few of them at a time. */
export async function callTools(host: Host, from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at += 4)
    await Promise.all(numbers(Math.min(4, from + count - at)).map((one) => callTool(host, at + one)));
}

export const named = (count: number): string[] =>
  numbers(count)
    .map((at) => `toolu_${at}`)
    .sort();

/** The tool calls that are kept, once the worker has taken in everything, and the lanes that they came by. */
export async function kept(place: WorkerHome): Promise<{ calls: string[]; lanes: string[] }> {
  await call(place.socket, "drain", { timeoutMs: 60_000 });
  await call(place.socket, "shutdown", { timeoutMs: 60_000 });
  return place.withStore(async (store) => {
    const [calls, lanes]: [string[], Set<string>] = [[], new Set()];
    for (let cursor: string | undefined; ; ) {
      const page = await store.events({ limit: 500, ...(cursor === undefined ? {} : { cursor }) });
      for (const { kind, payload, lane } of page.items) {
        if (kind !== "tool") continue;
        calls.push(String(payload.tool_use_id));
        lanes.add(lane);
      }
      cursor = page.next;
      if (cursor === undefined) return { calls: calls.sort(), lanes: [...lanes].sort() };
    }
  });
}

export async function begin(place: WorkerHome): Promise<{ host: Host; worker: ChildProcess }> {
  const worker = await startWorker(place);
  return { host: await beginSession(place), worker };
}

export const end = (host: Host): Promise<unknown> => host.classic("SessionEnd", { reason: "other" });
