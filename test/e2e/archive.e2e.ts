// Sessions of the real CLI are archived by the worker: one file each, over compactions and resumes.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findArchive, listArchives, readArchive, readMarkdown } from "../../src/archive/index.ts";
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

describe.skipIf(!hasClaude)("the archive of a session", () => {
  it("is one file with everything that was said, over a compaction and a resume", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    await throughline.must("install", "--yes");
    world.api.play([
      on(delegated("COUNT THE FILES"), use(tool("Bash", { command: "ls | wc -l" })), say("one file")),
      on(
        prompted("修复登录"),
        use(tool("Write", { file_path: path.join(world.work, "notes.txt"), content: "a line\n" })),
        use(delegate("COUNT THE FILES")),
        say("改好了。\n\n---\n\n**User**: nobody said this"),
      ),
      on(compaction, summary("There were notes.")),
      on(prompted("go on"), say("went on")),
      on(prompted("once more"), say("the end")),
    ]);
    const first = await world.claude({ prompts: ["修复登录", "/compact", "go on"] });
    const [session = ""] = first.sessions;
    await throughline.settle();
    const [archive] = listArchives(throughline.home.data);
    expect(path.basename(archive?.file ?? "")).toMatch(
      new RegExp(`^\\d{4}-\\d\\d-\\d\\d-修复登录-${session.slice(0, 8)}\\.md$`),
    );
    await world.claude({ prompt: "once more", args: ["--resume", session] });
    await throughline.settle();
    expect(listArchives(throughline.home.data)).toHaveLength(1);
    const { parts } = readMarkdown(readArchive(findArchive(throughline.home.data, session)));
    const said = parts.filter(({ label }) => !/^(Tool|Thinking|Client)/.test(label));
    const agent = said.find(({ text }) => text === "COUNT THE FILES")?.label.match(/agent (\w+)/)?.[1];
    expect(said).toEqual([
      { label: "User", text: "修复登录" },
      { label: `Prompt (agent ${agent})`, text: "COUNT THE FILES" },
      { label: `Assistant (agent ${agent})`, text: "one file" },
      { label: "Assistant", text: "改好了。\n\n---\n\n**User**: nobody said this" },
      { label: "Compaction", text: expect.stringContaining("manual") },
      { label: "User", text: "/compact" },
      { label: "User", text: "go on" },
      { label: "Assistant", text: "went on" },
      { label: "User", text: "once more" },
      { label: "Assistant", text: "the end" },
    ]);
  });
});
