// Serves the tools over stdio until the client leaves.
import { once } from "node:events";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { currentExclusion, type Environment, type Home } from "../home/index.ts";
import type { WorkerProgram } from "../ipc/index.ts";
import type { ModelOverrides } from "../tokens/index.ts";
import { openBackend } from "./backend.ts";
import { makeServer } from "./server.ts";

interface McpOptions {
  readonly home: Home;
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  /** How a worker is started when one is needed. */
  readonly program: WorkerProgram;
  readonly model: string;
  readonly models: ModelOverrides;
}

/** Resolves when stdin ends. Nothing but the protocol is written to stdout. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { home, cwd, env, version, program, model, models } = options;
  const session = env.CLAUDE_CODE_SESSION_ID;
  const server = makeServer(version, {
    home,
    env,
    isExcluded: currentExclusion(home, env),
    folder: env.CLAUDE_PROJECT_DIR || cwd,
    backend: openBackend({ home, program, env }),
    model,
    models,
    ...(session ? { session } : {}),
  });
  const ended = once(process.stdin, "close");
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
