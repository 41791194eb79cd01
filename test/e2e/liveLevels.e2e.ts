// Every one of the five levels acts in one session of the real client, each where it has an occasion.
import { describe, expect, it } from "vitest";
import { type ApiRequest, type Reply, say, tool, use } from "../scripted-api/index.ts";
import { levelsIn } from "./lanes.ts";
import { carriers, expectAccepted, liveSession, log, sentIn, tagIn } from "./liveSession.ts";
import { hasClaude } from "./world.ts";

const words = "look into the first logs";
const prompts = [
  words,
  "those were the wrong ones",
  "look into a long one",
  "tell the parts",
  "and the others",
];

/** Tokens that Claude Code keeps to: collapse leaves the newest 40,000 alone, and acts where there are many more. */
const WINDOW = "200000";
const recall = "mcp__throughline__recall";

describe.skipIf(!hasClaude).each(carriers)("a session with the live window by the %s", (carrier) => {
  it("sees all five levels act", async () => {
    const session = await liveSession(carrier, [], { enforce: { window: 1_000_000 } });
    const { world, throughline } = session;
    await throughline.must("config", "set", "collapse.enabled", "true");
    // Words of the model: no level but the last two takes them out.
    const tell = (at: number): Reply =>
      use(tool("Bash", { command: `echo part ${at}` }), {
        text: `Part ${at} is about the harbour, and the next one about the ferries. `.repeat(300),
      });
    const handleIn = ({ results }: ApiRequest) =>
      /recall (tl:\w+)/.exec(results.at(-1)?.text ?? "")?.[1] ?? "";
    const wholeWindow = {
      before: async () => void (await throughline.must("config", "set", "collapse.enabled", "false")),
    };
    const turns: readonly (readonly ((request: ApiRequest) => Reply)[])[] = [
      [...[1, 2, 3, 4, 5, 6].map((at) => () => log(at, 70)), () => say("looked into them")],
      [
        (request) =>
          use(tool("mcp__throughline__snip", { ids: [tagIn(request, words)], reason: "the wrong ones" })),
        () => say("snipped"),
      ],
      [
        () => log(7, 400),
        (request) => use(tool(recall, { handle: handleIn(request) })),
        () => log(8, 3),
        () => log(9, 3),
        () => say("looked into it"),
      ],
      [...Array.from({ length: 24 }, (_, at) => () => tell(at)), () => ({ ...say("told"), ...wholeWindow })],
      [...Array.from({ length: 16 }, (_, at) => () => tell(24 + at)), () => say("told them all")],
    ];
    const steps = turns.flat();
    let at = 0;
    world.api.play((request) =>
      request.kind === "message" && request.agent === undefined
        ? (steps[at++]?.(request) ?? say("done"))
        : say(""),
    );
    const run = await session.claude({
      prompts,
      args: ["--allowedTools", "Bash,mcp__throughline"],
      env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: WINDOW },
      timeout: 500_000,
    });
    expect(run.answers.at(-1)).toBe("told them all");
    expect(levelsIn(world)).toEqual(["budget", "snip", "microcompact", "collapse", "autocompact"]);
    const snipped = world.api.requests.find((request) => sentIn(request).includes("look into a long one"));
    expect(sentIn(snipped)).not.toContain(words);
    expectAccepted(world);
  }, 600_000);
});
