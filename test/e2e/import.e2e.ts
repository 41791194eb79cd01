// Transcripts of the real CLI, imported: what hooks have told adds nothing, and without hooks the same events come of them.
import { cpSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { RedactedEvent } from "../../src/store/index.ts";
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
import { hasClaude, openWorld, type World } from "./world.ts";

/** Two prompts that say the same, a subagent, a failure, a compaction, a resume and a fork. */
async function work(world: World): Promise<void> {
  const notes = path.join(world.work, "notes.txt");
  world.api.play([
    on(delegated("COUNT THE FILES"), use(tool("Bash", { command: "ls | wc -l" })), say("one file")),
    on(
      prompted("begin"),
      use(tool("Write", { file_path: notes, content: "a line\n" })),
      use(delegate("COUNT THE FILES")),
      use(tool("Bash", { command: "false" })),
      say("All set. notes.txt has a line."),
    ),
    on(compaction, summary("There were notes.")),
    on(prompted("go on"), say("went on")),
    on(prompted("go on"), say("went on again")),
    on(prompted("once more"), say("the end")),
    on(prompted("other way"), use(tool("Bash", { command: "echo fork" })), say("forked")),
  ]);
  const { sessions } = await world.claude({ prompts: ["begin", "/compact", "go on", "go on"] });
  const [session = ""] = sessions;
  await world.claude({ prompt: "once more", args: ["--resume", session] });
  await world.claude({ prompt: "other way", args: ["--resume", session, "--fork-session"] });
}

/** So much later that no process can be writing any more. */
const anHourLater = {
  NODE_OPTIONS: `--require ${path.resolve(import.meta.dirname, "../../scripts/start/shiftedClock.cjs")}`,
  SHIFT_MS: "3600000",
};

/** Hooks alone can tell how a session began and what a compaction gave; so do the ends of agents without a file. */
const readable = ({ kind, payload }: RedactedEvent): boolean =>
  !["session-start", "pre-compact", "post-compact"].includes(kind) &&
  !(kind === "subagent-stop" && String(payload.last_assistant_message).includes("<summary>"));

const told = (events: readonly RedactedEvent[]): string[] =>
  events.map(({ id, kind, session, agent }) => `${session} ${agent ?? ""} ${kind} ${id}`).sort();

describe.skipIf(!hasClaude)("transcripts of real sessions", () => {
  it("add nothing where hooks were listening, and give the same events where none were", async () => {
    const world = await openWorld();
    const live = throughlineIn(world);
    await live.must("install", "--yes");
    await work(world);
    const captured = await live.settle();
    expect(captured.sessions).toHaveLength(2);
    const { out } = await live.must("import", "--json");
    expect(JSON.parse(out).imported).toMatchObject([
      { events: {}, messages: 0 },
      { events: {}, messages: 0 },
    ]);
    expect(told((await live.settle()).events)).toEqual(told(captured.events));

    // The same transcripts, and a home that does not know them.
    const elsewhere = await openWorld();
    const later = throughlineIn(elsewhere, anHourLater);
    const [from, to] = [world, elsewhere].map(({ home }) => path.join(home, ".claude", "projects"));
    cpSync(from ?? "", to ?? "", { recursive: true });
    await later.must("import");
    const imported = await later.settle();
    const ends = ({ kind }: RedactedEvent): boolean => kind !== "session-end";
    const wanted = captured.events.filter(readable);
    expect(told(imported.events.filter(readable).filter(ends))).toEqual(told(wanted.filter(ends)));
    expect(imported.prompts.map(({ promptText, promptNumber }) => [promptNumber, promptText])).toEqual(
      captured.prompts.map(({ promptText, promptNumber }) => [promptNumber, promptText]),
    );
    // A resumed session ended twice; a transcript tells of the last time.
    const last = wanted.filter(({ kind }) => kind === "session-end").map(({ id }) => id);
    const ended = imported.events.filter(({ kind }) => kind === "session-end").map(({ id }) => id);
    expect(ended).toHaveLength(2);
    expect(last).toEqual(expect.arrayContaining(ended));
    expect(imported.sessions.map(({ status }) => status)).toEqual(["completed", "completed"]);
  });
});
