// Tools of the model in a session whose requests are edited: what it snips by its tag leaves the next request, and comes back.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type ApiRequest, say, tool, use } from "../scripted-api/index.ts";
import { carriers, expectAccepted, liveSession, log, mainRequests, sentIn, tagIn } from "./liveSession.ts";
import type { Throughline } from "./throughline.ts";
import { hasClaude } from "./world.ts";

const words = "look into the first log";
const prompts = [words, "snip it", "bring it back", "recall it"];

/** The handle of the turn that was taken out, from the session's ledger. */
function removedHandle({ home }: Throughline): string {
  const files = readdirSync(home.data, { recursive: true, encoding: "utf8" });
  const ledger = files.find((name) => name.endsWith("ledger.jsonl"));
  const lines = ledger === undefined ? "" : readFileSync(path.join(home.data, ledger), "utf8");
  const removal = lines.split("\n").find((line) => line.includes('"remove-turn"') && line.includes("tl:"));
  return /tl:[0-9a-f]{12}/.exec(removal ?? "")?.[0] ?? "";
}

describe.skipIf(!hasClaude).each(carriers)("the tools of a session edited by the %s", (carrier) => {
  it("snip a turn by its tag, bring it back, and recall what was cut", async () => {
    const session = await liveSession(carrier);
    const { world, throughline } = session;
    // Without a price policy a snip does not wait for a better time.
    await throughline.must("config", "set", "policy", "seed");
    let tag = "";
    let step = 0;
    const called = (name: string, input: Record<string, unknown>) =>
      use(tool(`mcp__throughline__${name}`, input));
    world.api.play((request: ApiRequest) => {
      if (request.kind !== "message" || request.agent !== undefined) return say("");
      tag ||= tagIn(request, words);
      const handle = removedHandle(throughline);
      return (
        [
          log(1),
          say("read"),
          called("snip", { ids: [tag], reason: "not needed" }),
          say("snipped"),
          called("unsnip", { ids: [`[id:${tag}]`] }),
          say("back"),
          called("recall", { handle, pattern: "log 1 line 70:" }),
        ][step++] ?? say("done")
      );
    });
    const run = await session.claude({
      prompts,
      args: ["--allowedTools", "Bash,mcp__throughline"],
    });
    expect(run.answers).toEqual(["read", "snipped", "back", "done"]);
    const [, before, , left, asked, back, , last] = mainRequests(world);
    expect(sentIn(before)).toContain(words);
    expect(left?.results.at(-1)?.text).toContain(`${tag}: leaves with the next request`);
    for (const request of [left, asked]) {
      expect(sentIn(request)).not.toContain(words);
      expect(sentIn(request)).not.toContain("log 1 line 1:");
    }
    expect(back?.results.at(-1)?.text).toContain(`${tag}: is back with the next request`);
    expect(sentIn(back)).toContain(words);
    expect(sentIn(back)).toContain("log 1 line 1:");
    expect(last?.results.at(-1)?.text).toMatch(/log 1 line 70: nothing to see/);
    expectAccepted(world);
  }, 180_000);
});
