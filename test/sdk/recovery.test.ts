// A context whose prompt is refused: what is learned from the refusal, what is tried, and what the caller gets in the end.
import Anthropic, { BadRequestError } from "@anthropic-ai/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { createContext } from "../../src/sdk/index.ts";
import {
  anything,
  on,
  promptTooLong,
  type ScriptedApi,
  say,
  startScriptedApi,
} from "../scripted-api/index.ts";

let api: ScriptedApi | undefined;
afterEach(() => api?.close());

const model = "claude-opus-5";
const filler = (at: number) => `message ${at} `.repeat(400);
const conversation = Array.from({ length: 41 }, (_, at) => ({
  role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
  content: filler(at),
}));

async function contextOn(scenario: Parameters<typeof startScriptedApi>[0]) {
  api = await startScriptedApi(scenario);
  const context = createContext({
    client: new Anthropic({ baseURL: api.url, apiKey: "k", maxRetries: 0 }),
    session: "s",
    folder: "memory",
    summaries: false,
  });
  const warnings: string[] = [];
  context.on("warning", ({ code }) => warnings.push(code));
  return { api, context, warnings };
}

const request = { model, max_tokens: 100, messages: conversation };

describe("a refused prompt", () => {
  it("is compacted by the numbers in the refusal, and sent once more", async () => {
    const { api, context, warnings } = await contextOn({ enforce: { window: 45_000 } });
    const response = await context.client.messages.create(request);
    expect(response.content).toMatchObject([{ text: "Done." }]);
    expect(api.refusals).toHaveLength(1);
    expect(api.requests).toHaveLength(2);
    expect(api.requests[1]?.bytes).toBeLessThan((api.requests[0]?.bytes ?? 0) / 2);
    expect(warnings).toEqual(["prompt-too-long"]);
    // The window that was learned holds: the next request is not refused.
    await context.client.messages.create({
      ...request,
      messages: [...context.history(), { role: "user", content: filler(99) }] as typeof conversation,
    });
    expect(api.refusals).toHaveLength(1);
  });

  it("is tried with every step once, and ends in the client's own error", async () => {
    const refusals = Array.from({ length: 9 }, (_, at) => promptTooLong(900_000 - at * 100_000, 5_000_000));
    const { api, context } = await contextOn({ scenario: [on(anything, ...refusals)] });
    const failure = await context.client.messages.create(request).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(String(failure)).toContain("prompt is too long");
    expect(api.requests.length).toBeLessThanOrEqual(4);
    const sizes = api.requests.map(({ bytes }) => bytes);
    expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => b - a));
  });

  it("leaves every other refusal to the caller", async () => {
    const { api, context } = await contextOn({
      scenario: [
        on(anything, { refusal: { status: 400, type: "invalid_request_error", message: "no" } }, say("yes")),
      ],
    });
    const failure = await context.client.messages.create(request).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(api.requests).toHaveLength(1);
  });
});
