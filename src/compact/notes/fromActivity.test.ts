// Notes without a model: useful by themselves, brought up to date piece by piece, never longer than they may be.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../../test/arbitrary/history.ts";
import { assistant, result, user } from "../../../test/fixtures/compact/conversation.ts";
import type { Block, History, HistoryItem } from "../../messages/index.ts";
import { parseNotes, renderNotes } from "../index.ts";
import { overBudget } from "./budget.ts";
import { updateFromActivity } from "./fromActivity.ts";
import { safeLastId } from "./rule.ts";
import { templateProblem } from "./template.ts";

const use = (id: string, name: string, input: object): Block => ({ type: "tool_use", id, name, input });
const failed = (id: string, text: string): Block => ({ ...result(id, text), is_error: true });

/** The session of the description: an auth refactoring with an error, a correction and work that is left. */
const session: History = [
  user("u1", "Refactor the auth middleware. Never touch the /login API shape. Use Redis."),
  assistant("u2", [
    { type: "text", text: "I'll go with opaque ids rather than signed cookies." },
    use("t1", "Read", { file_path: "src/auth/middleware.ts" }),
    use("t2", "Bash", { command: "pnpm test auth/" }),
    use("t3", "Bash", { command: "ls src" }),
  ]),
  user("u3", [
    result("t1", "1→export function validate(request) {\n2→}\n3→export class Guard {}"),
    failed("t2", "Exit code 1\nError: ECONNREFUSED 6379"),
    result("t3", "auth redis"),
  ]),
  assistant("u4", [
    use("t4", "Write", { file_path: "src/auth/AuthSession.ts", content: "export class AuthSession {\n}\n" }),
    use("t5", "Bash", { command: "pnpm test auth/" }),
    use("t6", "TodoWrite", {
      todos: [
        { content: "AuthSession type", status: "completed" },
        { content: "refresh() branch", status: "in_progress" },
        { content: "multi-device tests", status: "pending" },
      ],
    }),
  ]),
  user("u5", [result("t4", "written"), result("t5", "12 passed"), result("t6", "ok")]),
  assistant("u6", "The type is there.\n\n| part | state |\n|---|---|\n| type | done |"),
  user("u7", "wait, refresh must NOT invalidate other devices"),
  assistant("u8", [
    use("t7", "Edit", { file_path: "src/auth/AuthSession.ts", new_string: "  function refreshOne() {}" }),
  ]),
  user("u9", [result("t7", "edited")]),
];

describe("notes from what happened", () => {
  const notes = parseNotes(updateFromActivity({ old: "", history: session }));

  it("say what the agent itself named as next when it was compacted", () => {
    const summary =
      "1. Primary Request and Intent: auth\n7. Pending Tasks:\n- Write docs\n8. Current Work: login tests";
    const history = [...session.slice(0, 1), { ...user("sum", summary), compactSummary: true }];
    const state = parseNotes(updateFromActivity({ old: "", history }))["Current State"];
    expect(state).toContain("- The agent's words, at the compaction: login tests\n");
    expect(state).toContain("- Next (the agent's words): Write docs");
  });

  it.each([
    ["Session Title", "Refactor the auth middleware. Never touch the /login API shape."],
    ["Current State", "- Asked: wait, refresh must NOT invalidate other devices"],
    ["Current State", "- Doing: refresh() branch\n- To do: multi-device tests"],
    ["Current State", "- Changed last: `src/auth/AuthSession.ts`"],
    ["Current State", "- Next: refresh() branch"],
    [
      "Task specification",
      "- Asked: Refactor the auth middleware. Never touch the /login API shape. Use Redis.",
    ],
    ["Files and Functions", "- `src/auth/AuthSession.ts` (written, edited): refreshOne, AuthSession"],
    ["Files and Functions", "- `src/auth/middleware.ts` (read): validate, Guard"],
    ["Workflow", "- `pnpm test auth/`: ok, 12 passed"],
    [
      "Errors & Corrections",
      "- pnpm test: Error: ECONNREFUSED 6379; passed after changes in src/auth/AuthSession.ts",
    ],
    [
      "Task specification",
      "- Asked: wait, refresh must NOT invalidate other devices (answering: The type is there.",
    ],
    ["Codebase and System Documentation", "- `src/auth/`: AuthSession.ts, middleware.ts"],
    ["Key results", "  | part | state |\n  |---|---|\n  | type | done |"],
    ["Worklog", "- wait, refresh must NOT invalidate other devices: changed AuthSession.ts"],
  ] as const)("say in %s: %s", (section, words) => {
    expect(notes[section]).toContain(words);
  });

  it("take looking around for no workflow, and an answer that is still coming for no result", () => {
    expect(notes.Workflow).not.toContain("ls src");
    expect(notes["Key results"]).not.toContain("refresh must NOT");
  });

  it("use the session's given title", () => {
    const text = updateFromActivity({ old: "", history: session, title: "Opaque auth sessions" });
    expect(parseNotes(text)["Session Title"]).toBe("Opaque auth sessions");
  });
});

