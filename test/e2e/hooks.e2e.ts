// The hooks alone, with no worker to be had: every event of a real session waits in the spool, and the user sees nothing.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { resolveHome, spoolFolder } from "../../src/home/index.ts";
import { isObject, parseJson } from "../../src/lib/index.ts";
import { delegate, delegated, on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { filesHolding } from "./tree.ts";
import { hasClaude, openWorld } from "./world.ts";

const bundles = path.resolve(import.meta.dirname, "../../dist/hooks");

const bundleOf: Readonly<Record<string, string>> = {
  SessionStart: "answer",
  UserPromptSubmit: "answer",
  PostToolUse: "capture",
  PostToolUseFailure: "capture",
  Stop: "capture",
  SubagentStop: "capture",
  PreCompact: "precompact",
  PostCompact: "capture",
  SessionEnd: "capture",
};

/** Settings that call every bundle and wait for each. */
const settings = {
  hooks: Object.fromEntries(
    Object.entries(bundleOf).map(([event, bundle]) => [
      event,
      [
        {
          hooks: [
            { type: "command", command: process.execPath, args: [path.join(bundles, `${bundle}.cjs`)] },
          ],
        },
      ],
    ]),
  ),
};

interface Spooled {
  readonly kind: string;
  readonly agent: string | undefined;
  readonly call: string | undefined;
}

function spooledIn(folder: string): Spooled[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => parseJson(readFileSync(path.join(folder, name), "utf8")))
    .filter(isObject)
    .map(({ kind, agent, payload }) => ({
      kind: String(kind),
      agent: typeof agent === "string" ? agent : undefined,
      call: isObject(payload) && typeof payload.tool_use_id === "string" ? payload.tool_use_id : undefined,
    }));
}

describe.skipIf(!hasClaude)("the hooks of a session without a worker", () => {
  it("spool every event once, print nothing and hide what is private", async () => {
    const world = await openWorld();
    const file = path.join(world.home, "hooks.json");
    writeFileSync(file, JSON.stringify(settings));
    world.api.play([
      on(delegated("COUNT"), use(tool("Bash", { command: "ls" })), say("none")),
      on(
        prompted("begin"),
        use([tool("Bash", { command: "echo hello" }), tool("Bash", { command: "exit 3" })]),
        use(delegate("COUNT")),
        say("done"),
      ),
    ]);
    const run = await world.claude({ prompt: "begin <private>my own words</private>", settings: file });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
    const home = resolveHome({ env: {}, platform: process.platform, homeFolder: world.home });
    const spooled = spooledIn(spoolFolder(home));
    expect(spooled.map(({ kind }) => kind).sort()).toEqual(
      [
        "session-start",
        "prompt",
        "tool",
        "tool-failure",
        "tool",
        "subagent-stop",
        "tool",
        "stop",
        "session-end",
      ].sort(),
    );
    expect(spooled.flatMap(({ call }) => call ?? []).sort()).toEqual(
      world.api.calls.map(({ id }) => id).sort(),
    );
    expect(spooled.filter(({ kind, agent }) => kind === "tool" && agent !== undefined)).toHaveLength(1);
    expect(filesHolding(home.state, ["my own words"])).toEqual([]);
    // What the model was sent is what was typed: nothing was added on the way.
    const sent = world.api.requests.map(({ body }) => JSON.stringify(body)).join("\n");
    expect(sent).toContain("my own words");
    expect(sent).not.toMatch(/hook (success|error|additional context)/i);
  });
});
