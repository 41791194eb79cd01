// The worked example of a compaction by notes: a session that moves its tokens from cookies to Redis, u001 to u134.
import { describe, expect, it } from "vitest";
import { apply, type LedgerEntry } from "../ledger/index.ts";
import { check, type HistoryItem, type Message } from "../messages/index.ts";
import { BOUNDARY_MARKER, boundaryRecord, relink } from "./boundary.ts";
import { attachmentsFor, boundaryMessage, keepFrom, preservedSegment } from "./index.ts";
import { defaultKeepLimits } from "./keep.ts";

const notes = [
  "# Session Title",
  "Refactor auth middleware for compliance rewrite",
  "# Current State",
  "Immediate next: finish `AuthSession.refresh()` branch.",
].join("\n");
const opening = "Below is a summary of the session so far:\n\n";

const uuid = (number: number): string => `u${String(number).padStart(3, "0")}`;
const text = (role: "user" | "assistant", words: string): Message => ({ role, content: words });
const use = (words: string, id: string, name: string, input: object): Message => ({
  role: "assistant",
  content: [
    { type: "text", text: words },
    { type: "tool_use", id, name, input },
  ],
});
const result = (id: string, content: string): Message => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content }],
});
const read = (id: string, path: string, content: string): Message[] => [
  use("Let me look.", id, "Read", { file_path: path }),
  result(id, content),
];
const sessionCode = `export class AuthSession {\n  refresh() {}\n${"  // kept in Redis\n".repeat(300)}}`;
const edit = {
  file_path: "src/auth/AuthSession.ts",
  old_string: "refresh() {}",
  new_string: "refresh() { touch(); }",
};

/** u001 to u128: what the notes have taken in. */
const early: Message[] = [
  text("user", "我们得重构 auth 中间件,legal 那边给了新要求"),
  ...read("toolu_10", "src/redis/sessionStore.ts", "export const sessionStore = 1;"),
  ...read("toolu_11", "src/auth/login.ts", "export const login = 2;"),
  use("Test first.", "toolu_12", "Skill", { skill: "systematic-debugging" }),
  result("toolu_12", "Launching skill: systematic-debugging"),
  use("Test first.", "toolu_13", "Skill", { skill: "test-driven-development" }),
  result("toolu_13", "Launching skill: test-driven-development"),
  use("The plan:", "toolu_14", "ExitPlanMode", {
    plan: "implement AuthSession.refresh with multi-device support",
  }),
  result("toolu_14", "User has approved your plan."),
  ...Array.from({ length: 117 }, (_, at) =>
    text(at % 2 === 0 ? "assistant" : "user", `Step ${at} of the migration was talked through.`),
  ),
];
/** u129 to u134. */
const recent: Message[] = [
  use("AuthSession.refresh 的主要分支我画出来了,先写核心路径。", "toolu_80", "Read", {
    file_path: "src/auth/AuthSession.ts",
  }),
  result("toolu_80", sessionCode),
  use("refresh 要更新 Redis TTL 并回写新 opaque id。写一版。", "toolu_81", "Edit", edit),
  result("toolu_81", "File edited."),
  text("user", "等下 refresh 里要考虑多设备场景"),
  text("assistant", "好,那 refresh 不能作废其它 device 的 session id。让我把设计稍微调一下……"),
];
const history: HistoryItem[] = [...early, ...recent].map((message, at) => ({ id: uuid(at + 1), message }));

describe("the worked example", () => {
  const { start } = keepFrom({
    items: history,
    lastSummarized: "u128",
    floor: 0,
    // Four of the six messages hold text, where the default asks for five.
    limits: { ...defaultKeepLimits, minTextMessages: 4 },
    weigh: () => 2_000,
  });
  const kept = history.slice(start);
  const segment = preservedSegment(history, start);
  const attachments = attachmentsFor({
    history,
    kept,
    family: "old",
    offersBefore: { tools: ["Read"], agents: ["Explore"], mcpInstructions: { docs: "ask" } },
    offersNow: { tools: ["Read"], agents: ["Explore"], mcpInstructions: { docs: "ask" } },
    sessionStart: "<session start hook output>",
  });

  it("keeps u129 to u134 and remembers head, anchor and tail", () => {
    expect([early.length, history.length]).toEqual([128, 134]);
    expect(kept.map(({ id }) => id)).toEqual(["u129", "u130", "u131", "u132", "u133", "u134"]);
    expect(segment).toEqual({ headUuid: "u001", anchorUuid: "u128", tailUuid: "u134" });
    expect(segment && boundaryRecord(segment)).toEqual({
      type: "user",
      isMeta: true,
      message: { content: "<compact boundary>" },
      compactMetadata: { preservedSegment: { headUuid: "u001", anchorUuid: "u128", tailUuid: "u134" } },
    });
  });

  it("attaches files, plan and skills, then what the session start printed, and nothing that has no reason", () => {
    expect(attachments.map(({ kind }) => kind)).toEqual([
      "file_reference",
      "plan_file_reference",
      "invoked_skills",
      "session_start",
    ]);
    const [files, ...others] = attachments.map(({ message }) => message.content);
    expect(files).toEqual([
      // Read among the kept messages and edited behind that: what stands there is not the file any more.
      {
        type: "text",
        text: `<attachment: src/auth/AuthSession.ts>\n${sessionCode.replace("() {}", "() { touch(); }")}`,
      },
      { type: "text", text: "<attachment: src/auth/login.ts>\nexport const login = 2;" },
      { type: "text", text: "<attachment: src/redis/sessionStore.ts>\nexport const sessionStore = 1;" },
    ]);
    expect(others).toEqual([
      "<plan: implement AuthSession.refresh with multi-device support>",
      "<invoked skills: test-driven-development, systematic-debugging>",
      "<session start hook output>",
    ]);
  });

  it("becomes boundary, summary, kept messages, attachments, session start, as a valid request", () => {
    const entry: LedgerEntry = {
      v: 1,
      id: "c1",
      at: "2026-01-01T00:00:00.000Z",
      by: "here",
      level: "autocompact",
      why: "the window is full",
      tip: "u134",
      edit: {
        kind: "replace-prefix",
        through: "u128",
        messages: [boundaryMessage(), text("user", opening + notes)],
        attachments: attachments.map(({ message }) => message),
        ...(segment ? { boundary: segment } : {}),
      },
    };
    const { items, messages, skipped } = apply(history, [entry]);
    expect(skipped).toEqual([]);
    expect(messages.slice(0, 2).map(({ content }) => content)).toEqual([BOUNDARY_MARKER, opening + notes]);
    expect(messages.slice(2, 8)).toEqual(recent);
    expect(messages.slice(8)).toEqual(attachments.map(({ message }) => message));
    expect(items.filter(({ meta }) => meta).length).toBe(2 + attachments.length);
    expect(check(messages)).toEqual([]);
  });

  it("is joined to the transcript again on resume, and what comes later follows", () => {
    const later: HistoryItem = { id: "u135", message: text("user", "继续") };
    const linked = segment && relink([...history, later], segment);
    expect(linked?.archived.at(-1)?.id).toBe("u128");
    expect(linked?.kept).toEqual(kept);
    expect(linked?.later).toEqual([later]);
    expect(linked?.forked).toBe(false);
  });
});
