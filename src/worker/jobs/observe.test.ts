// What is read to observe a turn: outlines of what is around it, and its own events a part at a time.
import { describe, expect, it } from "vitest";
import { captured, keptHere } from "../../../test/worker/kept.ts";
import { promptPayload, stopPayload, toolPayload } from "../../../test/worker/payloads.ts";
import type { CapturedEvent } from "../../spool/index.ts";
import type { JobResult } from "../jobQueue.ts";
import { observingHandlers } from "./observe.ts";

const HOUR_AGO = Date.now() - 3_600_000;
const MEGABYTE = 1024 * 1024;

describe("a turn that is observed", () => {
  const kept = keptHere();

  const call = (at: number, more: Record<string, unknown> = {}): CapturedEvent =>
    captured(toolPayload("s", at, more), HOUR_AGO + at);
  const printing = (at: number, stdout: string): CapturedEvent =>
    call(at, { tool_response: { stdout, stderr: "" } });

  /** Does the work of the turn's end; gives what came of it, and the most that was read at once. */
  async function observe(
    calls: readonly CapturedEvent[],
    end = captured(stopPayload("s"), HOUR_AGO + calls.length + 1),
  ): Promise<{ result: JobResult; most: number }> {
    const begin = captured(promptPayload("s", "print it all, please"), HOUR_AGO - 1);
    const { store } = kept;
    for (const event of [begin, ...calls, end]) await kept.ingest.keep([event]);
    let most = 0;
    const handler = observingHandlers({
      store: {
        eventOutlines: store.eventOutlines,
        observations: store.observations,
        eventsById: async (ids) => {
          const events = await store.eventsById(ids);
          most = Math.max(most, JSON.stringify(events).length);
          return events;
        },
      },
      redact: (value) => value,
      hasModel: () => false,
      language: () => "en",
      // What came in just now is given time to settle.
      now: () => Date.now() + 10_000,
    }).get("summarize");
    const jobs = { worker: "w", now: Date.now(), leaseMs: 60_000, maxAttempts: 8 };
    const [job] = await store.leaseJobs({ ...jobs, kinds: ["summarize"], keys: [end.id], limit: 1 });
    if (job === undefined || handler === undefined) throw new Error("no work");
    const result = await handler(job, {
      signal: new AbortController().signal,
      join: (keys) => store.leaseJobs({ ...jobs, kinds: ["observe"], keys, limit: keys.length }),
    });
    return { result, most };
  }

  const linesOf = ({ observations = [] }: JobResult): string[] =>
    observations.flatMap(({ text = "" }) => text.split("\n"));

  it("is read in parts, however much it holds, and every call of it is told of once", async () => {
    const calls = Array.from({ length: 50 }, (_, at) =>
      call(at, {
        tool_name: "Edit",
        tool_input: { file_path: `/app/file-${at}.ts`, old_string: "1", new_string: "2" },
        tool_response: `part ${at}\n`.repeat(30_000),
      }),
    );
    const { result, most } = await observe(calls);
    expect(most).toBeLessThan(6 * MEGABYTE);
    const lines = linesOf(result);
    for (let at = 0; at < calls.length; at++)
      expect(
        lines.filter((line) => line.includes(`file-${at}.ts`)),
        `call ${at}`,
      ).toHaveLength(1);
    expect(result.summaries).toHaveLength(1);
  });

  it("marks what the turn before changed, and this one restored", async () => {
    const edit = call(1, {
      tool_name: "Edit",
      tool_input: { file_path: "/app/clock.ts", old_string: "1", new_string: "2" },
      tool_response: "updated",
    });
    const { result } = await observe([edit]);
    await kept.store.addObservations(result.observations ?? []);
    await kept.ingest.keep([captured(promptPayload("s", "that was wrong"), HOUR_AGO + 100)]);
    await kept.ingest.keep([
      captured(
        toolPayload("s", 101, { tool_input: { command: "git restore /app/clock.ts" } }),
        HOUR_AGO + 101,
      ),
    ]);
    const later = captured(stopPayload("s", { last_assistant_message: "Restored." }), HOUR_AGO + 102);
    const { revisions } = (await observe([], later)).result;
    expect(revisions?.observations).toMatchObject([
      {
        uid: result.observations?.[0]?.uid,
        title: "Undone: Edit clock.ts, asked: “print it all, please”",
        filesModified: ["/app/clock.ts"],
      },
    ]);
  });

  it("does not tell of what was looked up in the memory", async () => {
    const own = call(2, { tool_name: "mcp__throughline__search", tool_input: { query: "clock" } });
    const { result } = await observe([printing(1, "one"), own, printing(3, "three")]);
    expect(linesOf(result)).toHaveLength(2);
    expect(JSON.stringify(result)).not.toContain("throughline");
  });
});
