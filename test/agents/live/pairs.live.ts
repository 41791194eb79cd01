// One memory for four real agents: what was decided in one of them is told in every other, in the same repository.
import { expect, inject, it } from "vitest";
import { startClaude } from "../../e2e/drive.ts";
import type { PinnedName } from "../pinned.ts";
import { type AgentWorld, openAgentWorld, warmWorker } from "../world.ts";
import { codex, openCode, pi, writeCodexHome, writeOpenCodeHome, writePiHome } from "./homes.ts";

function programOf(name: PinnedName): string {
  const found = inject("pinnedAgents")[name];
  return "program" in found ? found.program : expect.fail(found.problem);
}

async function claude(world: AgentWorld, prompt: string, args: readonly string[]) {
  const { home, work: cwd, sandbox } = world;
  const run = startClaude({ binary: inject("claudeBinary"), sandbox, home, cwd, prompt, args });
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
}

interface Talker {
  /** What is decided there. */
  readonly queue: string;
  say(world: AgentWorld, prompt: string, isAgain: boolean): Promise<unknown>;
}

const again = (isAgain: boolean, ...args: readonly string[]) => (isAgain ? args : []);

const talkers: Readonly<Record<string, Talker>> = {
  "claude-code": {
    queue: "BURBOT",
    say: (world, prompt, isAgain) => claude(world, prompt, again(isAgain, "--continue")),
  },
  codex: {
    queue: "LAMPREY",
    say: (world, prompt, isAgain) =>
      codex(
        world,
        programOf("codex"),
        ...again(isAgain, "resume", "--last"),
        "--skip-git-repo-check",
        prompt,
      ),
  },
  opencode: {
    queue: "STURGEON",
    say: (world, prompt, isAgain) => openCode(world, programOf("opencode"), ...again(isAgain, "-c"), prompt),
  },
  pi: {
    queue: "GRAYLING",
    say: (world, prompt, isAgain) => pi(world, programOf("pi"), ...again(isAgain, "-c"), "-p", prompt),
  },
};

const MOST_TRIES = 20;

it("tells in each of four agents what was decided in the three others", async () => {
  const world = await openAgentWorld();
  writeCodexHome(world);
  writePiHome(world);
  writeOpenCodeHome(world, programOf("opencode"));
  await world.throughline.must("install", "--yes");
  for (const agent of ["codex", "opencode", "pi"])
    await world.throughline.must("install", "--agent", agent, "--yes", "--trust");
  for (const { queue, say } of Object.values(talkers)) {
    const options = `1. Keep the retries in the client\n2. Move the retries into the ${queue} queue`;
    world.model.script({ say: `${options}\n\nWhich one?` });
    await say(world, "Where should the retries live?", false);
    world.model.script({ say: "They will be there." });
    await say(world, "2", true);
  }
  await world.throughline.settle();
  await warmWorker(world);
  // Turns are observed after they are stored.
  for (const { queue } of Object.values(talkers))
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { out } = await world.throughline.must("search", `${queue} decision`, "--json");
      if (out.includes(`into the ${queue} queue`) && out.includes('"decision"')) break;
    }
  for (const [name, { say }] of Object.entries(talkers)) {
    const before = world.model.requests.length;
    await say(world, "What is to be done next?", false);
    const told = world.model.requests.slice(before).map(({ text }) => text);
    for (const [other, { queue }] of Object.entries(talkers))
      if (other !== name)
        expect(
          told.some((text) => text.includes(queue)),
          `${other}, told in ${name}`,
        ).toBe(true);
  }
});
