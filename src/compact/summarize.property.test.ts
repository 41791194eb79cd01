// Whatever the conversation and however the API refuses it: every request is valid, each is smaller, and it ends.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { check } from "../messages/index.ts";
import type { LanguageModel, ModelError, ModelRequest } from "../models/index.ts";
import { TRUNCATION_MARKER } from "./prompts.ts";
import { PROMPT_TOO_LONG_RETRIES, type SummaryInput, summarize } from "./summarize.ts";
import type { SummaryForm } from "./summaryRequest.ts";

/** A model that refuses everything, once with each of these gaps and then for good. */
function refusing(gaps: readonly (number | undefined)[], sent: ModelRequest[]): LanguageModel {
  return {
    name: "refusing",
    dialect: "messages",
    complete(request) {
      const gap = gaps[sent.length];
      sent.push(request);
      const error: ModelError = {
        kind: "prompt-too-long",
        message: "prompt is too long",
        ...(gap === undefined ? {} : { gap, limit: 1_000, tokens: 1_000 + gap }),
      };
      return Promise.resolve({ ok: false, error });
    },
  };
}

/** The marker in front may be longer than the one message it stands for. */
function sizeWithoutMarker({ messages }: ModelRequest): number {
  const own = messages.filter(({ content }) => content !== TRUNCATION_MARKER);
  return JSON.stringify(own).replace(`${TRUNCATION_MARKER}\\n\\n`, "").length;
}

const anyCall = fc.record({
  history: anyHistory,
  mode: fc.constantFrom("base", "partial", "partial-up-to"),
  form: fc.constantFrom<SummaryForm>("continued", "own-call", "rendered"),
  pivot: fc.nat(),
  gaps: fc.array(fc.option(fc.integer({ min: 1, max: 5_000 }), { nil: undefined }), { maxLength: 4 }),
  window: fc.option(fc.integer({ min: 1_000, max: 40_000 }), { nil: undefined }),
});

describe("the summary call", () => {
  it("sends only what the API accepts, ever less of it, and at most four times", async () => {
    await fc.assert(
      fc.asyncProperty(anyCall, async ({ history, mode, form, pivot, gaps, window }) => {
        const sent: ModelRequest[] = [];
        const input: SummaryInput = {
          mode: mode as SummaryInput["mode"],
          history,
          pivot: history[pivot % Math.max(1, history.length)]?.id ?? "",
          main: { model: "m", tools: [{ name: "Read" }] },
          regime: "append-only",
          family: "new",
          model: refusing(gaps, sent),
          form,
          redact: (text) => text,
          ...(window === undefined ? {} : { window }),
        };
        const outcome = await summarize(input);
        expect(outcome.ok).toBe(false);
        expect(outcome.requests).toBe(sent.length);
        expect(sent.length).toBeLessThanOrEqual(PROMPT_TOO_LONG_RETRIES + 1);
        for (const { messages } of sent) expect(check(messages)).toEqual([]);
        const sizes = sent.map(sizeWithoutMarker);
        expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
        for (const request of sent.slice(1))
          if (form === "continued") expect(JSON.stringify(request.messages)).not.toContain('"signature"');
      }),
      { numRuns: 300 },
    );
  });
});
