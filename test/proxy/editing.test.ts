// What the engine may change, and what stays as it came around it.
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { type ModelRequest, startBaseUrlProxy } from "../../src/proxy/index.ts";
import { until } from "../until.ts";
import { closeAll, closed, engineThat, type RecordingEngine } from "./setup.ts";
import { type WireClient, type WireUpstream, wireClient, wireUpstream } from "./wire.ts";

afterEach(closeAll);

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

interface Scene {
  readonly upstream: WireUpstream;
  readonly client: WireClient;
  readonly engine: RecordingEngine;
}

/** Gives the responses in turn, one to each request, on whichever connection it comes. */
async function scene(
  responses: readonly (string | Buffer)[],
  does: Parameters<typeof engineThat>[0],
  isClosing: (response: string) => boolean = () => false,
): Promise<Scene> {
  const left = [...responses];
  let answered = 0;
  const upstream: WireUpstream = closed(
    await wireUpstream(({ socket }) => {
      const requests = upstream.connections.map((one) => one.bytes().toString().match(/POST /g)?.length ?? 0);
      if (requests.reduce((sum, count) => sum + count, 0) <= answered) return;
      answered += 1;
      const response = left.shift() ?? OK;
      socket.write(response);
      if (isClosing(response.toString("latin1"))) socket.end();
    }),
  );
  const engine = engineThat(does);
  const url = new URL(`http://127.0.0.1:${upstream.port}`);
  const proxy = closed(await startBaseUrlProxy(url, { engine, env: {} }));
  const client = await wireClient(proxy.port);
  closed({ close: () => void client.socket.destroy() });
  return { upstream, client, engine };
}

const post = (path: string, body: string, more = ""): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: sk-secret\r\nanthropic-beta: a,b\r\n${more}Content-Length: ${body.length}\r\nX-Last: 1\r\n\r\n${body}`;

const refused = (message: string, more = ""): string => {
  const body = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
  return `HTTP/1.1 400 Bad Request\r\nrequest-id: r1\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
};

const sent = ({ upstream }: Scene, at = 0): string => upstream.connections[at]?.bytes().toString() ?? "";

