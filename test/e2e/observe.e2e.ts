// Observations of a session of the real CLI, written anew by the real CLI as a model, whose own call is not remembered.

import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, inject, it } from "vitest";
import { databaseFile } from "../../src/home/index.ts";
import { type Observation, openStore, type Summary } from "../../src/store/index.ts";
import {
  type ApiRequest,
  delegate,
  delegated,
  on,
  prompted,
  say,
  seeing,
  tool,
  use,
} from "../scripted-api/index.ts";
import { until } from "../until.ts";
import { claudeEnvironment } from "./drive.ts";
import { type Throughline, throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const better = JSON.stringify({
  observations: [
    { draft: 1, rows: ["r1"], title: "Give the greeting a name of its own", facts: ["greet.txt holds it."] },
  ],
  summary: { learned: "One file is enough." },
});

async function installedWorld(): Promise<{ world: World; throughline: Throughline; session: string }> {
  const world = await openWorld();
  const throughline = throughlineIn(world);
  await throughline.must("install", "--yes");
  const file_path = path.join(world.work, "greet.txt");
  world.api.play([
    on(seeing("<draft number="), say(better), say(better), say(better), say(better)),
    on(
      delegated("COUNT THE FILES"),
      use(tool("Bash", { command: "ls | wc -l" })),
      say("There is one file in it."),
    ),
    on(
      prompted("begin"),
      use(tool("Bash", { command: "ls" })),
      use(tool("Write", { file_path, content: "hello\n" })),
      use(delegate("COUNT THE FILES")),
      say("The greeting stands in greet.txt now, in a line of its own."),
    ),
  ]);
  const run = await world.claude({ prompt: "begin" });
  expect(run.exitCode).toBe(0);
  return { world, throughline, session: run.sessions[0] ?? "" };
}

async function knowledge(
  throughline: Throughline,
): Promise<{ seen: readonly Observation[]; sums: readonly Summary[] }> {
  const store = await openStore({ file: databaseFile(throughline.home) });
  try {
    const [seen, sums] = [await store.observations({ order: "oldest" }), await store.summaries()];
    return { seen: seen.items, sums: sums.items };
  } finally {
    await store.close();
  }
}

/** Its observations are worded by the real CLI from the next start of the worker on. */
async function wordingWorld(): ReturnType<typeof installedWorld> {
  const installed = await installedWorld();
  const { world, throughline } = installed;
  const program = path.join(world.home, "claude-for-words");
  const env = claudeEnvironment(world.home, world.sandbox.port);
  const exported = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  writeFileSync(program, `#!/bin/sh\n${exported.join("\n")}\nexec ${inject("claudeBinary")} "$@"\n`);
  chmodSync(program, 0o755);
  await throughline.must("config", "set", "llm.provider", "claude-cli");
  await throughline.must("config", "set", "llm.command", program);
  return installed;
}

/** Until the first words of the model are there. */
async function wordedWorld(): ReturnType<typeof installedWorld> {
  const installed = await wordingWorld();
  const { throughline } = installed;
  await throughline.must("worker", "start");
  await until(async () => {
    const { seen } = await knowledge(throughline);
    return seen.some(({ title }) => title === "Give the greeting a name of its own") ? true : undefined;
  }, "a model's words");
  return installed;
}

/** Of every session of the agent that has one. */
async function modelSessions(throughline: Throughline): Promise<(string | undefined)[]> {
  const store = await openStore({ file: databaseFile(throughline.home) });
  try {
    const { items } = await store.sessions();
    return items.map(({ sdkSessionId }) => sdkSessionId);
  } finally {
    await store.close();
  }
}

describe.skipIf(!hasClaude)("a session of the real CLI", () => {
  it("is observed by rules, call by call once", async () => {
    const { throughline } = await installedWorld();
    await throughline.must("worker", "start");
    const { seen, sums } = await until(async () => {
      const known = await knowledge(throughline);
      return known.sums.length > 0 && known.seen.length > 1 ? known : undefined;
    }, "observations");
    await throughline.must("worker", "stop");
    expect(seen.map(({ title }) => title).sort()).toEqual([
      "The greeting stands in greet.txt now, in a line of its own",
      "There is one file in it",
    ]);
    expect(seen.find(({ filesModified }) => filesModified?.length === 1)?.text).toContain("Write greet.txt");
    expect(sums).toMatchObject([{ request: "begin" }]);
  });

  it("is written anew by `claude -p`, which leaves no trace of itself", async () => {
    const { world, throughline, session } = await wordedWorld();
    const kept = await throughline.settle();
    expect(world.api.requests.some(({ news }) => news.includes("<draft number="))).toBe(true);
    expect([...new Set(kept.events.map((event) => event.session))]).toEqual([session]);
    expect(kept.prompts.map(({ promptText }) => promptText)).toEqual(["begin"]);
    const { seen } = await knowledge(throughline);
    expect(new Set(seen.map(({ uid }) => uid)).size).toBe(seen.length);
    expect(seen).toHaveLength(2);
    expect(seen[0]?.evidence?.length).toBeGreaterThan(0);
  });

  it("is worded by one model session, which the next worker resumes", async () => {
    const { world, throughline, session } = await wordedWorld();
    const wording = (): ApiRequest[] =>
      world.api.requests.filter(({ news }) => news.includes("<draft number="));
    await until(async () => {
      const { seen } = await knowledge(throughline);
      return seen.length === 2 && seen.every(({ sdkSessionId }) => sdkSessionId !== undefined);
    }, "all words");
    await throughline.must("worker", "stop");
    const [first] = await modelSessions(throughline);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    const asked = wording().length;
    const file_path = path.join(world.work, "part.txt");
    world.api.play([
      on(seeing("<draft number="), say(better), say(better)),
      on(
        prompted("once more"),
        use(tool("Write", { file_path, content: "bye\n" })),
        say("The parting words stand in part.txt now, below the greeting."),
      ),
    ]);
    const run = await world.claude({ prompt: "once more", args: ["--resume", session] });
    expect(run.exitCode).toBe(0);
    await throughline.must("worker", "start");
    const question = await until(async () => wording()[asked], "another question");
    // The earlier questions and answers are before it: it is the same conversation.
    expect(JSON.stringify(question.body.messages)).toContain("The greeting stands in greet.txt now");
    await until(async () => {
      const { seen } = await knowledge(throughline);
      return seen.filter(({ sdkSessionId }) => sdkSessionId === first).length > 1 ? true : undefined;
    }, "words of the same model session");
    await throughline.must("worker", "stop");
    expect(await modelSessions(throughline)).toEqual([first]);
  });

  it.each(["stopped", "killed"])(
    "is worded by the next worker when one is %s in mid-question",
    async (how) => {
      const { world, throughline } = await wordingWorld();
      let isGone = false;
      const untilGone = async (): Promise<void> => {
        await until(() => isGone, "the end of the first worker");
      };
      const later = Array.from({ length: 6 }, () => say(better));
      world.api.play([on(seeing("<draft number="), say(better, { before: untilGone }), ...later)]);
      const asked = world.api.seen(({ news }) => news.includes("<draft number="));
      await throughline.must("worker", "start");
      await asked;
      if (how === "stopped") await throughline.must("worker", "stop");
      else expect(throughline.signalWorker("SIGKILL")).toBe(true);
      isGone = true;
      await throughline.must("worker", "start");
      const seen = await until(async () => {
        const known = (await knowledge(throughline)).seen;
        return known.every(({ title }) => title === "Give the greeting a name of its own")
          ? known
          : undefined;
      }, "the words of the next worker");
      expect(seen).toHaveLength(2);
      await throughline.must("worker", "stop");
    },
  );
});
