import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** One configuration for five suites: `npm test` (default), `--e2e`, `--pg`, `--agents` and `--soak` choose files by name. */
const suite = process.env.THROUGHLINE_SUITE ?? "unit";

const include: Record<string, string[]> = {
  unit: ["src/**/*.test.ts", "viewer/src/**/*.test.ts", "test/**/*.test.ts"],
  e2e: ["test/e2e/**/*.e2e.ts", "test/agents/live/{codex,opencode,pi}.live.ts"],
  pg: ["test/postgres/**/*.pg.ts"],
  agents: ["test/agents/**/*.live.ts"],
  soak: ["src/**/*.soak.ts", "test/**/*.soak.ts"],
};

const globalSetup: Record<string, string[]> = {
  unit: ["test/inMemory.ts"],
  e2e: ["test/e2e/setup.ts", "test/agents/setup.ts"],
  pg: ["test/postgres/setup.ts"],
  agents: ["test/agents/setup.ts"],
};

export default defineConfig({
  test: {
    include: include[suite] ?? [],
    testTimeout: suite === "soak" ? 3_600_000 : 120_000,
    hookTimeout: suite === "soak" ? 3_600_000 : 120_000,
    // A few processes for all files, not one for each: most would take longer to start than to run. One more than there
    // are cores, since some tests always wait for a worker or a command.
    ...(suite === "unit" && { maxWorkers: availableParallelism() + 1, isolate: false }),
    globalSetup: globalSetup[suite] ?? [],
    // What is waited for arrives late on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    env: { NO_COLOR: "1" },
  },
});
