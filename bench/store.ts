// How fast events reach the database: batches of 100, each on disk before the next one begins.
import path from "node:path";
import { openStore, type RedactedEvent, type Store } from "../src/store/index.ts";
import type { Bench } from "./bench.ts";
import { inFolder, numberAt, rounded, timed } from "./measure.ts";

const BATCH = 100;

const output = "x".repeat(60);
const text = Array.from({ length: 40 }, (_, line) => `${line}: ${output}`).join("\n");

function event(index: number): RedactedEvent {
  const kind = index % 20 === 0 ? "prompt" : "tool";
  return {
    v: 1,
    id: `ev_${index.toString(16).padStart(24, "0")}`,
    kind,
    at: new Date(1_790_000_000_000 + index * 250).toISOString(),
    session: `session-${index % 8}`,
    project: "app-12345678",
    cwd: "/home/dev/app",
    lane: "hooks",
    writer: "0.1.0",
    payload:
      kind === "prompt"
        ? { prompt: `Change number ${index}, please` }
        : {
            tool_name: "Bash",
            tool_use_id: `toolu_${index}`,
            tool_input: { command: "npm test" },
            tool_response: { text },
          },
  };
}

const works: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  stats: (store) => store.stats(),
  "a page": (store) => store.events({ project: "app-12345678", limit: 50 }),
  "a page of a session": (store) => store.events({ session: "session-3", limit: 50 }),
  "100 jobs": (store) =>
    store.leaseJobs({
      kinds: ["observe"],
      worker: "bench",
      now: Date.now(),
      leaseMs: 60_000,
      maxAttempts: 8,
      limit: 100,
    }),
  queue: (store) => store.queueStats(Date.now()),
  feed: async (store) => store.feedSince((await store.stats()).counts.events, 100),
  "preview of forgetting": (store) => store.previewForget({ session: "session-3" }),
  "forgetting a session": (store) => store.forget({ session: "session-3" }),
  check: (store) => store.integrityCheck(),
};

export const bench: Bench = {
  name: "store",
  measures: ["src/store", "src/terms"],
  about: "How fast events reach the database: batches of 100, each on disk before the next one begins.",
  usage: "[batches]",
  async run(args) {
    const count = numberAt(args, 0, 100);
    return inFolder("store", async (folder) => {
      const store = await openStore({ file: path.join(folder, "throughline.db") });
      const batches = Array.from({ length: count }, (_, batch) =>
        Array.from({ length: BATCH }, (_, index) => event(batch * BATCH + index)),
      );
      const write = async (): Promise<void> => {
        for (const batch of batches) await store.recordEvents(batch);
      };
      const [first, again] = [await timed(write), await timed(write)];
      const { counts, bytes } = await store.stats();
      const rate = (ms: number): number => Math.round((BATCH * count * 1_000) / ms);
      const times = [];
      for (const [what, work] of Object.entries(works))
        times.push({ what, ms: rounded(await timed(() => work(store)), 1) });
      await store.close();
      const row = {
        events: counts.events,
        "events/s": rate(first),
        "the same again, events/s": rate(again),
        MB: rounded(bytes / 1e6, 1),
        "MB in memory": Math.round(process.memoryUsage.rss() / 1e6),
      };
      return {
        findings: [
          { title: "Events of about 2.8 KB", rows: [row] },
          { title: "What is asked of it", rows: times },
        ],
      };
    });
  },
};
