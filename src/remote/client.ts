// Requests to the team's server. Failures say whether it is away, refuses the key, or refuses what was sent.
import type { z } from "zod";
import { errorText, parseJson, SECOND, ThroughlineError, usageError } from "../lib/index.ts";
import {
  errorAnswer,
  memoriesAnswer,
  pullAnswer,
  pushAnswer,
  readersAnswer,
  type SharedVisibility,
  shareAnswer,
  whoAnswer,
} from "../server/wire.ts";
import type { ChangeableKind, ChangeFrom } from "../store/index.ts";

export interface RemotePlace {
  /** Such as `https://memory.example`. */
  readonly url: string;
  readonly key: string;
}

/** `from` is the revision that it was made from; 0 for a new file. A file without a body is deleted. */
export interface MemoryChange {
  readonly file: string;
  readonly from: number;
  readonly body: string | null;
}

const TIMEOUT_MS = 60 * SECOND;
const loopback = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(\/|$)/;

/** A key never crosses a network unencrypted. */
export function checkRemoteUrl(url: string) {
  if (URL.canParse(url) && (url.startsWith("https://") || loopback.test(url))) return;
  throw usageError(
    `${url} is not the address of a server`,
    "https://HOST; plain http:// only for this machine, such as http://127.0.0.1:37700",
  );
}

const away = (url: string, why: string) =>
  new ThroughlineError("server-absent", `the server at ${url} does not answer: ${why}`, {
    fix: "nothing is lost: what was captured here waits and is sent later; `throughline remote status` shows how much",
  });

async function failure(answer: Response, url: string) {
  const { data } = errorAnswer.safeParse(parseJson(await answer.text()));
  const { message, fix } = data?.error ?? { message: `status ${answer.status}`, fix: undefined };
  const more = fix === undefined ? {} : { fix };
  if (answer.status === 401 || answer.status === 403)
    return new ThroughlineError("access-refused", message, {
      fix: `ask the operator for a key, then: throughline remote connect ${url}`,
    });
  if ([400, 404, 413].includes(answer.status)) return new ThroughlineError("usage", message, more);
  return away(url, message);
}

export type RemoteClient = ReturnType<typeof makeClient>;

export function makeClient({ url: given, key }: RemotePlace, signal?: AbortSignal) {
  const url = given.replace(/\/+$/, "");
  async function ask<S extends z.ZodType>(schema: S, path: string, body?: string): Promise<z.output<S>> {
    checkRemoteUrl(url);
    let answer: Response;
    try {
      answer = await fetch(url + path, {
        method: body === undefined ? "GET" : "POST",
        headers: { Authorization: `Bearer ${key}`, ...(body ? { "Content-Type": "application/json" } : {}) },
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]),
        // A key goes to the address that the user named, and to no other.
        redirect: "error",
        ...(body === undefined ? {} : { body }),
      });
      if (!answer.ok) throw await failure(answer, url);
      const { success, data } = schema.safeParse(parseJson(await answer.text()));
      if (success) return data;
    } catch (error) {
      if (error instanceof ThroughlineError) throw error;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw away(url, errorText(cause));
    }
    throw away(url, "its answer is not one of a Throughline server");
  }
  const query = (fields: Readonly<Record<string, string | number>>) =>
    new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    );
  return {
    url,
    who: () => ask(whoAnswer, "/sync/v1/who"),
    /** `body` is the JSON of `{ machine, changes }`. */
    push: (body: string) => ask(pushAnswer, "/sync/v1/push", body),
    pull: async (machine: string, cursor: number, limit: number) => {
      const page = await ask(pullAnswer, `/sync/v1/pull?${query({ machine, cursor, limit })}`);
      return { ...page, changes: page.changes as ChangeFrom[] };
    },
    changedMemories: async (project: string, known: Readonly<Record<string, number>>) =>
      (await ask(memoriesAnswer, "/sync/v1/memories", JSON.stringify({ project, known }))).memories,
    keepMemories: async (project: string, changes: readonly MemoryChange[]) =>
      (await ask(memoriesAnswer, "/sync/v1/memories/keep", JSON.stringify({ project, changes }))).memories,
    readers: async (visibility: SharedVisibility, project: string) =>
      (await ask(readersAnswer, `/sync/v1/readers?${query({ visibility, project })}`)).readers,
    share: async (kind: ChangeableKind, uids: readonly string[], visibility: SharedVisibility) =>
      (await ask(shareAnswer, "/sync/v1/share", JSON.stringify({ kind, uids, visibility }))).changed,
  };
}
