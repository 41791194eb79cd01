// Asks the HTTP face of a worker as any program could: every header is the test's to choose.
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { tokenFile } from "../../src/home/index.ts";
import { isObject, type JsonObject, parseJson } from "../../src/lib/index.ts";
import type { WorkerHome } from "./workers.ts";

export interface Answer {
  readonly status: number;
  /** The object that came; `{ text }` for anything else. */
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const json = { "content-type": "application/json" };

export function sendTo(port: number, target: string, options: Sending = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const outgoing = request({ host: "127.0.0.1", port, path: target, method, headers }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      incoming.on("end", () => {
        const parsed = parseJson(text);
        resolve({
          status: incoming.statusCode ?? 0,
          body: isObject(parsed) ? parsed : { text },
          headers: incoming.headers,
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

export interface Face {
  readonly port: number;
  /** What the header says. */
  readonly authorization: string;
  get(target: string): Promise<Answer>;
  post(target: string, body: unknown): Promise<Answer>;
  /** A body of any type. */
  send(
    target: string,
    type: string,
    body: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** For answers that are no object. */
  list(target: string): Promise<unknown>;
}

/** The face of a running worker, asked by who has the token. */
export async function faceOf(place: Pick<WorkerHome, "home" | "status">): Promise<Face> {
  const port = Number((await place.status()).port);
  const authorization = `Bearer ${readFileSync(tokenFile(place.home), "utf8").trim()}`;
  const get = (target: string): Promise<Answer> => sendTo(port, target, { headers: { authorization } });
  const send: Face["send"] = (target, type, body, headers = {}) =>
    sendTo(port, target, {
      ...{ method: "POST", body },
      headers: { "content-type": type, authorization, ...headers },
    });
  return {
    ...{ port, authorization, get, send },
    post: (target, body) => send(target, "application/json", JSON.stringify(body)),
    list: async (target) => JSON.parse(String((await get(target)).body.text)),
  };
}
