// The tools on the mods lane: of the MCP server where the session has it, of the mod where it has not, and never of both.
import { describe, expect, it } from "vitest";
import { anything, on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { type Scene, modsScene as scene } from "./modsSession.ts";
import { hasClaude } from "./world.ts";

/** Our tools that the model was told of from a request on: with a schema, or by name. */
const offered = ({ world }: Scene, from = 0): string[] => {
  const told = JSON.stringify(world.api.requests.slice(from).map(({ body }) => [body.tools, body.messages]));
  return [...new Set(told.match(/mcp__[\w-]*throughline__\w+/g))].sort();
};

const shownTo = ({ world }: Scene, at: number): string =>
  world.api.requests.flatMap(({ results }) => results).find(({ id }) => id === world.api.calls[at]?.id)
    ?.text ?? "";

const names = [
  "__IMPORTANT",
  "get_observations",
  "recall",
  "save_memory",
  "search",
  "snip",
  "timeline",
  "unsnip",
];

describe.skipIf(!hasClaude)("the tools on the mods lane", () => {
  it("are the mod's in a session without the MCP server, and never offered twice in one with it", async () => {
    const command = 'for n in $(seq 1 900); do echo "entry $n of the log"; done';
    const here = await scene([
      on(prompted("begin"), use(tool("Bash", { command }))),
      {
        matches: ({ results }) => results.some(({ text }) => text.includes("saved to: ")),
        replies: [
          {
            get calls() {
              const handle = /recall (tl:\w+)/.exec(shownTo(here, 0))?.[1] ?? "";
              return [
                tool("mcp__mods-throughline__recall", { handle, lines: "500-501" }),
                tool("mcp__mods-throughline__recall", { handle: "tl:000000000000" }),
                tool("mcp__mods-throughline__snip", {}),
              ];
            },
          },
        ],
      },
      on(anything, say("done")),
    ]);
    const own = (prefix: string): string[] => names.map((name) => `mcp__${prefix}__${name}`);
    const allowed = ["--allowedTools", `Bash,${own("mods-throughline").join(",")}`];
    const alone = await here.world.claude({ prompt: "begin", args: ["--strict-mcp-config", ...allowed] });
    expect([alone.exitCode, alone.answers, alone.stderr]).toEqual([0, ["done"], ""]);
    expect(offered(here)).toEqual(own("mods-throughline"));
    expect(shownTo(here, 1)).toMatch(/entry 500 of the log\nentry 501 of the log\n(?!entry)/);
    expect(shownTo(here, 2)).toContain("tl:000000000000");
    expect(shownTo(here, 3)).toContain("begin");
    const before = here.world.api.requests.length;
    const served = await here.world.claude({ prompt: "and now", args: allowed });
    expect(served.answers).toEqual(["done"]);
    expect(offered(here, before)).toEqual(own("throughline"));
  });
});
