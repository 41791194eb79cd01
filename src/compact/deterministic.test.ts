// A summary without a model: fits any size, keeps the user's words, says where the rest is.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { identify } from "../../test/fixtures/history.ts";
import { conversation } from "../../test/longSession/conversation.ts";
import type { Message } from "../messages/index.ts";
import { estimateText } from "../tokens/index.ts";
import { memoryVault, nameOf, recall } from "../vault/index.ts";
import { summariseDeterministically } from "./index.ts";
import { readAhead } from "./readAhead.ts";
import { ExactMessages, renderTranscript } from "./transcriptText.ts";

const longHistory = () => identify([...conversation({ turns: 60, thinking: true, seed: 5 })]);

describe("what is read ahead", () => {
  it("changes no word and no handle of a summary, however far it went", () => {
    const about = (ahead: readonly number[]) => {
      const whole = longHistory();
      for (const end of ahead) readAhead(whole.slice(0, end));
      const history = whole.slice(0, 300);
      const made = summariseDeterministically({ history, whole, budget: 6_000, family: "new" });
      return [made.text, ...made.referred.map(({ handle }) => handle)];
    };
    const plain = about([]);
    expect(plain[0]).toContain(sections[8]);
    for (const ahead of [[64, 128, 192], [77], [299, 300], [310]]) expect(about(ahead)).toEqual(plain);
  });

  it("names the messages as the JSON of their array", () => {
    const history = longHistory();
    const exact = new ExactMessages();
    for (const end of [3, 90, 300, 40, 120]) {
      const messages = history.slice(0, end).map(({ message }) => message);
      const content = exact.contentOf(history.slice(0, end));
      expect(content.handle).toBe(nameOf(JSON.stringify(messages)).handle);
    }
  });
});

const sections = [
  "1. Primary Request and Intent:",
  "2. Key Technical Concepts:",
  "3. Files and Code Sections:",
  "4. Errors and fixes:",
  "5. Problem Solving:",
  "6. All user messages:",
  "7. Pending Tasks:",
  "8. Current Work:",
  "9. Optional Next Step:",
];

const messages: Message[] = [
  { role: "user", content: "Make refreshSessionToken safe. Never log the token." },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "t1", name: "Read", input: { file_path: "/src/session.ts" } }],
  },
  {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "t1",
        content:
          "    1→export class SessionRepository {\n    2→  refreshSessionToken(id: string) {\n    3→    const x = 1;\n",
      },
    ],
  },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "t2", name: "Bash", input: { command: "npm test" } }],
  },
  {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "t2",
        content: "Error: refreshSessionToken is not a function",
        is_error: true,
      },
    ],
  },
  { role: "assistant", content: "The test fails because refreshSessionToken is missing." },
  { role: "user", content: "then add it" },
];
const history = identify(messages);
const summary = summariseDeterministically({ history, budget: 3_000, family: "old" });

describe("the deterministic summary", () => {
  it("has the nine sections in their order", () => {
    const places = sections.map((section) => summary.text.indexOf(section));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it("states the open request, the rule, the failure, the file and every user message", () => {
    expect(summary.text).toContain("The user's latest message: then add it");
    expect(summary.text).toContain("user: Make refreshSessionToken safe. Never log the token.");
    expect(summary.text).toContain("`npm test` failed: Error: refreshSessionToken is not a function");
    expect(summary.text).toContain("/src/session.ts (read 1×; last read)");
    for (const { role, content } of messages)
      if (role === "user" && typeof content === "string") expect(summary.text).toContain(content);
  });

  it("shows lines with their number and file, unless their names stand elsewhere in the window", () => {
    expect(summary.text).toContain("in /src/session.ts:\n  1: export class SessionRepository {");
    expect(summary.text).not.toContain("2: refreshSessionToken(id: string) {");
    const shown = "SessionRepository";
    const { text } = summariseDeterministically({ history, shown, budget: 3_000, family: "old" });
    expect(text).not.toContain("1: export class SessionRepository {");
  });

  it("names handles that give everything back once the vault has it", () => {
    const vault = memoryVault();
    for (const { content } of summary.referred) vault.put(content, { session: "s" });
    const { handle } = nameOf(renderTranscript(history));
    expect(summary.text).toContain(`recall ${handle}`);
    expect(recall(vault, handle, { pattern: "SessionRepository" }).text).toContain(
      "export class SessionRepository {",
    );
  });

  it("fits any budget for any conversation, and is the same each time", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 200, max: 20_000 }), (any, budget) => {
        const made = summariseDeterministically({ history: any, budget, family: "old" });
        expect(estimateText(made.text, "old")).toBeLessThanOrEqual(budget);
        expect(summariseDeterministically({ history: any, budget, family: "old" }).text).toBe(made.text);
      }),
      { numRuns: 300 },
    );
  });

  it("fits also when single messages are enormous", () => {
    const huge = identify([
      { role: "user", content: "please look at this ".repeat(20_000) },
      ...messages.slice(1),
    ]);
    for (const budget of [300, 1_000, 5_000]) {
      const { text } = summariseDeterministically({ history: huge, budget, family: "old" });
      expect(estimateText(text, "old")).toBeLessThanOrEqual(budget);
    }
  });
});
