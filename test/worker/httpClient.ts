// Asks the HTTP face of a worker as any program could: every header is the test's to choose.
import { request } from "node:http";
import { isObject, type JsonObject, parseJson } from "../../src/lib/index.ts";

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
