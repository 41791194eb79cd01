// Before live tests of agents: installs each pinned agent that the suite runs, and says why one cannot run here.
import type { TestProject } from "vitest/node";
import { ensureClaude } from "../e2e/claude.ts";
import { sandboxProblem } from "../e2e/sandbox.ts";
import "../e2e/setup.ts";
import { ensureAgent, type FoundAgent, type PinnedName, pinned, quickAgents } from "./pinned.ts";

export default async function setup(project: TestProject): Promise<void> {
  const problem = sandboxProblem();
  const found: Partial<Record<PinnedName, FoundAgent>> = {};
  const names = process.env.THROUGHLINE_SUITE === "e2e" ? quickAgents : (Object.keys(pinned) as PinnedName[]);
  for (const name of names) found[name] = problem === undefined ? await ensureAgent(name) : { problem };
  project.provide("pinnedAgents", found as Record<PinnedName, FoundAgent>);
  const claude = problem === undefined ? await ensureClaude() : { reason: problem };
  project.provide("claudeBinary", "binary" in claude ? claude.binary : "");
}
