// Asks the worker: typed, abortable, and every failure is one kind of error that says what to do.
import type { Problem } from "../../src/http/wire.ts";

/** `away`: no answer came. `signed-out`: the worker does not know this browser. Otherwise what the worker said. */
export class WireError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fix: string | undefined;
  constructor(status: number, { code, message, fix }: Problem["error"]) {
    super(message);
    this.name = "WireError";
    this.code = code;
    this.status = status;
    this.fix = fix;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export function addressWith(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Told how every request fared; set once. */
let onOutcome: (outcome: "answered" | "away" | "signed-out") => void = () => undefined;

export function watchOutcomes(watch: typeof onOutcome): void {
  onOutcome = watch;
}

async function problemOf(response: Response) {
  try {
    const { error } = (await response.json()) as Problem;
    if (typeof error?.message === "string") return error;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { code: "unreadable", message: `The worker answered ${response.status} and said nothing more.` };
}

async function send(address: string, init: RequestInit) {
  let response: Response;
  try {
    response = await fetch(address, { credentials: "same-origin", cache: "no-store", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    onOutcome("away");
    throw new WireError(0, { code: "away", message: "The worker does not answer." });
  }
  if (response.ok) {
    onOutcome("answered");
    return response;
  }
  if (response.status === 401) onOutcome("signed-out");
  throw new WireError(
    response.status,
    response.status === 401
      ? { code: "signed-out", message: "This browser is not signed in.", fix: "throughline open" }
      : await problemOf(response),
  );
}

export async function ask<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  const response = await send(addressWith(path, query), signal === undefined ? {} : { signal });
  return (await response.json()) as T;
}

export async function tell<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
  const response = await send(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return (text === "" ? {} : JSON.parse(text)) as T;
}

/** A file of lines, as it is. */
export async function sendLines<T>(path: string, lines: Blob): Promise<T> {
  const headers = { "content-type": "application/x-ndjson" };
  const response = await send(path, { method: "POST", headers, body: lines });
  return (await response.json()) as T;
}
