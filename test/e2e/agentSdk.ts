// The Agent SDK in one pinned version, installed once beside the CLI that it drives.
import { existsSync } from "node:fs";
import path from "node:path";
import { cacheFolder, installOnce } from "./claude.ts";

const SDK_VERSION = "0.3.325";

/** Either the module to import, or the reason why it cannot be had here. */
export type AgentSdk = { readonly module: string } | { readonly reason: string };

const moduleIn = (folder: string): string =>
  path.join(folder, "node_modules", "@anthropic-ai", "claude-agent-sdk", "sdk.mjs");

/** Without its own copy of the CLI, which is the same program and weighs 350 MB. */
export async function ensureAgentSdk(): Promise<AgentSdk> {
  const folder = path.join(cacheFolder(), `agent-sdk-${SDK_VERSION}`);
  const module = moduleIn(folder);
  if (existsSync(module)) return { module };
  const problem = await installOnce({
    folder,
    wanted: `@anthropic-ai/claude-agent-sdk@${SDK_VERSION}`,
    options: ["--omit=optional"],
    proof: moduleIn,
  });
  return problem === undefined ? { module } : { reason: problem };
}
