// The driver itself: the real CLI answers from the scripted API, and nothing of it is left afterwards.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { delegate, delegated, on, overloaded, prompted, say, tool, use } from "../scripted-api/index.ts";
import { transcriptsIn } from "./drive.ts";
import { hasClaude, openWorld } from "./world.ts";

describe.skipIf(!hasClaude)("the real CLI in a sandbox", () => {
  it("works through tools, a failure and a subagent, and leaves a transcript", async () => {
    const world = await openWorld();
    const file = path.join(world.work, "new.txt");
    world.api.play([
      on(delegated("LOOK AROUND"), say("nothing here")),
      on(
        prompted("begin"),
        use([tool("Bash", { command: "echo hello" }), tool("Bash", { command: "exit 3" })]),
        use(tool("Write", { file_path: file, content: "written\n" })),
        use(delegate("LOOK AROUND")),
        say("all done"),
      ),
    ]);
    const run = await world.claude({ prompt: "begin" });
    expect({ code: run.exitCode, answers: run.answers, err: run.stderr }).toEqual({
      code: 0,
      answers: ["all done"],
      err: "",
    });
    expect(readFileSync(file, "utf8")).toBe("written\n");
    expect(world.api.requests.flatMap(({ results }) => results).map(({ isError }) => isError)).toContain(
      true,
    );
    expect(world.api.requests.filter(({ agent }) => agent !== undefined)).toHaveLength(1);
    expect([...transcriptsIn(world.home).keys()]).toEqual(run.sessions);
    expect(world.sandbox.processes()).toEqual([]);
  });

  it("takes several prompts in one session and survives an overloaded API", async () => {
    const world = await openWorld();
    world.api.play([on(prompted("one"), overloaded(), say("1")), on(prompted("two"), say("2"))]);
    const run = await world.claude({ prompts: ["one", "two"] });
    expect(run.answers).toEqual(["1", "2"]);
    expect(run.sessions).toHaveLength(1);
  });

  it("can be killed while it waits", async () => {
    const world = await openWorld();
    world.api.play([on(prompted("wait"), say("never", { before: () => new Promise(() => undefined) }))]);
    const running = world.start({ prompt: "wait" });
    await world.api.seen(({ prompt }) => prompt === "wait");
    expect(existsSync(`/proc/${running.pid}`)).toBe(true);
    running.kill("SIGKILL");
    expect(await running.ended).toMatchObject({ signal: "SIGKILL", timedOut: false, answers: [] });
  });

  it("reaches nothing beyond loopback", async () => {
    const world = await openWorld();
    const child = world.sandbox.spawn(["ip", "-o", "link"], { stdio: ["ignore", "pipe", "inherit"] });
    const lines: string[] = [];
    for await (const chunk of child.stdout ?? []) lines.push(String(chunk));
    const up = lines
      .join("")
      .split("\n")
      .filter((line) => line.includes("state") && !/state DOWN/.test(line));
    expect(up.map((line) => line.split(": ")[1])).toEqual(["lo"]);
  });
});
