// Answers an MCP client's first requests from a file that the build writes, because every session of an agent asks them and
// few call a tool. The first request that needs a tool loads the server, which then receives everything.
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

/** What the server answers before its first call. */
interface Greeting {
  /** The versions of the protocol that the server speaks, the newest first. */
  readonly protocolVersions: readonly string[];
  readonly initialize: object;
  readonly tools: object;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: unknown };
}

/** Undefined where there is none, as in sources. */
export function readGreeting(file: URL): Greeting | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Greeting;
  } catch {
    return undefined;
  }
}

/** Undefined for what is no JSON object: the server passes over it too. */
function parsed(line: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === "object" && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The answer that needs no server; undefined where the server has to answer. */
function answerTo({ method, params }: Message, greeting: Greeting): object | undefined {
  if (method === "ping") return { result: {} };
  if (method === "tools/list") return { result: greeting.tools };
  if (method === "initialize") {
    const wanted = params?.protocolVersion;
    if (typeof wanted !== "string") return undefined;
    const protocolVersion = greeting.protocolVersions.includes(wanted)
      ? wanted
      : greeting.protocolVersions[0];
    return { result: { ...greeting.initialize, protocolVersion } };
  }
  return method === "tools/call" ? undefined : { error: { code: -32601, message: "Method not found" } };
}

/** Where the server's answers go: all of them, but not a second one to the handshake. */
function outputAfter(handshake: Message["id"], output: Writable, MakeWritable: typeof Writable) {
  let isExpected = handshake !== undefined;
  return new MakeWritable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      if (isExpected && parsed(String(chunk))?.id === handshake) {
        isExpected = false;
        done();
      } else output.write(chunk, () => done());
    },
  });
}

/** Standard output for a server whose client has the answer to this request already. `id` is JSON. */
export async function withoutHandshake(id: string): Promise<Writable> {
  const { Writable } = await import("node:stream");
  const { stdout } = process;
  return outputAfter(JSON.parse(id) as Message["id"], stdout, Writable);
}

/** Resolves when stdin ends, or when the server that took over has ended. */
export function answerHandshake(
  greeting: Greeting,
  serve: (input: Readable, output: Writable) => Promise<void>,
): Promise<void> {
  const { stdin, stdout } = process;
  /** What the server has to be told before its first request. */
  const said: string[] = [];
  let handshake: Message["id"];
  let rest = "";
  /** Whether no server is needed; says the answer. */
  function isAnswered(line: string) {
    const message = parsed(line);
    if (!message) return true;
    const { id, method } = message;
    const answer = id === undefined ? {} : answerTo(message, greeting);
    if (answer === undefined) return false;
    if (id === undefined || method === "initialize") said.push(line);
    if (id === undefined) return true;
    if (method === "initialize") handshake = id;
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
    return true;
  }
  return new Promise((resolve, reject) => {
    async function handOver(lines: readonly string[]) {
      const { PassThrough, Writable } = await import("node:stream");
      const input = new PassThrough();
      input.write([...said, ...lines, rest].join("\n"));
      stdin.pipe(input);
      await serve(input, outputAfter(handshake, stdout, Writable));
    }
    function onData(chunk: string) {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      const first = lines.findIndex((line) => !isAnswered(line));
      if (first < 0) return;
      stdin.off("data", onData).off("end", resolve).pause();
      handOver(lines.slice(first)).then(resolve, reject);
    }
    stdin.setEncoding("utf8").on("data", onData).on("end", resolve);
  });
}