describe("an edited request", () => {
  it("differs in its body and its length, and in nothing else", async () => {
    const given = await scene([], { edit: async () => Buffer.from('{"shorter":1}') });
    given.client.send(post("/v1/messages?beta=true", '{"messages":["long"]}'));
    await given.client.received(OK.length);
    const host = `127.0.0.1:${given.upstream.port}`;
    expect(sent(given)).toBe(
      `POST /v1/messages?beta=true HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: sk-secret\r\nanthropic-beta: a,b\r\nContent-Length: 13\r\nX-Last: 1\r\n\r\n{"shorter":1}`,
    );
  });

  it("that came in chunks goes on with a length", async () => {
    const given = await scene([], { edit: async ({ body }) => Buffer.concat([body, Buffer.from("!")]) });
    given.client.send(
      "POST /v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    );
    await given.client.received(OK.length);
    expect(sent(given)).toMatch(/\r\ncontent-length: 6\r\n\r\nabcde!$/);
    expect(sent(given)).not.toMatch(/transfer-encoding/i);
  });

  it("is what came where the engine fails", async () => {
    const given = await scene([], {
      edit: async () => {
        throw new Error("broken");
      },
    });
    given.client.send(post("/v1/messages", "{}"));
    await given.client.received(OK.length);
    expect(sent(given).endsWith("X-Last: 1\r\n\r\n{}")).toBe(true);
  });

  it.each(["/v1/messages/batches", "/v1/files", "/v1/models", "/v1/messages/msg_1", "/v1/complete"])(
    "is none of %s: the engine is not asked",
    async (path) => {
      const given = await scene([], { edit: async () => Buffer.from("edited") });
      given.client.send(post(path, "{}"));
      await given.client.received(OK.length);
      expect(given.engine.requests).toEqual([]);
      expect(sent(given).endsWith("{}")).toBe(true);
    },
  );

  it("is shown to the engine without credentials", async () => {
    const given = await scene([], {});
    given.client.send(post("/v1/messages", "{}", "Authorization: Bearer t\r\nCookie: c\r\n"));
    await given.client.received(OK.length);
    const { headers, path } = given.engine.requests[0] as ModelRequest;
    expect(path).toBe("/v1/messages");
    expect(Object.keys(headers).sort()).toEqual(["anthropic-beta", "content-length", "host", "x-last"]);
  });

  it("with a trailer or an encoded body is not edited", async () => {
    const given = await scene([], { edit: async () => Buffer.from("edited") });
    const trailing =
      "POST /v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-T: 1\r\n\r\n";
    given.client.send(trailing);
    await given.client.received(OK.length);
    expect(sent(given).endsWith("0\r\nX-T: 1\r\n\r\n")).toBe(true);
    given.client.send(post("/v1/messages", "gz", "Content-Encoding: gzip\r\n"));
    await given.client.received(2 * OK.length);
    expect(sent(given).endsWith("gz")).toBe(true);
  });
});

describe("a refusal", () => {
  const shortened = async (
    _: ModelRequest,
    { attempt }: { readonly attempt: number },
  ): Promise<Buffer | undefined> => (attempt === 0 ? Buffer.from('{"short":1}') : undefined);

  it("that the engine can mend is not shown to the client", async () => {
    const given = await scene([refused("prompt is too long: 3 tokens > 2 maximum"), OK], {
      recover: shortened,
    });
    given.client.send(post("/v1/messages", '{"long":1}'));
    await given.client.received(OK.length);
    expect(given.client.bytes().toString()).toBe(OK);
    expect(sent(given).endsWith('{"short":1}')).toBe(true);
    expect(given.upstream.connections).toHaveLength(1);
  });

  it("behind which the upstream closes is mended on another connection", async () => {
    const given = await scene(
      [refused("prompt is too long: 3 tokens > 2 maximum", "Connection: close\r\n"), OK],
      { recover: shortened },
      (response) => response.includes("400"),
    );
    given.client.send(post("/v1/messages", '{"long":1}'));
    await given.client.received(OK.length);
    expect(given.client.bytes().toString()).toBe(OK);
    expect(sent(given, 1).endsWith('{"short":1}')).toBe(true);
  });

  it("reaches the client as it came when nothing more can be done", async () => {
    const last = refused("prompt is too long: 2 tokens > 1 maximum");
    const given = await scene([refused("prompt is too long: 3 tokens > 2 maximum"), last], {
      recover: shortened,
    });
    given.client.send(post("/v1/messages", '{"long":1}'));
    await given.client.received(last.length);
    expect(given.client.bytes().toString()).toBe(last);
  });

  it("that is compressed is read, and handed on compressed", async () => {
    const body = gzipSync(JSON.stringify({ error: { message: "prompt is too long" } }));
    const head = `HTTP/1.1 400 Bad Request\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
    const seen: string[] = [];
    const given = await scene([Buffer.concat([Buffer.from(head), body])], {
      recover: async (_, refusal) => {
        seen.push(refusal.body.toString());
        return undefined;
      },
    });
    given.client.send(post("/v1/messages", "{}"));
    await given.client.received(head.length + body.length);
    expect(seen).toEqual(['{"error":{"message":"prompt is too long"}}']);
    expect(given.client.bytes().subarray(head.length).equals(body)).toBe(true);
  });

  it("is retried a bounded number of times", async () => {
    const given = await scene(
      Array.from({ length: 20 }, () => refused("prompt is too long")),
      {
        recover: async () => Buffer.from("{}"),
      },
    );
    given.client.send(post("/v1/messages", "{}"));
    await given.client.received(refused("prompt is too long").length);
    expect(sent(given).match(/POST /g)?.length).toBe(7);
  });
});

describe("the engine", () => {
  const events = [
    'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":7,"cache_read_input_tokens":5,"output_tokens":1}}}\n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"\\"message_delta\\" {}"}}\n\n',
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9},"context_management":{"applied_edits":[]}}\n\n',
  ].join("");
  const usage = { input_tokens: 7, cache_read_input_tokens: 5, output_tokens: 9 };
  const head = (more: string, length: number): string =>
    `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${more}Content-Length: ${length}\r\n\r\n`;

  it.each([
    ["plain", events, ""],
    ["compressed", gzipSync(events), "Content-Encoding: gzip\r\n"],
  ])("is told the usage of a %s stream", async (_, body, more) => {
    const response = Buffer.concat([Buffer.from(head(more, body.length)), Buffer.from(body)]);
    const given = await scene([response], {});
    given.client.send(post("/v1/messages", "{}"));
    await given.client.received(response.length);
    await until(() => given.engine.outcomes.length === 1, "the outcome");
    expect(given.engine.outcomes[0]).toEqual({
      status: 200,
      isWhole: true,
      stopReason: "end_turn",
      usage,
      contextManagement: { applied_edits: [] },
    });
  });

  it("is told of a stream that was cut, as far as it came", async () => {
    const given = await scene([head("", 9_999) + events.slice(0, 300)], {}, () => true);
    given.client.send(post("/v1/messages", "{}"));
    await given.client.ended;
    await until(() => given.engine.outcomes.length === 1, "the outcome");
    expect(given.engine.outcomes[0]).toMatchObject({ isWhole: false, usage: { input_tokens: 7 } });
  });

  it("is told the usage of one document", async () => {
    const body =
      '{"usage":{"input_tokens":3},"stop_reason":"max_tokens","diagnostics":{"cache_miss_reason":null}}';
    const given = await scene([`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`], {});
    given.client.send(post("/v1/messages", "{}"));
    await until(() => given.engine.outcomes.length === 1, "the outcome");
    expect(given.engine.outcomes[0]).toMatchObject({ usage: { input_tokens: 3 }, stopReason: "max_tokens" });
  });

  it("can ask the upstream by itself, with the client's credentials", async () => {
    const answers: string[] = [];
    const given = await scene([OK, OK], {
      edit: async (request) => {
        const { status, body } = await request.ask(Buffer.from('{"summary":1}'));
        answers.push(`${status} ${body}`);
        return undefined;
      },
    });
    given.client.send(post("/v1/messages", "{}"));
    await given.client.received(OK.length);
    expect(answers).toEqual(["200 ok"]);
    expect(sent(given)).toMatch(/X-API-Key: sk-secret[\s\S]*\{"summary":1\}$/);
    expect(sent(given, 1).endsWith("{}")).toBe(true);
  });
});
