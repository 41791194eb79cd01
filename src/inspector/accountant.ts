// Draws up what sessions cost and saved, in the background: after each end and compaction, and for whoever looks.
import { setTimeout as sleep } from "node:timers/promises";
import type { LifecycleListener } from "../intake/index.ts";
import { type Clock, errorText, MINUTE } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { Account, AccountStore, AccountSums, DueAccount, EventStore } from "../store/index.ts";
import type { DrawnAccount } from "./account.ts";
import type { Savings } from "./model.ts";

interface AccountantParts {
  readonly store: Pick<EventStore, "session"> &
    Pick<AccountStore, "account" | "keepAccount" | "accountSums" | "dueAccounts">;
  /** Reads transcript and ledger of a session, aside. */
  readonly draw: (session: string) => Promise<DrawnAccount>;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

export interface Accountant {
  /** What is known now; what is not yet, is being drawn up from now on. */
  savings(): Promise<Savings>;
  /** Notices ends and compactions. */
  readonly take: LifecycleListener;
  busy(): boolean;
  stop(): Promise<void>;
}

const AT_ONCE = 50;
/** A session at work is not drawn up again with every look at it. */
const FRESH_MS = MINUTE;

const nothing: Account = {
  ...{ requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
  ...{ savedTokens: 0, savedDollars: 0, compactions: 0, results: 0, models: [] },
};

/** Agents delete transcripts after a while: what was known of the cost stays known. */
function accountFrom({ cost, saved }: DrawnAccount, before: Account = nothing): Account {
  const { tokens: savedTokens, compactions, results } = saved;
  if (cost === undefined) return { ...before, savedTokens, compactions, results };
  return { ...cost, savedTokens, savedDollars: saved.dollars, compactions, results };
}

/** Whoever waits for it must not be kept: a transcript may be long, and there may be thousands. */
async function rest(ms: number, signal: AbortSignal) {
  try {
    await sleep(ms, undefined, { signal, ref: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function settle({ store, draw, log }: AccountantParts, due: Omit<DueAccount, "project">) {
  const { session, lastActivityEpoch } = due;
  const before = await store.account(session);
  let account = before ?? nothing;
  try {
    account = accountFrom(await draw(session), before);
  } catch (error) {
    // It is due again when the session goes on.
    log.warn({ session, problem: errorText(error) }, "account.failed");
  }
  await store.keepAccount(session, account, lastActivityEpoch);
}

const dueNow = ({ store, clock }: AccountantParts) =>
  store.dueAccounts({ limit: AT_ONCE, drawnBefore: clock.now() - FRESH_MS });

async function settleAll(parts: AccountantParts, signal: AbortSignal) {
  for (;;) {
    const due = await dueNow(parts);
    if (due.length === 0) return;
    for (const one of due) {
      const began = performance.now();
      await settle(parts, one);
      // As long as it worked: half of one processor is left to others.
      await rest(performance.now() - began, signal);
      if (signal.aborted) return;
    }
  }
}

function savingsFrom(sums: AccountSums, isCounting: boolean): Savings {
  const input = sums.inputTokens + sums.cacheReadTokens + sums.cacheWriteTokens;
  return {
    tokens: sums.savedTokens,
    dollars: sums.savedDollars,
    compactions: sums.compactions,
    results: sums.results,
    ...(input === 0 ? {} : { cacheShare: sums.cacheReadTokens / input }),
    isCounting,
  };
}

export function makeAccountant(parts: AccountantParts): Accountant {
  const { store, log } = parts;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  /** One thing at a time; what is asked for meanwhile is due at the next look. */
  const begin = (work: () => Promise<void>) => {
    if (stopping.signal.aborted || running !== undefined) return;
    running = work()
      .catch((error) => log.warn({ problem: errorText(error) }, "account.save-failed"))
      .finally(() => {
        running = undefined;
      });
  };
  return {
    async savings() {
      // To look whether anything is due is not to count: whoever asks again and again would never be told the end.
      if ((await dueNow(parts)).length > 0) begin(() => settleAll(parts, stopping.signal));
      return savingsFrom(await store.accountSums(), running !== undefined);
    },
    take: async ({ kind, session }) => {
      if (kind === "compacting") return;
      begin(async () => {
        const found = await store.session(session);
        if (found !== undefined) await settle(parts, { ...found, session });
      });
    },
    busy: () => running !== undefined,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
