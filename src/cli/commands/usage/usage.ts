// `throughline usage`: what sessions cost today and in the last seven days by lane, or one session turn by turn. The viewer shows the
// same numbers from the same functions.
import { setTimeout as sleep } from "node:timers/promises";
import {
  inspectInThread,
  makeTraceHandlers,
  makeUsageBook,
  savingsFrom,
  tracesOf,
  type UsagePeriod,
} from "../../../inspector/index.ts";
import { notFoundError, systemClock } from "../../../lib/index.ts";
import type { Store } from "../../../store/index.ts";
import { defineCommand, type Report, value } from "../../command.ts";
import { commandContext, withDatabase } from "../../context.ts";
import { columns, counted, formatNumber, localMinute } from "../../output.ts";

const POLL_MS = 20;
const MILLI = 1_000;
const LONGEST_PROMPT = 60;

const dollarText = (dollars: number | undefined) =>
  dollars === undefined ? "no price" : `$${dollars.toFixed(2)}`;

function periodRow(
  name: string,
  { requests, inputTokens, outputTokens, dollars, keptOutTokens }: UsagePeriod["lanes"][number] | UsagePeriod,
) {
  return [
    name,
    dollarText(dollars),
    counted(requests, "request"),
    `${formatNumber(inputTokens + outputTokens)} tokens`,
    `${formatNumber(keptOutTokens)} kept out`,
  ];
}

async function summary(store: Store): Promise<Report> {
  const { home, env } = commandContext();
  const book = makeUsageBook({
    store,
    trace: async (session) => inspectInThread.trace(await tracesOf({ home, env, store }, session)),
    clock: systemClock,
    log: { warn: () => undefined },
  });
  const eastMinutes = -new Date().getTimezoneOffset();
  let data = await book.summary(eastMinutes);
  while (data.isCounting) {
    await sleep(POLL_MS);
    data = await book.summary(eastMinutes);
  }
  const { today, week, unread } = data;
  const rows = [
    periodRow("today", today),
    periodRow("7 days", week),
    ...week.lanes.map((lane) => periodRow(`  ${lane.lane || "unknown"}`, lane)),
  ];
  const note = unread === 0 ? [] : [`Of ${counted(unread, "session")} the transcript is not there.`];
  const { isCounting: _, ...saved } = savingsFrom(await store.accountSums(), false);
  return { data: { ...data, saved }, text: [columns(rows), ...note] };
}

async function ofSession(store: Store, id: string): Promise<Report> {
  const { home, env } = commandContext();
  const session = await store.session(id);
  if (!session) throw notFoundError(`there is no session ${id}`, "`throughline timeline` names sessions");
  const find = (one: string) => tracesOf({ home, env, store }, one);
  const { turns } = await makeTraceHandlers({ inspector: inspectInThread, store, find }).trace(id);
  const { cost, saved } = await inspectInThread.account(await find(id));
  const rows = turns.map(({ turn, at, ms, calls, failed, dollars, prompt }) => [
    String(turn),
    localMinute(at),
    `${Math.round(ms / MILLI)} s`,
    `${counted(calls, "call")}${failed > 0 ? `, ${failed} failed` : ""}`,
    dollarText(dollars),
    prompt.slice(0, LONGEST_PROMPT),
  ]);
  const total = cost
    ? `${dollarText(cost.dollars)}, ${counted(cost.requests, "request")}`
    : "the transcript is not there";
  return {
    data: { session: id, cost: cost ?? null, compactions: saved.compactions, turns },
    text: [`session ${id}: ${total}, ${counted(saved.compactions, "compaction")}`, columns(rows)],
  };
}

const usage = defineCommand({
  args: { session: value("id", "one session, turn by turn") },
  examples: {
    "throughline usage": "what was spent today and in the last seven days, by lane",
    "throughline usage --session 5a3b1e70-2c4d-4f60-9b1a-7d2e8c90aa11 --json": "one session, for a program",
  },
  run: ({ args }): Promise<Report> =>
    withDatabase(
      (store) => (args.session === undefined ? summary(store) : ofSession(store, args.session)),
      "read",
    ),
});

export default { usage };
