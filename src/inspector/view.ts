// A session's window over time: points, events and cost, from its transcript and its ledger.
import { existsSync } from "node:fs";
import { openLedger } from "../ledger/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import { promptTokens } from "../messages/index.ts";
import { cost, findModel, type ModelOverrides } from "../tokens/index.ts";
import { type Conversation, isRealModel, readConversation } from "../transcript/index.ts";
import { openVault } from "../vault/index.ts";
import { eventDetail } from "./detail.ts";
import { windowEvents } from "./events.ts";
import type { SessionCost, WindowEventDetail, WindowPoint, WindowView } from "./model.ts";
import { type Recording, recordingOf, windowPoints } from "./points.ts";

/** Where a session's traces are. Plain values: it crosses into another thread. */
export interface InspectedSession {
  readonly session: string;
  readonly transcript?: string;
  /** May not exist: a session whose window was never edited has none. */
  readonly ledger?: string;
  readonly vault: string;
  readonly models: ModelOverrides;
}

/** A chart has no more pixels than this. */
const MOST_POINTS = 1_000;

interface Inspected {
  readonly view: WindowView;
  readonly recording: Recording | undefined;
}

export function sessionCost(
  { requests }: Pick<Conversation, "requests">,
  models: ModelOverrides,
): SessionCost {
  const answered = requests.filter(({ usage, model }) => promptTokens(usage) > 0 && isRealModel(model));
  const sum = (pick: (usage: (typeof answered)[number]["usage"]) => number) =>
    answered.reduce((total, { usage }) => total + pick(usage), 0);
  const priced = answered.map(({ usage, model }) => {
    const known = model === undefined ? undefined : findModel(model, models);
    return known === undefined ? undefined : cost(usage, known);
  });
  const isPriced = priced.length > 0 && priced.every((dollars) => dollars !== undefined);
  return {
    requests: answered.length,
    models: [...new Set(answered.flatMap(({ model }) => model ?? []))],
    inputTokens: sum(({ input }) => input),
    cacheReadTokens: sum(({ cacheRead }) => cacheRead),
    cacheWriteTokens: sum(({ cacheWrite5m, cacheWrite1h }) => cacheWrite5m + cacheWrite1h),
    outputTokens: sum(({ output }) => output),
    ...(isPriced ? { dollars: priced.reduce((all: number, dollars = 0) => all + dollars, 0) } : {}),
  };
}

/** Every n-th point, and those beside an event, so that every step of the curve stays where it was. */
function thinOut(points: readonly WindowPoint[], events: WindowView["events"]): readonly WindowPoint[] {
  if (points.length <= MOST_POINTS) return points;
  const step = Math.ceil(points.length / MOST_POINTS);
  const beside = new Set(
    events.filter(({ kind }) => kind === "compaction").flatMap(({ point }) => [point - 1, point]),
  );
  return points.filter((_, index) => index % step === 0 || index === points.length - 1 || beside.has(index));
}

async function conversationOf(transcript: string | undefined): Promise<Conversation | undefined> {
  return transcript !== undefined && existsSync(transcript) ? readConversation(transcript) : undefined;
}

async function inspect({ session, transcript, ledger, models }: InspectedSession): Promise<Inspected> {
  const conversation = await conversationOf(transcript);
  const entries = ledger === undefined ? [] : openLedger(ledger).entries();
  const recording = conversation && recordingOf(conversation, entries, models);
  const all = recording ? windowPoints(recording) : [];
  const points = thinOut(all, windowEvents(conversation, entries, all));
  const notes = [
    ...(recording ? [] : ["no-transcript"]),
    ...(recording ? ["tools-in-system"] : []),
    ...(points.length < all.length ? ["thinned-out"] : []),
  ];
  const view: WindowView = {
    session,
    ...(recording ? { limit: recording.session.window } : {}),
    points,
    events: windowEvents(conversation, entries, points),
    ...(conversation ? { cost: sessionCost(conversation, models) } : {}),
    notes,
  };
  return { view, recording };
}

export async function viewWindow(session: InspectedSession): Promise<WindowView> {
  return (await inspect(session)).view;
}

/** Throws `not-found` for an event that is not there. */
export async function viewEvent(
  session: InspectedSession,
  id: string,
  redact: (text: string) => string,
): Promise<WindowEventDetail> {
  const { view, recording } = await inspect(session);
  const event = view.events.find((one) => one.id === id);
  const entries = session.ledger === undefined ? [] : openLedger(session.ledger).entries();
  const detail = event && eventDetail(event, { recording, entries, vault: openVault(session.vault), redact });
  if (detail) return detail;
  throw new ThroughlineError("not-found", `the window of ${session.session} has no event ${id}`);
}
