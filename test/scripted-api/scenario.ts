// A scenario: which replies follow which requests. Every conversation walks through it at its own pace.
import { type Reply, say } from "./reply.ts";
import type { ApiRequest } from "./request.ts";

type Matches = (request: ApiRequest) => boolean;

export interface Part {
  readonly matches: Matches;
  /** Given in turn to the requests that match, counted anew for each session and each agent. */
  readonly replies: readonly Reply[];
}

/** The first part that matches and still has a reply answers; when none has, the reply is "Done." */
export type Scenario = readonly Part[];

export function on(matches: Matches, ...replies: readonly Reply[]): Part {
  return { matches, replies };
}

/** The turn that a person's words open, tool steps included. Subagents are conversations of their own. */
export function prompted(words: string | RegExp): Matches {
  return (request) =>
    request.kind === "message" && request.agent === undefined && contains(request.prompt, words);
}

/** The turn of a subagent that was asked with these words. */
export function delegated(words: string | RegExp): Matches {
  return (request) =>
    request.kind === "message" && request.agent !== undefined && contains(request.prompt, words);
}

/** Requests whose newest text (tool results included) holds this. */
export function seeing(words: string | RegExp): Matches {
  return (request) => request.kind === "message" && contains(request.news, words);
}

export const compaction: Matches = ({ kind }) => kind === "compaction";
export const counting: Matches = ({ kind }) => kind === "count";
export const anything: Matches = ({ kind }) => kind === "message";

function contains(text: string, words: string | RegExp): boolean {
  return typeof words === "string" ? text.includes(words) : new RegExp(words.source, words.flags).test(text);
}

/** Answers every request by itself, for conversations too long to write down. */
export type Responder = (request: ApiRequest) => Reply;

/** Remembers how far each conversation has come; one for the life of a server. */
export function follow(scenario: Scenario | Responder): Responder {
  if (typeof scenario === "function") return scenario;
  const given = new Map<string, number>();
  return (request) => {
    for (const [index, part] of scenario.entries()) {
      if (!part.matches(request)) continue;
      const place = JSON.stringify([index, request.session, request.agent]);
      const next = given.get(place) ?? 0;
      const reply = part.replies[next];
      if (reply === undefined) continue;
      given.set(place, next + 1);
      return reply;
    }
    return request.kind === "count" ? {} : say("Done.");
  };
}
