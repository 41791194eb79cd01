// A session's window over time: points, events and cost, from its transcript and its ledger.
import { existsSync } from "node:fs";
import path from "node:path";
import { openLedger } from "../ledger/index.ts";
import { defined, notFoundError, sumOf } from "../lib/index.ts";
import { promptTokens, type Usage } from "../messages/index.ts";
import { cost, findModel, type ModelOverrides } from "../tokens/index.ts";
import { type Conversation, isRealModel, readConversation } from "../transcript/index.ts";
import { openVault } from "../vault/index.ts";
import { eventDetail } from "./detail.ts";
import { windowEvents } from "./events.ts";
import { liveAccount } from "./liveAccount.ts";
import type { SessionCost, WindowEventDetail, WindowPoint, WindowView } from "./model.ts";
import { recordingOf, windowPoints } from "./points.ts";
import type { CompactionRules } from "./preview.ts";

/** Where a session's traces are. Plain values: it crosses into another thread. */
export interface InspectedSession {
  readonly session: string;
  readonly transcript?: string;
  /** May not exist: a session whose window was never edited has none. */
  readonly ledger?: string;
  readonly vault: string;
  readonly models: ModelOverrides;
  /** For a preview. */
  readonly compaction?: CompactionRules;
}

/** A chart has no more pixels than this. */
const MOST_CHART_POINTS = 1_000;

export function sessionCost(
  { requests }: Pick<Conversation, "requests">,
  models: ModelOverrides,
): SessionCost {
  const answered = requests.filter(({ usage, model }) => promptTokens(usage) > 0 && isRealModel(model));
  const sum = (pick: (usage: Usage) => number) => sumOf(answered, ({ usage }) => pick(usage));
  const priced = answered.map(({ usage, model }) => {
    const known = model === undefined ? undefined : findModel(model, models);
    return known && cost(usage, known);
  });
  const isPriced = priced.length > 0 && priced.every((dollars) => dollars !== undefined);
  return {
    requests: answered.length,
    models: [...new Set(answered.flatMap(({ model }) => model ?? []))],
    inputTokens: sum(({ input }) => input),
    cacheReadTokens: sum(({ cacheRead }) => cacheRead),
    cacheWriteTokens: sum(({ cacheWrite5m, cacheWrite1h }) => cacheWrite5m + cacheWrite1h),
    outputTokens: sum(({ output }) => output),
    ...(isPriced && { dollars: sumOf(priced, (dollars = 0) => dollars) }),
  };
}

/** Every n-th point, and those beside an event, so that every step of the curve stays where it was. */
function thinOut(points: readonly WindowPoint[], events: WindowView["events"]) {
  if (points.length <= MOST_CHART_POINTS) return points;
  const step = Math.ceil(points.length / MOST_CHART_POINTS);
  const beside = new Set(
    events.filter(({ kind }) => kind === "compaction").flatMap(({ point }) => [point - 1, point]),
  );
  return points
    .map((point, request) => ({ ...point, request }))
    .filter(({ request }) => request % step === 0 || request === points.length - 1 || beside.has(request));
}

/** What there is of them: Claude Code deletes old transcripts. */
export async function readTraces(
  { transcript, ledger }: Pick<InspectedSession, "transcript" | "ledger">,
  options: Parameters<typeof readConversation>[1] = {},
) {
  const isThere = transcript !== undefined && existsSync(transcript);
  return {
    conversation: isThere ? await readConversation(transcript, options) : undefined,
    entries: ledger === undefined ? [] : openLedger(ledger).entries(),
  };
}

async function inspect(inspected: InspectedSession) {
  const { session, models } = inspected;
  const { conversation, entries } = await readTraces(inspected);
  const recording = conversation && recordingOf(conversation, entries, models);
  const all = recording ? windowPoints(recording) : [];
  const points = thinOut(all, windowEvents(conversation, entries, all));
  const notes = [
    recording ? "tools-in-system" : "no-transcript",
    ...(points.length < all.length ? ["thinned-out"] : []),
  ];
  const view: WindowView = {
    session,
    ...(recording && { limit: recording.session.window }),
    points,
    events: windowEvents(conversation, entries, points),
    ...(conversation && { cost: sessionCost(conversation, models) }),
    ...defined({
      live: inspected.ledger === undefined ? undefined : liveAccount(path.dirname(inspected.ledger)),
    }),
    notes,
  };
  return { view, recording, entries };
}

export async function viewWindow(session: InspectedSession) {
  return (await inspect(session)).view;
}

/** Throws `not-found` for an event that is not there. */
export async function viewEvent(
  session: InspectedSession,
  id: string,
  redact: (text: string) => string,
): Promise<WindowEventDetail> {
  const { view, recording, entries } = await inspect(session);
  const event = view.events.find((one) => one.id === id);
  const detail = event && eventDetail(event, { recording, entries, vault: openVault(session.vault), redact });
  if (detail) return detail;
  throw notFoundError(`the window of ${session.session} has no event ${id}`);
}
