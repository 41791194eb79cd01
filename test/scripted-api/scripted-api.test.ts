// The scripted API as a client meets it: replies, streams, errors, counts, and what it remembers.
import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/lib/index.ts";
import {
  anything,
  compaction,
  counting,
  delegate,
  delegated,
  on,
  overloaded,
  prompted,
  promptTooLong,
  rateLimited,
  type Scenario,
  type ScriptedApi,
  type ScriptedApiOptions,
  say,
  seeing,
  startScriptedApi,
  summary,
  tool,
  use,
} from "./index.ts";

let api: ScriptedApi | undefined;
afterEach(() => api?.close());

async function start(scenario: Scenario, more: ScriptedApiOptions = {}): Promise<ScriptedApi> {
  api = await startScriptedApi({ scenario, ...more });
  return api;
}

interface Ask {
  readonly messages: readonly JsonObject[];
  readonly stream?: boolean;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

function post({ url }: ScriptedApi, { messages, stream = false, headers = {}, path = "/v1/messages" }: Ask) {
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "test-model", max_tokens: 100, messages, stream }),
  });
}

/** As much of an answer as these tests look at. */
interface Answer {
  readonly content: readonly { readonly type: string; readonly id: string; readonly text: string }[];
  readonly stop_reason: string;
  readonly usage: JsonObject;
  readonly input_tokens: number;
}

const read = async (response: Promise<Response>): Promise<Answer> =>
  (await (await response).json()) as Answer;

const user = (content: unknown): JsonObject => ({ role: "user", content });
const ask = (server: ScriptedApi, words: string, headers: Record<string, string> = {}) =>
  read(post(server, { messages: [user(words)], headers }));
const textIn = ({ content }: Answer) => content.map(({ text }) => text).join("");

/** What a client makes of a stream: the blocks put together again, and how it ended. */
function joinStream(stream: string) {
  const blocks: JsonObject[] = [];
  let end: unknown;
  for (const line of stream.split("\n").filter((one) => one.startsWith("data: "))) {
    const event = JSON.parse(line.slice(6));
    if (event.type === "content_block_start") blocks[event.index] = { ...event.content_block, json: "" };
    if (event.type === "content_block_delta") {
      const block = blocks[event.index] ?? {};
      const { text = "", thinking = "", partial_json = "" } = event.delta;
      blocks[event.index] = {
        ...block,
        ...(block.type === "text" ? { text: block.text + text } : {}),
        ...(block.type === "thinking" ? { thinking: block.thinking + thinking } : {}),
        json: block.json + partial_json,
      };
    }
    if (event.type === "message_delta") end = event.delta.stop_reason;
  }
  return { blocks, end };
}

describe("replies", () => {
  it("come in turn for the words that open a turn, and then the default", async () => {
    const server = await start([on(prompted("build"), say("first"), say("second"))]);
    const texts = [];
    for (let i = 0; i < 3; i++) texts.push(textIn(await ask(server, "please build")));
    expect(texts).toEqual(["first", "second", "Done."]);
  });

  it("stay with the turn while tools answer", async () => {
    const server = await start([on(prompted("build"), use(tool("Bash", { command: "make" })), say("built"))]);
    const first = await ask(server, "build it");
    const [call] = first.content;
    const results = [{ type: "tool_result", tool_use_id: call?.id, content: "ok", is_error: true }];
    const messages = [user("build it"), { role: "assistant", content: first.content }, user(results)];
    const second = await read(post(server, { messages }));
    expect(first.stop_reason).toBe("tool_use");
    expect(textIn(second)).toBe("built");
    expect(server.requests[1]?.results).toEqual([{ id: call?.id, text: "ok", isError: true }]);
    expect(server.calls).toMatchObject([{ name: "Bash", input: { command: "make" } }]);
  });

  it("are counted for each session and each agent apart", async () => {
    const server = await start([
      on(delegated("part"), say("from the agent")),
      on(prompted("go"), say("one"), say("two")),
    ]);
    const headers = (session: string) => ({ "x-claude-code-session-id": session });
    expect(textIn(await ask(server, "go", headers("a")))).toBe("one");
    expect(textIn(await ask(server, "go", headers("b")))).toBe("one");
    expect(textIn(await ask(server, "go", headers("a")))).toBe("two");
    const asAgent = { ...headers("a"), "x-claude-code-agent-id": "agent-1" };
    expect(textIn(await ask(server, "your part", asAgent))).toBe("from the agent");
    expect(server.requests.at(-1)).toMatchObject({ session: "a", agent: "agent-1", prompt: "your part" });
  });

  it("know a compaction and a text in the news", async () => {
    const server = await start([
      on(compaction, summary("all of it")),
      on(seeing(/needle \d/i), say("found")),
      on(anything, say("nothing")),
    ]);
    expect(textIn(await ask(server, "CRITICAL: Respond with TEXT ONLY."))).toContain("<summary>\nall of it");
    expect(textIn(await ask(server, "here is Needle 7"))).toBe("found");
    expect(textIn(await ask(server, "hay"))).toBe("nothing");
    expect(server.requests.map(({ kind }) => kind)).toEqual(["compaction", "message", "message"]);
  });

  it("carry thinking, several calls with ids of their own, and the usage they are given", async () => {
    const server = await start([
      on(
        anything,
        use([tool("Read", { file_path: "a" }), delegate("look")], {
          thinking: "hm",
          text: ["x", "y"],
          usage: { input_tokens: 195_000 },
        }),
      ),
    ]);
    const message = await ask(server, "go");
    expect(message.content.map(({ type }) => type)).toEqual([
      "thinking",
      "text",
      "text",
      "tool_use",
      "tool_use",
    ]);
    expect(message.content[3]?.id).not.toBe(message.content[4]?.id);
    expect(message.usage).toMatchObject({ input_tokens: 195_000, cache_read_input_tokens: 0 });
  });

  it("can wait for the test", async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await start([on(anything, say("at last", { before: () => gate }))]);
    const answered = ask(server, "go");
    await server.seen(({ prompt }) => prompt === "go");
    release();
    expect(textIn(await answered)).toBe("at last");
  });

  it("follow another scenario when told to", async () => {
    const server = await start([on(anything, say("old"))]);
    server.play([on(anything, say("new"))]);
    expect(textIn(await ask(server, "go"))).toBe("new");
  });
});

