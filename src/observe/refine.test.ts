// A model's part: better words under the same names, at most one more question, and never a decision of its own.

import { describe, expect, it } from "vitest";
import { turnOfHistory } from "../../test/fixtures/turn.ts";
import { observationTypes } from "../lib/index.ts";
import type { History } from "../messages/index.ts";
import type { LanguageModel, ModelError, ModelOutcome, ModelRequest } from "../models/index.ts";
import { redactText } from "../redact/index.ts";
import { observeTurn, refineTurn } from "./index.ts";
import type { Refined } from "./refine.ts";

const secret = `sk-ant-api03-${"Q7w_9".repeat(18)}AA`;
const history: History = [
  { role: "user" as const, content: "make the login work" },
  {
    role: "assistant" as const,
    content: [
      {
        type: "tool_use",
        id: "c1",
        name: "Edit",
        input: { file_path: "/app/login.ts", old_string: "a", new_string: `key = "${secret}"` },
      },
    ],
  },
  { role: "user" as const, content: [{ type: "tool_result", tool_use_id: "c1", content: "updated" }] },
  { role: "assistant" as const, content: "login.ts sends the key now." },
].map((message, at) => ({ id: `m${at}`, message }));

/** Answers in turn, and remembers what it was asked. */
function scripted(...answers: readonly (string | ModelError)[]) {
  const asked: ModelRequest[] = [];
  const model: LanguageModel = {
    name: "scripted",
    dialect: "text",
    complete: async (request): Promise<ModelOutcome> => {
      const answer = answers[asked.length] ?? "";
      asked.push(request);
      if (typeof answer !== "string") return { ok: false, error: answer };
      return { ok: true, reply: { text: answer, blocks: [], model: "scripted" } };
    },
  };
  return { model, asked };
}

function refine(model: LanguageModel): Promise<Refined> {
  const turn = turnOfHistory(history, { folder: "/app" });
  return refineTurn({ turn, observed: observeTurn(turn), model, redact: (text) => redactText(text).text });
}

const item = {
  draft: 1,
  rows: ["r1", "a"],
  type: "feature",
  title: "Send the key at login.",
  facts: ["login.ts sends it."],
};
const answer = JSON.stringify({ observations: [item], summary: { learned: "The key was missing." } });

describe("a model's answer", () => {
  it("gives words, and leaves files, lines and sources as they are known", async () => {
    const { model, asked } = scripted(`Sure!\n\`\`\`json\n${answer}\n\`\`\``);
    const refined = await refine(model);
    expect(refined).toMatchObject({
      ok: true,
      observed: {
        observations: [
          { type: "feature", title: "Send the key at login", filesModified: ["login.ts"], sources: ["c1"] },
        ],
        summary: { request: "make the login work", learned: "The key was missing." },
      },
    });
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked)).not.toContain("sk-ant-api03");
  });

  it("is used as far as it goes when it was cut off", async () => {
    const { model } = scripted(`{"observations":[${JSON.stringify(item)},{"draft":2,"title":"cut of`);
    expect(await refine(model)).toMatchObject({
      ok: true,
      observed: { observations: [{ type: "feature" }] },
    });
  });

  it("is asked for once more when it cannot be read, without showing the turn again", async () => {
    const { model, asked } = scripted("The login works now.", answer);
    expect(await refine(model)).toMatchObject({ ok: true });
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(asked[1]?.messages)).not.toContain("login.ts");
  });

  it("is given up after that", async () => {
    const { model, asked } = scripted("one", "two", answer);
    expect(await refine(model)).toEqual({ ok: false, why: "unusable" });
    expect(asked).toHaveLength(2);
  });

  it("cannot name a draft that is not there, an unknown type, or leave a title empty", async () => {
    const types = ["decision", "bugfix", "feature", "refactor", "discovery", "change"];
    expect([...observationTypes].sort()).toEqual(types.sort());
    const odd = [
      { ...item, draft: 7 },
      { ...item, title: " " },
      { ...item, type: "magic" },
      { ...item, draft: "x" },
    ];
    const { model } = scripted(JSON.stringify({ observations: odd }));
    const refined = await refine(model);
    expect(refined.ok && refined.observed.observations.map(({ type }) => type)).toEqual(["change"]);
  });

  it("that does not come is told apart from one that never will", async () => {
    const away: ModelError = { kind: "unavailable", message: "no such program" };
    expect(await refine(scripted(away).model)).toEqual({ ok: false, why: "model", error: away });
    const refused: ModelError = { kind: "refused", message: "no" };
    expect(await refine(scripted(refused).model)).toEqual({ ok: false, why: "unusable" });
  });
});
