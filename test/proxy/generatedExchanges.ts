// Requests and responses as clients and servers write them, in many forms, from a seed: the bytes, and where each ends.
import { gzipSync } from "node:zlib";
import { seededRandom } from "../kill/seededRandom.ts";

type Random = ReturnType<typeof seededRandom>;

export interface GeneratedExchange {
  readonly request: Buffer;
  readonly response: Buffer;
}

const pick = <T>(random: Random, options: readonly T[]): T => options[random(options.length)] as T;

const spellings = [
  (name: string) => name,
  (name: string) => name.toLowerCase(),
  (name: string) => name.toUpperCase(),
];

const words = ["tool", "résumé", "文件", "\\u0041", "\\n", "1.0", "1e3", "🙂", "  ", "</script>"];

const textOf = (random: Random, most: number): string =>
  Array.from({ length: random(most) }, () => pick(random, words)).join(" ");

/** JSON as programs write it by hand: spaces, order and forms of numbers that a serialiser would not give. */
function conversation(random: Random): Buffer {
  const block = (): string =>
    pick(random, [
      `{ "type":"text" , "text":"${textOf(random, 40)}"}`,
      `{"text":"${textOf(random, 400)}","type":"text","cache_control":{"type":"ephemeral"}}`,
      `{"type":"unknown_block_2027","n":1.50e2,"x":null}`,
      `{"type":"thinking","thinking":"${textOf(random, 20)}","signature":"c2ln"}`,
    ]);
  const message = (role: string): string =>
    `{"role":"${role}","content":[${Array.from({ length: 1 + random(4) }, block).join(pick(random, [",", " , "]))}]}`;
  const messages = Array.from({ length: 1 + random(6) }, (_, at) =>
    message(at % 2 === 0 ? "user" : "assistant"),
  );
  return Buffer.from(
    `{"model":"claude-x","max_tokens":${pick(random, ["1024", "1e3"])},"messages":[${messages.join(",\n")}],"stream":true}`,
  );
}

function chunked(random: Random, body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const part = body.subarray(at, at + 1 + random(3_000));
    const size = part.length.toString(16);
    parts.push(
      Buffer.from(`${pick(random, [size, size.toUpperCase(), `00${size}`, `${size};a=b`])}\r\n`),
      part,
      Buffer.from("\r\n"),
    );
    at += part.length;
  }
  const trailer = pick(random, ["", "", "X-Trailer: one\r\n"]);
  return Buffer.concat([...parts, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

function framed(random: Random, start: string, headers: readonly string[], body: Buffer): Buffer {
  const isChunked = random(2) === 0;
  const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`;
  const spelled = [...headers, framing].map((line) => {
    const colon = line.indexOf(":");
    return pick(random, spellings)(line.slice(0, colon)) + line.slice(colon);
  });
  // The place of the line that frames the body differs too.
  if (random(2) === 0) spelled.reverse();
  const head = Buffer.from([start, ...spelled, "", ""].join("\r\n"), "latin1");
  return Buffer.concat([head, isChunked ? chunked(random, body) : body]);
}

const paths = [
  "/v1/messages",
  "/v1/messages?beta=true",
  "/v1/messages/count_tokens?beta=true",
  "/v1/messages/batches",
  "/v1/files?limit=3",
  "/api/claude_code/settings",
  "/v1/unknown/%E6%96%87?x=%20&y",
];

function requestOf(random: Random, at: number): Buffer {
  const headers = [
    "Host: api.anthropic.com",
    `X-Request-Number: ${at}`,
    "x-api-key: sk-ant-canary",
    "anthropic-beta: one-2025-01-01,unknown-2031-01-01",
    `User-Agent: client/${random(9)}`,
    ...(random(3) === 0 ? ["Accept-Encoding: gzip, br", "X-Twice: 1", "X-Twice: 2"] : []),
    ...(random(4) === 0 ? ["Connection: keep-alive"] : []),
    ...(random(5) === 0 ? ["X-Bytes: caf\xe9"] : []),
  ];
  const path = pick(random, paths);
  if (random(6) === 0)
    return Buffer.from([`GET ${path} HTTP/1.1`, ...headers, "", ""].join("\r\n"), "latin1");
  return framed(random, `POST ${path} HTTP/1.1`, headers, conversation(random));
}

function eventsOf(random: Random): Buffer {
  const events = [
    `event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":${random(999)}}}}\n\n`,
    ...Array.from({ length: random(30) }, () =>
      pick(random, [
        `event: ping\ndata: {"type": "ping"}\n\n`,
        `event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"${textOf(random, 9)}"}}\n\n`,
        "event: unknown_2031\r\ndata: x\r\n\r\n",
        ": comment\n\n",
      ]),
    ),
    `event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}\n\n`,
  ];
  return Buffer.from(events.join(""));
}

function responseOf(random: Random): Buffer {
  const headers = [
    "Content-Type: text/event-stream",
    `request-id: req_${random(1e6)}`,
    "anthropic-ratelimit-x: 1",
  ];
  switch (random(6)) {
    case 0:
      return framed(
        random,
        "HTTP/1.1 200 OK",
        [...headers, "Content-Encoding: gzip"],
        gzipSync(eventsOf(random)),
      );
    case 1:
      return framed(
        random,
        "HTTP/1.1 429 Too Many Requests",
        ["Retry-After: 3"],
        Buffer.from('{"type":"error"}'),
      );
    case 2:
      return framed(random, "HTTP/1.1 529 ", [], Buffer.from("<html>overloaded</html>"));
    case 3:
      return Buffer.from("HTTP/1.1 204 No Content\r\nx: y\r\n\r\n");
    default:
      return framed(random, "HTTP/1.1 200 OK", headers, eventsOf(random));
  }
}

/** The same for the same seed. */
export function generatedExchanges(count: number, seed: number): GeneratedExchange[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, at) => ({
    request: requestOf(random, at),
    response: responseOf(random),
  }));
}
