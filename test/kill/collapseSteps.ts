// A long conversation on disk that stages and collapses spans again and again: the same requests for every process.
import path from "node:path";
import { resolveHome, type SessionPlace, sessionPlace } from "../../src/home/index.ts";
import { SECOND, sha256 } from "../../src/lib/index.ts";
import { openSession, prepare, type Session } from "../../src/pipeline/index.ts";
import { collapsing, requestsOf } from "../fixtures/pipeline/collapsing.ts";

const requests = requestsOf(110);
export const STEPS = requests.length;

export function placeOf(folder: string, name: string): SessionPlace {
  const home = resolveHome({
    env: { THROUGHLINE_HOME: folder },
    platform: process.platform,
    homeFolder: folder,
  });
  return sessionPlace(home, "project", name);
}

export function openCollapsing(folder: string, name: string): Session {
  return openSession(placeOf(folder, name), {
    ...collapsing(),
    vault: path.join(folder, "vault"),
    resultsFolder: path.join(folder, "results"),
  });
}

/** A digest of the bytes that go out with a step. */
export function sentWith(session: Session, step: number): string {
  const now = Date.UTC(2026, 0, 1) + step * SECOND;
  const { messages } = prepare({ session, model: "claude-opus-4-6", messages: requests[step] ?? [], now });
  return sha256(JSON.stringify(messages));
}
