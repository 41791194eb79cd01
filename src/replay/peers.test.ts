// The rules of other agents, each at the edge of the numbers that it is known by.
import { describe, expect, it } from "vitest";
import { Recording } from "../../test/fixtures/replay/session.ts";
import { type History, textOf } from "../messages/index.ts";
import { CLEARED } from "../pipeline/index.ts";
import { type Policy, policies, type RecordedSession, replay } from "./index.ts";

function policy(name: string): Policy {
  const found = policies.find((one) => one.name === name);
  if (!found) throw new Error(`no policy ${name}`);
  return found;
}

/** Everything that was sent, request by request, as texts. */
function sent(name: string, session: RecordedSession): string[][] {
  const views: string[][] = [];
  const { start, ...rest } = policy(name);
  const text = (view: History): string[] =>
    view.map(({ message }) =>
      typeof message.content === "string"
        ? message.content
        : message.content.map((block) => textOf("content" in block ? block.content : block.text)).join(""),
    );
  const spied: Policy = {
    ...rest,
    start(...given) {
      const run = start(...given);
      return {
        ...run,
        view(moment) {
          const view = run.view(moment);
          views.push(text(view));
          return view;
        },
      };
    },
  };
  replay(session, spied, { ttl: "5m" });
  return views;
}

const text = (length: number, letter = "x"): string => letter.repeat(length);

/** A turn that reads a file of so many tokens, as the peers count them. */
function turn(recording: Recording, name: string, tokens: number): Recording {
  return recording
    .user(`look at ${name}`)
    .tool("Read", { file_path: `/${name}` }, `${name}${text(tokens * 4 - name.length)}`)
    .answer("seen");
}

describe("opencode", () => {
  it("cuts a result at 50 KB and at 2,000 lines before it is first sent", () => {
    const lines = Array.from({ length: 2_500 }, (_, at) => `l${at}`).join("\n");
    const session = new Recording()
      .user("go")
      .tool("Bash", {}, text(60_000))
      .tool("Bash", {}, lines)
      .answer("done")
      .session();
    const last = sent("opencode", session).at(-1);
    expect(last).toContain(text(50 * 1_024));
    expect(last?.find((shown) => shown.startsWith("l0\n"))?.split("\n")).toHaveLength(2_000);
  });

  it("clears results behind the newest 40,000 tokens and two turns, once that frees more than 20,000", () => {
    const reading = (oldest: number): string[] | undefined => {
      const recording = new Recording();
      turn(turn(recording, "oldest", oldest), "older", 10_000);
      for (const name of ["a", "b", "c", "d"]) turn(recording, name, 10_000);
      turn(recording, "e", 12_000);
      turn(recording, "f", 12_000);
      return sent("opencode-prune", recording.user("and now").answer("done").session()).at(-1);
    };
    expect(reading(10_000)?.join(" ")).not.toContain(CLEARED);
    const pruned = reading(10_001);
    expect(pruned?.filter((one) => one === CLEARED)).toHaveLength(2);
    expect([pruned?.[2], pruned?.[6]]).toEqual([CLEARED, CLEARED]);
  });

  it("keeps the newest 15,000 tokens behind the summary when 20,000 before the window's end are reached", () => {
    const recording = turn(turn(new Recording(), "old", 12_000), "kept", 12_000);
    const session = recording
      .user("and now")
      .answer("done")
      .session({ window: 116_050, summaries: ["the summary"] });
    const last = sent("opencode", session).at(-1) ?? [];
    expect(last[0]).toBe("the summary");
    expect(last.join(" ")).toContain("kept");
    expect(last.join(" ")).not.toContain("look at old");
  });
});

describe("gemini-cli", () => {
  it("shows the ends of results behind the newest 50,000 tokens once those are 30,000", () => {
    const reading = (oldest: number): string[] => {
      const recording = turn(new Recording(), "oldest", oldest);
      for (const name of ["p", "q", "a", "b", "c", "d", "e"]) turn(recording, name, 10_000);
      return sent("gemini-cli", recording.user("and now").answer("done").session()).at(-1) ?? [];
    };
    expect(reading(9_999).join(" ")).not.toContain("tool_output_masked");
    const last = reading(10_000);
    expect(last.filter((one) => one.startsWith("<tool_output_masked>\n"))).toHaveLength(3);
    expect(last[2]?.length).toBeLessThan(700);
  });

  it("asks twice for a summary at half of the window, and keeps what follows 70 % of it from a turn on", () => {
    const recording = new Recording().user(text(600, "a")).answer("b").user(text(100, "c")).answer("d");
    const session = recording
      .user(text(310, "e"))
      .answer("f")
      .session({ window: 2_000, summaries: ["the summary"] });
    expect(sent("gemini-cli", session).at(-1)).toEqual(["the summary", text(310, "e")]);
    expect(replay(session, policy("gemini-cli"), { ttl: "5m" })).toMatchObject({
      compactions: 1,
      promptTokens: 600 + 701 + 2 * (1_012 + 3_200) + (11 + 310),
    });
  });
});

describe("codex", () => {
  it("keeps the user's messages up to 20,000 tokens, the newest first, and then the summary", () => {
    const session = new Recording()
      .user(text(40_000, "a"))
      .answer("b")
      .user(text(60_000, "c"))
      .tool("Read", {}, text(10, "d"))
      .answer("e")
      .session({ window: 111_115, summaries: ["the summary"] });
    expect(sent("codex", session).at(-1)).toEqual([text(20_000, "a"), text(60_000, "c"), "the summary"]);
  });
});

describe("pi", () => {
  it("keeps the newest 20,000 tokens from a message on that may begin, and lists the files", () => {
    const session = turn(turn(turn(new Recording(), "one", 12_000), "two", 12_000), "three", 12_000)
      .user("and now")
      .answer("done")
      .session({ window: 144_000, summaries: ["the summary"] });
    const last = sent("pi", session).at(-1) ?? [];
    expect(last[0]).toBe("the summary\nfile: /one\nfile: /two\nfile: /three");
    expect(last.slice(1).join(" ")).toMatch(/^seen look at three {2}three/);
  });
});

describe("openhands", () => {
  it("condenses above 240 events to the first message, a summary and the newest 117", () => {
    const recording = new Recording().user("the task");
    for (let at = 0; at < 120; at++) recording.tool("Bash", { at }, `r${at}`);
    const quiet = recording.session({ summaries: ["the summary"] });
    expect(replay(quiet, policy("openhands"), { ttl: "5m" }).compactions).toBe(0);
    const session = recording.answer("done").session({ summaries: ["the summary"] });
    const last = sent("openhands", session).at(-1) ?? [];
    expect(last.slice(0, 2)).toEqual(["the task", "the summary"]);
    // A call is not parted from its result.
    expect(last.slice(2)).toHaveLength(116);
    expect(last.at(-1)).toBe("r119");
  });
});

it("names for every rule of another program where and when it was read", () => {
  for (const { kind, origin } of policies) {
    expect(origin !== undefined).toBe(kind === "peer" || kind === "baseline");
    if (origin) expect(origin.asOf).toMatch(/^20\d\d-\d\d/);
  }
});
