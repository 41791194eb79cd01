// How fast events reach the database: batches of 100, each on disk before the next one begins.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openStore, type RedactedEvent } from "../src/store/index.ts";

const BATCH = 100;
const BATCHES = Number(process.argv[2] ?? 100);

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

const folder = mkdtempSync(path.join(tmpdir(), "throughline-bench-store-"));
try {
  const store = await openStore({ file: path.join(folder, "throughline.db") });
  const batches = Array.from({ length: BATCHES }, (_, batch) =>
    Array.from({ length: BATCH }, (_, index) => event(batch * BATCH + index)),
  );
  const started = performance.now();
  for (const batch of batches) await store.recordEvents(batch);
  const took = performance.now() - started;
  const again = performance.now();
  for (const batch of batches) await store.recordEvents(batch);
  const repeated = performance.now() - again;
  const { counts, bytes } = await store.stats();
  const rate = (ms: number): number => Math.round((BATCH * BATCHES * 1_000) / ms);
  process.stdout.write(
    `${counts.events} events of about 2.8 KB in batches of ${BATCH}: ${rate(took)} events/s; the same again: ${rate(repeated)} events/s; ${(bytes / 1e6).toFixed(1)} MB\n`,
  );
  const timed = async (name: string, work: () => Promise<unknown>): Promise<string> => {
    const begun = performance.now();
    await work();
    return `${name} ${(performance.now() - begun).toFixed(1)} ms`;
  };
  const times = [
    await timed("stats", () => store.stats()),
    await timed("a page", () => store.events({ project: "app-12345678", limit: 50 })),
    await timed("a page of a session", () => store.events({ session: "session-3", limit: 50 })),
    await timed("100 jobs", () =>
      store.lease({ kinds: ["observe"], worker: "bench", now: Date.now(), leaseMs: 60_000, limit: 100 }),
    ),
    await timed("queue", () => store.queueStats(Date.now())),
    await timed("feed", () => store.feedSince(counts.events, 100)),
    await timed("preview of forgetting", () => store.previewForget({ session: "session-3" })),
    await timed("forgetting a session", () => store.forget({ session: "session-3" })),
    await timed("check", () => store.integrityCheck()),
  ];
  process.stdout.write(`${times.join(", ")}; ${Math.round(process.memoryUsage.rss() / 1e6)} MB in memory\n`);
  await store.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
