// Level 1 under `thrifty`: previews with handles, rereads as pointers and differences, and never more text than before.
import { describe, expect, it } from "vitest";
import {
  Client,
  call,
  result,
  resultBlock,
  shownOf,
  thriftyClient,
  user,
} from "../../../test/fixtures/pipeline/client.ts";
import type { LookCounts } from "../../economics/index.ts";
import { isPersisted } from "../../preview/index.ts";
import { recall } from "../../vault/index.ts";
import { memorySession } from "../session.ts";
import { thriftySettings } from "../settings.ts";

const { budget } = thriftySettings;
const code = (count: number, word = "value"): string =>
  Array.from(
    { length: count },
    (_, at) => `${String(at + 1).padStart(6)}→export const ${word}${at} = ${at};`,
  ).join("\n");

describe("a result that is sent for the first time", () => {
  it("is previewed above the limit of its tool, with a handle that gives all of it back", () => {
    const client = thriftyClient(undefined, { budget: { ...budget, stays: 0 } });
    const text = "line of output\n".repeat(Math.ceil((budget.resultLimit + 1) / 15));
    const { messages } = client.send(user("go"), call("t1", "Bash"), result("t1", text));
    const shown = shownOf(messages, "t1");
    expect(isPersisted(shown)).toBe(true);
    const handle = /recall (tl:[0-9a-f]{12})/.exec(shown)?.[1] ?? "";
    expect(recall(client.session.vault, handle).text).toBe(text);
    expect(recall(client.session.vault, "t1").text).toBe(text);
  });

  it("stays whole at the limit of its tool", () => {
    for (const tool of ["Bash", "Read"]) {
      const limit = budget.toolLimits[tool] ?? budget.resultLimit;
      const client = thriftyClient();
      const { messages } = client.send(user("go"), call("t1", tool), result("t1", "x".repeat(limit)));
      expect(isPersisted(shownOf(messages, "t1"))).toBe(false);
    }
  });

  /** A conversation of so many answers, each to a call with a short result. */
  const clientAfter = (answers: number, settings = budget, looks: LookCounts = {}): Client => {
    const client = new Client(
      memorySession("looks", { settings: { ...thriftySettings, budget: settings }, looks }),
    );
    client.send(user("go"));
    for (let at = 0; at < answers; at++) client.send(call(`s${at}`, "Bash"), result(`s${at}`, "ok"));
    return client;
  };
  const isCut = (client: Client, id: string, text: string, overhead = 0): boolean => {
    const { messages } = client.request([call(id, "Bash"), result(id, text)], { overhead });
    return isPersisted(shownOf(messages, id));
  };

  it("stays whole where the looks are expected to cost more than it saves", () => {
    const text = "line of output\n".repeat(900);
    expect(text.length).toBeGreaterThan(budget.resultLimit);
    // A look reads the whole prompt once more: the same text is worth a cut in a small one.
    expect(isCut(clientAfter(100), "t1", text)).toBe(true);
    const looked = clientAfter(100, budget, { Bash: { cut: 4, looked: 3 } });
    expect(isCut(looked, "t1", text, 150_000)).toBe(false);
  });

  it("is cut less where cut results of its tool were recalled, and more where they were not", () => {
    const text = "line of output\n".repeat(900);
    const counted = (looked: number): Client => clientAfter(100, budget, { Bash: { cut: 40, looked } });
    expect(isCut(counted(38), "t1", text)).toBe(false);
    expect(isCut(counted(2), "t1", text, 150_000)).toBe(true);
  });

  it("stays whole as an error up to the limit of errors", () => {
    const client = thriftyClient();
    const text = "E".repeat(budget.errorLimit);
    const { messages } = client.send(user("go"), call("t1", "Bash"), result("t1", text, { is_error: true }));
    expect(shownOf(messages, "t1")).toBe(text);
  });

  it("is never replaced by something that is hardly shorter", () => {
    const changes = { budget: { ...budget, resultLimit: 100 } };
    for (let size = 90; size < 1_500; size += 37) {
      const text = "one line\n".repeat(size).slice(0, size);
      const client = thriftyClient(undefined, changes);
      const { messages } = client.send(user("go"), call("t1", "Bash"), result("t1", text));
      const shown = shownOf(messages, "t1");
      if (shown !== text) expect(shown.length).toBeLessThan(text.length * 0.8);
    }
  });
});

describe("a file that is read again", () => {
  const read = (id: string): ReturnType<typeof call> => call(id, "Read", { file_path: "/app/a.ts" });

  it("unchanged is a pointer to the copy in view, and can still be recalled", () => {
    const client = thriftyClient();
    client.send(user("go"), read("t1"), result("t1", code(60)));
    const { messages, receipt } = client.send(read("t2"), result("t2", code(60)));
    expect(shownOf(messages, "t2")).toMatch(/^\[Unchanged: the same 60 lines as in the result of t1 above\./);
    expect(receipt.edits.map(({ why }) => why)).toContain("the same as a result in view");
    expect(recall(client.session.vault, "t2").text).toBe(code(60));
  });

  it("after an edit is the difference", () => {
    const client = thriftyClient();
    client.send(user("go"), read("t1"), result("t1", code(60)));
    client.send(call("t2", "Edit", { file_path: "/app/a.ts", new_string: "changed" }), result("t2", "done"));
    const text = code(60).replace("value30 = 30", "value30 = 31");
    const shown = shownOf(client.send(read("t3"), result("t3", text)).messages, "t3");
    expect(shown).toContain("    31→export const value30 = 31;");
    expect(shown).not.toContain("value29");
    expect(recall(client.session.vault, "t3").text).toBe(text);
  });

  it("is whole when the copy is not in view any more, or leaves with this very request", () => {
    const client = thriftyClient();
    const filler = Array.from({ length: thriftySettings.microcompact.keepRecent + 1 }, (_, at) => `f${at}`);
    client.send(user("go"), read("t1"), result("t1", code(60)));
    for (const id of filler) client.send(call(id, "Bash"), result(id, `${"some output ".repeat(50)}${id}`));
    client.wait(6);
    const { messages } = client.send(read("t9"), result("t9", code(60)));
    expect(shownOf(messages, "t1")).toMatch(/^\[Old tool result content cleared\]/);
    expect(shownOf(messages, "t9")).toBe(code(60));
  });

  it("is whole when the other copy comes with the same message: that one may become a preview itself", () => {
    const client = thriftyClient();
    const twice = {
      role: "assistant" as const,
      content: ["t1", "t2"].map((id) => ({ type: "tool_use", id, name: "Read", input: { file_path: "/a" } })),
    };
    const { messages } = client.send(
      user("go"),
      twice,
      user([resultBlock("t1", code(60)), resultBlock("t2", code(60))]),
    );
    expect(shownOf(messages, "t1")).toBe(code(60));
    expect(shownOf(messages, "t2")).toBe(code(60));
  });

  it("is not compared with another file", () => {
    const client = thriftyClient();
    client.send(user("go"), read("t1"), result("t1", code(60)));
    const other = call("t2", "Read", { file_path: "/app/b.ts" });
    expect(shownOf(client.send(other, result("t2", code(60))).messages, "t2")).toBe(code(60));
  });
});
