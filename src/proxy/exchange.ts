// One request on a connection and the response to it.
import type { ModelRequest } from "./engine.ts";
import { type Head, type HeadChanges, headerOf } from "./http1.ts";

/** Paths whose bodies hold a conversation. Batches and files have other paths and are not looked into. */
const modelPaths = new Set(["/v1/messages", "/v1/messages/count_tokens"]);

const credentialHeaders = new Set(["authorization", "x-api-key", "proxy-authorization", "cookie"]);

export const methodOf = ({ startLine }: Head): string => startLine.slice(0, startLine.indexOf(" "));
export const targetOf = ({ startLine }: Head): string => startLine.split(" ")[1] ?? "";

/** Whether the body is a conversation that can be read here. */
export function isModelRequest(head: Head): boolean {
  const encoding = headerOf(head, "content-encoding") ?? "identity";
  const [pathname = ""] = targetOf(head).split("?");
  return methodOf(head) === "POST" && encoding === "identity" && modelPaths.has(pathname);
}

/** By lower-case name, without what proves who the client is. */
export function safeHeaders({ headers }: Head): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (!credentialHeaders.has(key)) kept[key] = key in kept ? `${kept[key]}, ${value}` : value;
  }
  return kept;
}

export class Exchange {
  readonly head: Head;
  readonly changes: HeadChanges | undefined;
  readonly method: string;
  /** Set where the body is a conversation and was read. Its body goes when the API has accepted it: streams last long. */
  request: (Omit<ModelRequest, "body"> & { body: Buffer }) | undefined;
  /** How often the request was sent again. */
  attempts = 0;
  /** The client was told to go on by this proxy: the upstream's own 100 is not handed on. */
  isContinued = false;
  /** Both sides have agreed to speak another protocol. */
  isUpgraded = false;
  readonly finished: Promise<void>;
  readonly finish: () => void;

  constructor(head: Head, changes: HeadChanges | undefined) {
    this.head = head;
    this.changes = changes;
    this.method = methodOf(head);
    let finish: () => void = () => undefined;
    this.finished = new Promise((resolve) => {
      finish = resolve;
    });
    this.finish = finish;
  }
}
