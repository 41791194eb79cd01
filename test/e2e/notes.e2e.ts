// Notes of a session of the real CLI: kept while it runs, of its main thread alone, and of a compaction.
import { describe, expect, it } from "vitest";
import { notesFolder, readNotes, readNotesState } from "../../src/compact/index.ts";
import { findSession } from "../../src/home/index.ts";
import {
  compaction,
  delegate,
  delegated,
  on,
  prompted,
  say,
  summary,
  tool,
  use,
} from "../scripted-api/index.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld } from "./world.ts";

const long = "and there is more to say about that. ".repeat(800);

describe.skipIf(!hasClaude)("a session's notes", () => {
  it("say what was asked and done, without what a subagent did by itself", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    await throughline.must("install", "--yes");
    world.api.play([
      on(
        delegated("COUNT THE FILES"),
        use(tool("Bash", { command: "true only-the-subagent" })),
        say("one file"),
      ),
      on(
        prompted("begin"),
        use(tool("Bash", { command: "true the-build" })),
        use(delegate("COUNT THE FILES")),
        say(`The first part is done, ${long}`),
      ),
      on(
        prompted("go on"),
        use(tool("Bash", { command: "exit 3" })),
        say(`The second part is done, ${long}`),
      ),
      on(compaction, summary("They built it.")),
    ]);
    const run = await world.claude({ prompts: ["begin", "go on", "/compact"] });
    expect(run.exitCode).toBe(0);
    await throughline.settle();
    const [session = ""] = run.sessions;
    const folder = notesFolder(findSession(throughline.home, session));
    const text = readNotes(folder)?.text ?? "";
    expect(text).toContain("- Asked: begin");
    expect(text).toContain("- `true the-build`: ok");
    expect(text).toContain("exit 3");
    expect(text).not.toContain("only-the-subagent");
    expect(readNotesState(folder)).toMatchObject({ by: "activity", size: { compactions: 1 } });
    const shown = await throughline.must("notes", session);
    expect(shown.out.trim()).toBe(text.trim());
  });
});
