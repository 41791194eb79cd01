// Before the live suite of agents: installs each pinned agent, and says why one cannot run here.
import type { TestProject } from "vitest/node";
import { sandboxProblem } from "../e2e/sandbox.ts";
import { ensureAgent, type FoundAgent, type PinnedName, pinned } from "./pinned.ts";

export default async function setup(project: TestProject): Promise<void> {
  const problem = sandboxProblem();
  const found: Partial<Record<PinnedName, FoundAgent>> = {};
  for (const name of Object.keys(pinned) as PinnedName[])
    found[name] = problem === undefined ? await ensureAgent(name) : { problem };
  project.provide("pinnedAgents", found as Record<PinnedName, FoundAgent>);
}
