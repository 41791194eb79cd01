// Titles: where they come from, in which order, and how a prompt becomes one.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ClaudeRows, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { summarizeTranscript } from "./conversation.ts";
import type { Title } from "./model.ts";
import { promptTitle } from "./title.ts";

const folder = temporaryFolder();

const titleOf = async (rows: ClaudeRows, name?: string): Promise<Title | undefined> =>
  (await summarizeTranscript(folder.write(rows.rows, name))).title;

function conversation(): ClaudeRows {
  const rows = new ClaudeRows();
  rows.user("<local-command-caveat>not a person</local-command-caveat>", { isMeta: true });
  rows.user("fix the login\nand the rest");
  rows.say("m1", "ok");
  return rows;
}

describe("the title", () => {
  it("is the first real prompt when nothing else is there", async () => {
    expect(await titleOf(conversation())).toEqual({ text: "fix the login", source: "prompt" });
  });

  it("is not taken from a prompt that was sent again", async () => {
    const rows = new ClaudeRows();
    rows.user("first try");
    rows.say("m1", "ok");
    rows.user("second try", { parentUuid: null });
    expect(await titleOf(rows)).toEqual({ text: "second try", source: "prompt" });
  });

  it("prefers each source to the ones below it", async () => {
    const rows = conversation();
    const index = {
      entries: [
        { sessionId: "other", summary: "no" },
        { sessionId: "session-1", summary: "by index" },
      ],
    };
    folder.writeBytes(JSON.stringify(index), "indexed/sessions-index.json");
    const steps: [() => void, Title][] = [
      [() => undefined, { text: "by index", source: "index" }],
      [
        () => rows.note("summary", { summary: "of another", leafUuid: "x" }),
        { text: "of another", source: "summary" },
      ],
      [
        () => rows.note("summary", { summary: "of this", leafUuid: "uuid-3" }),
        { text: "of this", source: "summary" },
      ],
      [
        () => rows.note("summary", { summary: "of a third", leafUuid: "y" }),
        { text: "of this", source: "summary" },
      ],
      [() => rows.note("ai-title", { aiTitle: "first" }), { text: "first", source: "ai" }],
      [() => rows.note("ai-title", { aiTitle: "last" }), { text: "last", source: "ai" }],
      [() => rows.note("custom-title", { customTitle: "my name" }), { text: "my name", source: "custom" }],
      [() => rows.note("ai-title", { aiTitle: "later" }), { text: "my name", source: "custom" }],
      [() => rows.note("custom-title", { customTitle: " " }), { text: "later", source: "ai" }],
    ];
    for (const [step, expected] of steps) {
      step();
      expect(await titleOf(rows, "indexed/session.jsonl")).toEqual(expected);
    }
  });

  it("does without an index that cannot be read", async () => {
    mkdirSync(path.join(folder.path, "broken", "sessions-index.json"), { recursive: true });
    mkdirSync(path.join(folder.path, "odd"));
    writeFileSync(
      path.join(folder.path, "odd", "sessions-index.json"),
      '{"entries":[7,{"sessionId":"session-1"}]}',
    );
    for (const place of ["broken", "odd"]) {
      expect(await titleOf(conversation(), `${place}/session.jsonl`)).toMatchObject({ source: "prompt" });
    }
  });

  it("is absent when nothing was said", async () => {
    const rows = new ClaudeRows();
    rows.say("m1", "hello?");
    expect(await titleOf(rows)).toBeUndefined();
  });
});

describe("a prompt as a title", () => {
  it("is its first line that says anything, folded", () => {
    expect(promptTitle("\n\n  fix\t the   login \r\nplease")).toBe("fix the login");
  });

  it("is cut to 80 characters in any script", () => {
    expect(promptTitle("修".repeat(200))).toBe("修".repeat(80));
    expect(promptTitle("🧵".repeat(200))).toBe("🧵".repeat(80));
  });
});
