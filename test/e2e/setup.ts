// Before the end-to-end suite: is the real CLI here, and may it run in a sandbox? If not, the suite is skipped aloud.
import type { TestProject } from "vitest/node";
import { ensureClaude } from "./claude.ts";
import { sandboxProblem } from "./sandbox.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The program, or an empty string. */
    claudeBinary: string;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const problem = sandboxProblem();
  const claude = problem === undefined ? await ensureClaude() : { reason: problem };
  if ("reason" in claude) console.warn(`\nthroughline: the end-to-end suite is skipped: ${claude.reason}\n`);
  project.provide("claudeBinary", "binary" in claude ? claude.binary : "");
}
