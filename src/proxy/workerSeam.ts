// How the proxy reaches the worker: HTTP over its socket, within a deadline, and the records that it leaves on disk.
import { Agent, request } from "node:http";
import path from "node:path";
import { type Home, tokenFile, workerStateFile } from "../home/index.ts";
import { endpointAt } from "../ipc/connect.ts";
import { isObject, MINUTE, parseJson, readIfPossible } from "../lib/index.ts";
import type { CarrierSeam } from "../live/carrier.ts";

interface WorkerSeamOptions {
  readonly home: Home;
  /** The address of the worker's socket. */
  readonly socket: string;
  /** Starts a worker where none is; called seldom. */
  start(): void;
  say(line: string): void;
  /** No new edits: those on record stay. */
  readonly isOff?: boolean;
}

const OK = 200;
const TELL_MS = 5_000;

/** The worker serves requests that name its port, over the socket too. */
function portOf(home: Home) {
  const state = parseJson(readIfPossible(workerStateFile(home)) ?? "");
  return isObject(state) ? Number(state.port) : 0;
}

/** Posts to the worker; undefined where it is gone, late or declines. */
function poster({ home, socket, start }: WorkerSeamOptions) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let startedAt = Number.NEGATIVE_INFINITY;
  const startSeldom = () => {
    if (performance.now() - startedAt < MINUTE) return;
    startedAt = performance.now();
    start();
  };
  return (op: string, question: object, deadline: number) =>
    new Promise<unknown>((resolve) => {
      const endpoint = endpointAt(socket);
      const token = readIfPossible(tokenFile(home))?.trim();
      if (endpoint === "absent") startSeldom();
      // A pipe of Windows would have to prove itself first.
      if (typeof endpoint === "string" || token === undefined || endpoint.path.startsWith("\\\\"))
        return resolve(undefined);
      const body = Buffer.from(JSON.stringify(question));
      const headers = {
        host: `127.0.0.1:${portOf(home)}`,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": body.length,
      };
      const asked = request({
        agent,
        socketPath: endpoint.path,
        path: `/live/${op}`,
        method: "POST",
        headers,
      });
      const timer = setTimeout(() => asked.destroy(), deadline);
      const settle = (value: unknown) => {
        clearTimeout(timer);
        resolve(value);
      };
      asked.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED" || error.code === "ENOENT") startSeldom();
        settle(undefined);
      });
      // In Bun a request closes before its answer has ended.
      let isAnswered = false;
      asked.on("close", () => {
        if (!isAnswered) settle(undefined);
      });
      asked.on("response", (response) => {
        isAnswered = true;
        const chunks: Buffer[] = [];
        response.on("close", () => settle(undefined));
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          settle(response.statusCode === OK ? parseJson(Buffer.concat(chunks).toString("utf8")) : undefined),
        );
      });
      asked.end(body);
    });
}

/** None of its functions rejects. */
export function workerSeam(options: WorkerSeamOptions): Pick<CarrierSeam, "ask" | "tell" | "record" | "say"> {
  const post = poster(options);
  const said = new Set<string>();
  return {
    ask: async (op, question, deadline) => (options.isOff ? undefined : post(op, question, deadline)),
    tell: (op, question) => void post(op, question, TELL_MS),
    record: async (name) => readIfPossible(path.join(options.home.state, "live", name)),
    say(line) {
      if (!said.has(line)) options.say(line);
      said.add(line);
    },
  };
}
