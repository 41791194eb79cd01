// Which attachments come back behind a compaction, in which shape, and within which budgets.
import { describe, expect, it } from "vitest";
import { identify } from "../../test/fixtures/history.ts";
import { type Message, textOf } from "../messages/index.ts";
import { estimateMessage, estimateText } from "../tokens/index.ts";
import { type AttachmentKind, attachmentKinds, isAttachment } from "./attachments.ts";
import { type AttachmentInput, attachmentsFor, defaultAttachmentLimits } from "./index.ts";

let serial = 0;
function call(name: string, input: object, result: string): Message[] {
  const id = `t${++serial}`;
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] },
  ];
}
const user = (content: string): Message => ({ role: "user", content });
const read = (path: string, content: string): Message[] => call("Read", { file_path: path }, content);
/** About this many tokens of text, in lines. */
const long = (tokens: number): string => "some words on a line\n".repeat(Math.ceil(tokens / 5));

type Given = Partial<AttachmentInput> & { readonly messages?: Message[]; readonly keep?: number };
function attached({ messages = [], keep = 0, ...rest }: Given) {
  const history = identify([user("go"), ...messages]);
  return attachmentsFor({
    history,
    kept: keep === 0 ? [] : history.slice(-keep),
    family: "old",
    ...rest,
  });
}
/** The texts of one kind. */
function textsOf(given: Given, kind: AttachmentKind): string[] {
  const found = attached(given).find((one) => one.kind === kind);
  const content = found?.message.content ?? [];
  return typeof content === "string" ? [content] : content.map((block) => textOf([block]));
}
const marks = (texts: readonly string[]): string[] => texts.map((one) => one.split("\n")[0] ?? "");

const everything: Given = {
  messages: read("/a", "a"),
  plan: "do it",
  skills: [{ name: "tdd" }],
  planMode: true,
  tasks: [{ id: "b1", about: "npm run dev" }],
  offersBefore: { tools: ["A", "B"], agents: ["x"], mcpInstructions: { s: "old", gone: "g" } },
  offersNow: { tools: ["B", "C"], agents: ["x", "y"], mcpInstructions: { s: "new", t: "fresh" } },
  sessionStart: "hello from the hook",
};

describe("attachments", () => {
  it("have the default budgets", () => {
    expect(defaultAttachmentLimits).toEqual({
      files: 5,
      fileTokens: 50_000,
      tokensPerFile: 5_000,
      skillTokens: 25_000,
      tokensPerSkill: 5_000,
    });
  });

  it("come in one order, the session start last", () => {
    expect(attachmentKinds).toEqual([
      "file_reference",
      "plan_file_reference",
      "invoked_skills",
      "plan_mode",
      "task_status",
      "deferred_tools_delta",
      "agent_listing_delta",
      "mcp_instructions_delta",
      "session_start",
    ]);
    expect(attached(everything).map(({ kind }) => kind)).toEqual([...attachmentKinds]);
  });

  it("are absent without a reason", () => {
    expect(attached({})).toEqual([]);
    expect(attached({ sessionStart: " \n", skills: [], tasks: [], planMode: false })).toEqual([]);
  });

  it("are user messages that are known again by their marks", () => {
    const made = attached(everything);
    expect(new Set(made.map(({ message }) => message.role))).toEqual(new Set(["user"]));
    const items = made.map(({ message }) => ({ id: "x", message, meta: true }));
    expect(items.map(isAttachment)).toEqual(attachmentKinds.map((kind) => kind !== "session_start"));
    expect(isAttachment({ id: "x", message: user("<attachment: mine>") })).toBe(false);
  });

  it("are read from the history where nothing is given", () => {
    const messages = [
      ...call("EnterPlanMode", {}, "Entered plan mode."),
      ...call("Bash", { command: "npm run dev" }, "Command running in background with ID: b7"),
      ...call("Skill", { skill: "tdd" }, "Launching skill: tdd"),
    ];
    expect(attached({ messages }).map(({ kind }) => kind)).toEqual([
      "invoked_skills",
      "plan_mode",
      "task_status",
    ]);
    expect(attached({ messages, planMode: false, tasks: [], skills: [] })).toEqual([]);
  });
});

