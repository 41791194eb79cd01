// What the proxy adds to a request of 200,000 tokens, against a bare pass-through of Node, and its memory with 200 streams.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject, parseJson } from "../src/lib/index.ts";
import type { Bench } from "./bench.ts";
import { inFolder, median, numberAt, quantile, rounded } from "./measure.ts";

const root = path.resolve(import.meta.dirname, "../..");
const BODY_CHARACTERS = 800_000;
const STREAMS = 200;
const STREAM_BODY_CHARACTERS = 40_000;
const MOST_RATIO = 3;
const MOST_MEGABYTES = 300;

/** A line that a process prints on one of its streams and that matches. */
async function printed(child: ChildProcess, stream: "stdout" | "stderr", pattern: RegExp): Promise<string> {
  let text = "";
  for await (const chunk of child[stream] ?? []) {
    text += chunk;
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`the process ended before it listened: ${text}`);
}

const servers = path.join(root, "bench", "proxy", "servers.mjs");
const startServer = (...args: string[]) =>
  spawn(process.execPath, [servers, ...args], { stdio: ["ignore", "pipe", "inherit"] });

/** A conversation in which nothing is to be edited; each round has two messages more. */
function conversation(characters: number, rounds: number, session: string): Buffer {
  const words = "The next step is to compare both results and to write down what differs. ".repeat(27);
  const count = Math.ceil(characters / words.length) + 2 * rounds;
  const messages = Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: [{ type: "text", text: `${session} ${at} ${words}` }],
  }));
  const body = {
    model: "claude-opus-5-5",
    max_tokens: 1_000,
    tools: [{ name: "t", input_schema: {} }],
    messages,
    stream: true,
  };
  return Buffer.from(JSON.stringify(body));
}

interface Sent {
  readonly firstByteMs: number;
  close(): void;
}

function post(port: number, body: Buffer, agent: Agent, headers: Record<string, string>): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const asked = request(
      {
        port,
        host: "127.0.0.1",
        agent,
        method: "POST",
        path: "/v1/messages",
        headers: { "content-length": body.length, "x-api-key": "none", ...headers },
      },
      (response) => {
        response.once("data", () => {
          const firstByteMs = performance.now() - began;
          const sent = { firstByteMs, close: () => asked.destroy() };
          if (headers["x-slow"] !== undefined) resolve(sent);
          else response.on("end", () => resolve(sent));
        });
        response.on("error", () => undefined);
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1_024;
}

async function latencies(ports: Readonly<Record<string, number>>, rounds: number) {
  const times: Record<string, number[]> = {};
  const agents = Object.fromEntries(Object.keys(ports).map((name) => [name, new Agent({ keepAlive: true })]));
  const warmUp = 5;
  for (let round = 0; round < rounds + warmUp; round++) {
    const body = conversation(BODY_CHARACTERS, round, "latency");
    for (const [name, port] of Object.entries(ports)) {
      const headers = { "x-claude-code-session-id": "bench-latency" };
      const { firstByteMs } = await post(port, body, agents[name] ?? new Agent(), headers);
      if (round < warmUp) continue;
      const known = times[name] ?? [];
      times[name] = known;
      known.push(firstByteMs);
    }
  }
  for (const agent of Object.values(agents)) agent.destroy();
  return times;
}

async function streamMemory(port: number, pid: number) {
  const agent = new Agent({ keepAlive: true });
  const before = residentMegabytes(pid);
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, at) =>
      post(port, conversation(STREAM_BODY_CHARACTERS, 0, `stream ${at}`), agent, {
        "x-slow": "1",
        "x-claude-code-session-id": `bench-stream-${at}`,
      }),
    ),
  );
  let most = 0;
  for (let look = 0; look < 20; look++) {
    most = Math.max(most, residentMegabytes(pid));
    await sleep(100);
  }
  for (const { close } of streams) close();
  agent.destroy();
  return { before, most };
}

export const bench: Bench = {
  name: "proxy",
  measures: ["src/proxy", "src/live"],
  about: "What the proxy adds to a request of 200,000 tokens, and its memory with 200 open streams.",
  usage: "[ROUNDS]",
  run: (args) =>
    inFolder("proxy", async (folder) => {
      const rounds = numberAt(args, 0, 60);
      const upstream = startServer("upstream");
      const upstreamPort = await printed(upstream, "stdout", /^(\d+)/);
      const bare = startServer("pass", upstreamPort);
      const cli = path.join(root, "dist", "cli.js");
      const proxy = spawn(
        process.execPath,
        [cli, "proxy", "--upstream", `http://127.0.0.1:${upstreamPort}`],
        {
          cwd: folder,
          env: { ...process.env, THROUGHLINE_HOME: path.join(folder, "home"), THROUGHLINE_DISABLE: "" },
          stdio: ["ignore", "ignore", "pipe"],
        },
      );
      try {
        const ports = {
          direct: Number(upstreamPort),
          "bare pass-through": Number(await printed(bare, "stdout", /^(\d+)/)),
          proxy: Number(await printed(proxy, "stderr", /127\.0\.0\.1:(\d+)/)),
        };
        const times = await latencies(ports, rounds);
        const p50 = (name: string): number => median(times[name] ?? []);
        const memory = await streamMemory(ports.proxy, proxy.pid ?? 0);
        return {
          findings: [
            {
              title: "First byte of the response",
              rows: Object.keys(ports).map((name) => ({
                way: name,
                "p50 ms": rounded(p50(name)),
                "p95 ms": rounded(quantile(times[name] ?? [], 0.95)),
                "× bare": rounded(p50(name) / p50("bare pass-through")),
              })),
              notes: [
                `A conversation of ${BODY_CHARACTERS} characters, two messages more in each of ${rounds} rounds, to an upstream that answers at once; the ways in turn. The proxy asks a worker about every request; nothing is to be edited.`,
              ],
            },
            {
              title: "Memory",
              rows: [
                { when: "after the requests above", MB: rounded(memory.before, 0) },
                { when: `with ${STREAMS} open streams`, MB: rounded(memory.most, 0) },
              ],
              notes: [
                `Resident memory of the proxy's process. Each stream is a session with a body of ${STREAM_BODY_CHARACTERS} characters.`,
              ],
            },
          ],
          bars: [
            {
              what: "proxy, × bare pass-through, p50",
              value: p50("proxy") / p50("bare pass-through"),
              atMost: MOST_RATIO,
            },
            { what: `MB with ${STREAMS} streams`, value: memory.most, atMost: MOST_MEGABYTES },
          ],
        };
      } finally {
        for (const child of [proxy, bare, upstream]) child.kill();
        await once(proxy, "exit");
        endWorker(path.join(folder, "home"));
      }
    }),
};

/** The worker that the proxy started stays otherwise. */
function endWorker(home: string): void {
  const state = parseJson(readFileSync(path.join(home, "state", "worker.json"), "utf8"));
  if (isObject(state) && typeof state.pid === "number") process.kill(state.pid);
}