describe("an update", () => {
  const stepByStep = (cuts: readonly number[]): string => {
    let [old, lastSummarizedId] = ["", undefined as string | undefined];
    for (const end of [...cuts, session.length]) {
      const history = session.slice(0, end);
      old = updateFromActivity({ old, history, lastSummarizedId });
      lastSummarizedId = safeLastId(history, lastSummarizedId);
    }
    return old;
  };

  it("gives the same in one step and in many, also when a call was open in between", () => {
    const whole = parseNotes(stepByStep([]));
    for (const cuts of [[3], [4], [2, 4, 5, 8], [6, 6, 9]]) {
      const notes = parseNotes(stepByStep(cuts));
      const sorted = (text: string): string[] => text.split("\n").sort();
      for (const section of [
        "Current State",
        "Worklog",
        "Files and Functions",
        "Errors & Corrections",
      ] as const)
        expect(sorted(notes[section])).toEqual(sorted(whole[section]));
    }
  });

  it("needs only what came after the last one, and keeps what it no longer sees", () => {
    const old = updateFromActivity({ old: "", history: session.slice(0, 6) });
    const notes = parseNotes(updateFromActivity({ old, history: session.slice(6), lastSummarizedId: "u6" }));
    expect(notes["Files and Functions"]).toContain(
      "AuthSession.ts` (edited, written): refreshOne, AuthSession",
    );
    expect(notes["Files and Functions"]).toContain("middleware.ts");
    expect(notes["Task specification"]).toContain("- Asked: Refactor the auth middleware");
    expect(notes.Worklog).toMatch(/Refactor the auth[\s\S]*wait, refresh/);
  });

  it("keeps the request of a turn whose beginning it does not see", () => {
    const old = updateFromActivity({ old: "", history: session.slice(0, 7) });
    const notes = parseNotes(updateFromActivity({ old, history: session.slice(7), lastSummarizedId: "u7" }));
    expect(notes["Current State"]).toContain("- Asked: wait, refresh must NOT");
  });

  it("leaves the words of others where they are and writes Current State anew", () => {
    const old = renderNotes({
      ...parseNotes(""),
      "Session Title": "Auth rewrite",
      "Current State": "Drafting the gateway.",
      "Files and Functions":
        "- `src/auth/middleware.ts`: validates every request\n- `docs/plan.md`: the plan",
      Learnings: "Ids must be URL-safe.\n  base58, not base64",
    });
    const notes = parseNotes(updateFromActivity({ old, history: session }));
    expect(notes["Session Title"]).toBe("Auth rewrite");
    expect(notes["Current State"]).not.toContain("Drafting");
    expect(notes["Files and Functions"]).toContain("- `src/auth/middleware.ts`: validates every request");
    expect(notes["Files and Functions"]).toContain("- `docs/plan.md`: the plan");
    expect(notes.Learnings).toContain("Ids must be URL-safe.\n  base58, not base64");
  });

  it("brings nothing back that was taken out, but says how an error ended that is still there", () => {
    const failure = "- pnpm test: Error: ECONNREFUSED 6379; ";
    const old = renderNotes({
      ...parseNotes(""),
      "Errors & Corrections": `${failure}failed when it was last run`,
    });
    const notes = parseNotes(updateFromActivity({ old, history: session, lastSummarizedId: "u6" }));
    expect(notes["Files and Functions"]).not.toContain("middleware.ts");
    expect(notes["Task specification"]).not.toContain("Refactor the auth middleware");
    expect(notes["Errors & Corrections"]).toContain(
      `${failure}passed after changes in src/auth/AuthSession.ts`,
    );
    expect(notes["Errors & Corrections"]).not.toContain("failed when it was last run");
  });

  it("lets the oldest go first, but never what was asked first", () => {
    const turns = Array.from({ length: 300 }, (_, at): HistoryItem[] => [
      user(`q${at}`, `request number ${at}: ${"please change that file too ".repeat(5)}`),
      assistant(`a${at}`, `answer number ${at}`),
    ]).flat();
    const notes = parseNotes(updateFromActivity({ old: "", history: turns }));
    const asked = notes["Task specification"].split("\n");
    expect(asked[0]).toContain("request number 0:");
    expect(asked.at(-1)).toContain("request number 299:");
    expect(asked.length).toBeLessThan(100);
    expect(notes.Worklog).toContain("request number 299:");
    expect(notes["Key results"]).toMatch(/^- On “request number 299/);
  });
});

describe("whatever happened", () => {
  const budget = { section: 200, total: 1_000 };
  const runs = { numRuns: 100 };

  it("the page keeps its form and its budget, over any number of updates", () => {
    fc.assert(
      fc.property(anyHistory, fc.array(fc.nat({ max: 40 }), { maxLength: 3 }), (history, cuts) => {
        let [old, lastSummarizedId] = ["", undefined as string | undefined];
        for (const end of [...cuts.sort((a, b) => a - b), history.length]) {
          const part = history.slice(0, end);
          old = updateFromActivity({ old, history: part, lastSummarizedId, budget });
          lastSummarizedId = safeLastId(part, lastSummarizedId);
          expect(templateProblem(old)).toBeUndefined();
          expect(overBudget(old, budget)).toBeUndefined();
        }
        expect(parseNotes(old)["Current State"]).not.toBe("");
      }),
      runs,
    );
  });

  it("the page is the same for the same messages", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const once = updateFromActivity({ old: "", history });
        expect(updateFromActivity({ old: "", history })).toBe(once);
        const lastSummarizedId = history.at(-1)?.id;
        expect(updateFromActivity({ old: once, history, lastSummarizedId })).toBe(once);
      }),
      runs,
    );
  });
});
