// The agents that the live suite runs, each in one version, installed once from the registry into a cache outside the project.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, inject, it } from "vitest";
import { isObject, parseJson } from "../../src/lib/index.ts";
import { cacheFolder, installOnce } from "../e2e/claude.ts";

interface PinnedAgent {
  readonly wanted: string;
  /** The program below the folder of the installation. */
  readonly program: string;
  /** Packages that are installed with it. */
  readonly beside?: readonly string[];
}

export const pinned = {
  codex: { wanted: "@openai/codex@0.166.0", program: "node_modules/@openai/codex/bin/codex.js" },
  opencode: {
    wanted: "opencode-ai@1.18.33",
    program: "node_modules/opencode-linux-x64/bin/opencode",
    // OpenCode installs it beside plugins, for which it would wait here.
    beside: ["@opencode-ai/plugin@1.18.33"],
  },
  pi: {
    wanted: "@earendil-works/pi-coding-agent@0.74.2",
    program: "node_modules/@earendil-works/pi-coding-agent/dist/cli.js",
  },
} satisfies Readonly<Record<string, PinnedAgent>>;

/** Those that the end-to-end suite runs too. */
export const quickAgents: readonly PinnedName[] = ["codex", "opencode", "pi"];

export type PinnedName = keyof typeof pinned;

export type FoundAgent = { readonly program: string } | { readonly problem: string };

declare module "vitest" {
  export interface ProvidedContext {
    /** By name: the program of each agent, or why it cannot run here. */
    pinnedAgents: Readonly<Record<PinnedName, FoundAgent>>;
  }
}

export async function ensureAgent(name: PinnedName): Promise<FoundAgent> {
  const { wanted, program, beside: options = [] }: PinnedAgent = pinned[name];
  const folder = path.join(cacheFolder(), wanted.replace(/^@/, "").replaceAll("/", "+"));
  const proof = (place: string) => path.join(place, program);
  const problem = existsSync(proof(folder))
    ? undefined
    : await installOnce({ folder, wanted, options, proof });
  return problem === undefined ? { program: proof(folder) } : { problem };
}

/** Skips that are allowed: the date and the reason of each, by the agent's name. */
function namedSkip(name: PinnedName) {
  const file = path.join(import.meta.dirname, "skips.json");
  const skips = parseJson(readFileSync(file, "utf8"));
  const skip = isObject(skips) ? skips[name] : undefined;
  return isObject(skip) && typeof skip.date === "string" && typeof skip.reason === "string"
    ? skip
    : undefined;
}

/** The tests of one agent. An agent that cannot run here fails, unless skips.json names it. */
export function describeAgent(name: PinnedName, tests: (program: string) => void): void {
  const found = inject("pinnedAgents")[name];
  if ("program" in found) describe(pinned[name].wanted, () => tests(found.program));
  else if (namedSkip(name) === undefined)
    it(`${pinned[name].wanted} can run here`, () => expect.fail(found.problem));
  else it.skip(`${pinned[name].wanted}: ${found.problem}`);
}