describe("attached files", () => {
  const six = [1, 2, 3, 4, 5, 6].flatMap((at) => read(`/${at}`, `content ${at}`));

  it("are the five that were used last, the latest first", () => {
    expect(marks(textsOf({ messages: six }, "file_reference"))).toEqual(
      [6, 5, 4, 3, 2].map((at) => `<attachment: /${at}>`),
    );
  });

  it("take at most 5,000 tokens each, cut at the end of a line", () => {
    const [text = ""] = textsOf({ messages: read("/a", long(20_000)) }, "file_reference");
    expect(estimateText(text, "old")).toBeLessThanOrEqual(5_000);
    expect(estimateText(text, "old")).toBeGreaterThan(4_000);
    expect(text.split("\n").at(-2)).toBe("some words on a line");
    expect(text).toMatch(/cut here/);
  });

  it("take at most the tokens for all of them", () => {
    const messages = [1, 2, 3, 4].flatMap((at) => read(`/${at}`, long(3_000)));
    const limits = { ...defaultAttachmentLimits, fileTokens: 7_000 };
    const texts = textsOf({ messages, limits }, "file_reference");
    const sum = texts.reduce((tokens, text) => tokens + estimateText(text, "old"), 0);
    expect(texts.length).toBe(3);
    expect(sum).toBeLessThanOrEqual(7_000);
  });

  it("leave out what is read or written among the kept messages", () => {
    const messages = [
      ...read("/a", "a"),
      ...read("/b", "b"),
      ...call("Write", { file_path: "/c", content: "c" }, "ok"),
    ];
    expect(marks(textsOf({ messages, keep: 4 }, "file_reference"))).toEqual(["<attachment: /a>"]);
  });

  it("come back when the kept result was emptied, or the file was edited behind it", () => {
    const messages = read("/a", "the content");
    const history = identify([user("go"), ...messages]);
    const kept = history.slice(-2).map((item) => ({
      ...item,
      message: JSON.parse(JSON.stringify(item.message).replace("the content", "[cleared]")) as Message,
    }));
    const made = attachmentsFor({ history, kept, family: "old" });
    expect(made.map(({ message }) => textOf(message.content))).toEqual(["<attachment: /a>\nthe content"]);
    const edit = call("Edit", { file_path: "/a", old_string: "the", new_string: "new" }, "ok");
    expect(textsOf({ messages: [...messages, ...edit], keep: 4 }, "file_reference")).toEqual([
      "<attachment: /a>\nnew content",
    ]);
  });

  it("are read anew from the disk where that is possible, and left out when they are gone", () => {
    const messages = [...read("/a", "old"), ...read("/gone", "x")];
    const disk: Readonly<Record<string, string>> = { "/a": "as it is now" };
    const readFile = (path: string) => disk[path];
    expect(textsOf({ messages, readFile }, "file_reference")).toEqual(["<attachment: /a>\nas it is now"]);
  });

  it("say where a part begins", () => {
    const messages = call("Read", { file_path: "/a", offset: 40, limit: 2 }, "40→x\n41→y");
    expect(textsOf({ messages }, "file_reference")).toEqual(["<attachment: /a>\n(from line 40)\nx\ny"]);
  });
});

describe("attached skills and plan", () => {
  it("take 5,000 tokens a skill and 25,000 in all; every name is told", () => {
    const skills = [1, 2, 3, 4, 5, 6, 7].map((at) => ({ name: `s${at}`, content: long(8_000) }));
    const [names, ...texts] = textsOf({ skills }, "invoked_skills");
    expect(names).toBe("<invoked skills: s1, s2, s3, s4, s5, s6, s7>");
    const sizes = texts.map((text) => estimateText(text, "old"));
    expect(sizes.length).toBeGreaterThanOrEqual(5);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(5_000);
    expect(Math.min(...sizes.slice(0, 4))).toBeGreaterThan(4_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(25_000);
  });

  it("do not repeat instructions that are still in view", () => {
    const messages = [user("Base directory for this skill: /s/tdd\n\nred, green")];
    expect(textsOf({ messages, keep: 1 }, "invoked_skills")).toEqual(["<invoked skills: tdd>"]);
    expect(textsOf({ messages }, "invoked_skills")).toHaveLength(2);
  });

  it("put a plan of one line into the mark and a longer one below its title", () => {
    expect(textsOf({ plan: "do it" }, "plan_file_reference")).toEqual(["<plan: do it>"]);
    expect(textsOf({ plan: "# Do it\n\n1. now" }, "plan_file_reference")).toEqual([
      "<plan: Do it>\n# Do it\n\n1. now",
    ]);
  });
});

describe("changes around the messages", () => {
  it("are told as what came and what went", () => {
    expect(textsOf(everything, "deferred_tools_delta")).toEqual(["<deferred tools delta: +C, -A>"]);
    expect(textsOf(everything, "agent_listing_delta")).toEqual(["<agent listing delta: +y>"]);
    expect(textsOf(everything, "mcp_instructions_delta")).toEqual([
      "<mcp instructions delta: ~s, +t, -gone>\n[s]\nnew\n[t]\nfresh",
    ]);
  });

  it("are told only when there are any, and both sides are known", () => {
    const offers = { tools: ["A"], agents: ["x"], mcpInstructions: { s: "i" } };
    expect(attached({ offersBefore: offers, offersNow: offers })).toEqual([]);
    expect(attached({ offersNow: offers })).toEqual([]);
    expect(attached({ offersBefore: offers })).toEqual([]);
  });
});

describe("attachments under a total", () => {
  const rich: Given = {
    ...everything,
    messages: [1, 2, 3, 4, 5].flatMap((at) => read(`/${at}`, long(6_000))),
    plan: `# Plan\n${long(3_000)}`,
    skills: [{ name: "s", content: long(6_000) }],
    sessionStart: long(2_000),
  };

  it.each([0, 50, 200, 1_000, 4_000, 15_000, 100_000])("fit into %i tokens", (total) => {
    const made = attached({ ...rich, total });
    const sum = made.reduce((tokens, { message }) => tokens + estimateMessage(message, "old"), 0);
    expect(sum).toBeLessThanOrEqual(total);
    expect(sum).toBe(made.reduce((tokens, one) => tokens + one.tokens, 0));
    if (total >= 4_000) expect(made.map(({ kind }) => kind)).toEqual([...attachmentKinds]);
  });

  it("give the newest file the most", () => {
    const sizes = textsOf({ messages: rich.messages ?? [], total: 4_000 }, "file_reference").map(
      (text) => text.length,
    );
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });
});