describe("a stream", () => {
  it("joins to the same blocks as the plain answer", async () => {
    const input = { command: "echo 文字 🙂", nested: { deep: [1, 2] } };
    const server = await start([
      on(anything, use(tool("Bash", input, "toolu_x"), { text: "héllo 🙂", thinking: "hm" })),
    ]);
    const response = await post(server, { messages: [user("go")], stream: true });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const { blocks, end } = joinStream(await response.text());
    expect(blocks).toMatchObject([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "héllo 🙂" },
      { type: "tool_use", id: "toolu_x", name: "Bash", json: JSON.stringify(input) },
    ]);
    expect(end).toBe("tool_use");
  });

  it("can end with an error event", async () => {
    const failure = { type: "overloaded_error", message: "Overloaded" };
    const server = await start([on(anything, say("half", { streamError: failure }))]);
    const text = await (await post(server, { messages: [user("go")], stream: true })).text();
    expect(text).toContain(`event: error\ndata: ${JSON.stringify({ type: "error", error: failure })}`);
    expect(text).not.toContain("message_stop");
  });

  it("can break before it begins and in the middle", async () => {
    const server = await start([on(anything, say("", { breaks: "before" }), say("x", { breaks: "during" }))]);
    await expect(post(server, { messages: [user("go")], stream: true })).rejects.toThrow();
    const begun = await post(server, { messages: [user("go")], stream: true });
    await expect(begun.text()).rejects.toThrow();
  });
});

describe("errors and other questions", () => {
  it.each([
    [overloaded(), 529, "overloaded_error"],
    [rateLimited(3), 429, "rate_limit_error"],
    [promptTooLong(210_000, 200_000), 400, "invalid_request_error"],
  ])("are answered in the API's shape (%#)", async (reply, status, type) => {
    const server = await start([on(anything, reply)]);
    const response = await post(server, { messages: [user("go")], stream: true });
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe(status === 429 ? "3" : null);
    expect(await response.json()).toMatchObject({ type: "error", error: { type } });
  });

  it("count tokens, by the scenario or by size", async () => {
    const server = await start([on(counting, { count: 42 })]);
    const count = () =>
      read(post(server, { messages: [user("go")], path: "/v1/messages/count_tokens?beta=true" }));
    expect(await count()).toEqual({ input_tokens: 42 });
    expect((await count()).input_tokens).toBeGreaterThan(10);
  });

  it("refuse what the API would refuse only when strict, and note it always", async () => {
    const orphan = { messages: [user([{ type: "tool_result", tool_use_id: "toolu_none", content: "x" }])] };
    const lenient = await start([]);
    expect((await post(lenient, orphan)).status).toBe(200);
    expect(lenient.requests[0]?.violations[0]?.code).toBe("tool-result-orphan");
    await lenient.close();
    const strict = await start([], { strict: true });
    expect((await post(strict, orphan)).status).toBe(400);
  });

  it("know no other path", async () => {
    const server = await start([]);
    expect((await fetch(`${server.url}/v1/nothing`)).status).toBe(404);
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(200);
    expect((await fetch(server.url, { method: "HEAD" })).status).toBe(200);
  });
});

it("listens on a socket file when given one", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "scripted-api-"));
  try {
    const socket = path.join(folder, "api.sock");
    const server = await start([], { socket });
    const status = await new Promise((resolve, reject) => {
      httpRequest({ socketPath: socket, path: "/", method: "HEAD" }, (response) => {
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect([server.url, status]).toEqual(["", 200]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
