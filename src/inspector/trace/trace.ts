// The trace of a session, read from its transcript and its ledger; and one call of it in full.
import { notFoundError } from "../../lib/index.ts";
import { promptTokens } from "../../messages/index.ts";
import type { Conversation } from "../../transcript/index.ts";
import { windowEvents } from "../events.ts";
import { type WindowPoint, windowParts } from "../model.ts";
import { type InspectedSession, readTraces } from "../view.ts";
import { turnFigures } from "./figures.ts";
import type { CallDetail, SessionTrace } from "./model.ts";
import { type TraceSources, traceSteps } from "./steps.ts";
import { callsByThread, rowTimes } from "./threads.ts";

type Redact = TraceSources["redact"];

const LONGEST_TEXT = 40_000;

const nothing = Object.fromEntries(windowParts.map((part) => [part, 0])) as WindowPoint["tokens"];

/** The sizes of the window at each request, which is all that its events need of it. */
function sizesOf({ requests, items }: Conversation): WindowPoint[] {
  return requests.map(({ at, itemIndex, model = "", usage }) => ({
    at: new Date(at ?? items[itemIndex - 1]?.at ?? 0).toISOString(),
    model,
    tokens: { ...nothing, system: promptTokens(usage) },
    outOfSight: 0,
  }));
}

export async function readTrace(inspected: InspectedSession, redact: Redact): Promise<SessionTrace> {
  const { session, transcript = "", models } = inspected;
  const { conversation, entries } = await readTraces(inspected, { subagents: true });
  if (!conversation) return { session, turns: [], steps: [], hasTranscript: false };
  const files = conversation.sidechains.flatMap(({ file }) => file ?? []);
  const sources: TraceSources = {
    conversation,
    calls: callsByThread(conversation),
    times: await rowTimes([transcript, ...files]),
    events: windowEvents(conversation, entries, sizesOf(conversation)),
    models,
    redact,
  };
  const steps = traceSteps(sources);
  return { session, turns: turnFigures(sources, steps), steps, hasTranscript: true };
}

function folded(whole: string, redact: Redact) {
  const clean = redact(whole);
  const text = clean.slice(0, LONGEST_TEXT);
  return { text, cut: clean.length - text.length };
}

/** Throws `not-found` for a call that the transcript does not have. */
export async function readCall(inspected: InspectedSession, id: string, redact: Redact): Promise<CallDetail> {
  const { conversation } = await readTraces(inspected, { subagents: true });
  const found = conversation && callsByThread(conversation).find(({ call }) => call.id === id);
  if (!found) throw notFoundError(`the transcript of ${inspected.session} has no call ${id}`);
  const { name, input, output } = found.call;
  return {
    id,
    tool: name,
    input: folded(JSON.stringify(input, undefined, 2), redact),
    output: folded(output, redact),
  };
}
