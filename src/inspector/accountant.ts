// Computes what sessions cost and saved, in the background: after each end and compaction, and when savings are read.
import { setTimeout as sleep } from "node:timers/promises";
import type { LifecycleEvent } from "../intake/index.ts";
import { type Clock, errorText, MINUTE } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { Account, AccountStore, AccountSums, DueAccount, EventStore } from "../store/index.ts";
import type { ComputedAccount } from "./account.ts";

interface AccountantParts {
  readonly store: Pick<EventStore, "session"> &
    Pick<AccountStore, "account" | "keepAccount" | "accountSums" | "dueAccounts">;
  /** Reads transcript and ledger of a session in the inspector's thread. */
  readonly compute: (session: string) => Promise<ComputedAccount>;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

export type Accountant = ReturnType<typeof makeAccountant>;

const ACCOUNTS_AT_ONCE = 50;
/** An active session is not computed again with every request. */
const FRESH_MS = MINUTE;

const emptyAccount: Account = {
  ...{ requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
  ...{ savedTokens: 0, savedDollars: 0, compactions: 0, results: 0, models: [] },
};

/** Agents delete transcripts after a while: what was known of the cost stays known. */
function accountFrom({ cost, saved }: ComputedAccount, before: Account = emptyAccount) {
  const { tokens: savedTokens, compactions, results } = saved;
  if (!cost) return { ...before, savedTokens, compactions, results };
  return { ...cost, savedTokens, savedDollars: saved.dollars, compactions, results };
}

/** An abortable pause: the worker's stop must not wait for thousands of transcripts. */
async function rest(ms: number, signal: AbortSignal) {
  try {
    await sleep(ms, undefined, { signal, ref: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function updateAccount({ store, compute, log }: AccountantParts, due: Omit<DueAccount, "project">) {
  const { session, lastActivityEpoch } = due;
  const before = await store.account(session);
  let account = before ?? emptyAccount;
  try {
    account = accountFrom(await compute(session), before);
  } catch (error) {
    // It is due again when the session goes on.
    log.warn({ session, problem: errorText(error) }, "account.failed");
  }
  await store.keepAccount(session, account, lastActivityEpoch);
}

const dueNow = ({ store, clock }: AccountantParts) =>
  store.dueAccounts({ limit: ACCOUNTS_AT_ONCE, drawnBefore: clock.now() - FRESH_MS });

async function updateAccounts(parts: AccountantParts, signal: AbortSignal) {
  for (;;) {
    const due = await dueNow(parts);
    if (due.length === 0) return;
    for (const one of due) {
      const began = performance.now();
      await updateAccount(parts, one);
      // Pauses as long as it worked: it uses half of one processor.
      await rest(performance.now() - began, signal);
      if (signal.aborted) return;
    }
  }
}

export function savingsFrom(sums: AccountSums, isCounting: boolean) {
  const input = sums.inputTokens + sums.cacheReadTokens + sums.cacheWriteTokens;
  return {
    tokens: sums.savedTokens,
    dollars: sums.savedDollars,
    compactions: sums.compactions,
    results: sums.results,
    ...(input > 0 && { cacheShare: sums.cacheReadTokens / input }),
    isCounting,
  };
}

export function makeAccountant(parts: AccountantParts) {
  const { store, log } = parts;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  /** One run at a time; what becomes due meanwhile waits for the next run. */
  const begin = (work: () => Promise<void>) => {
    if (stopping.signal.aborted || running) return;
    running = work()
      .catch((error) => log.warn({ problem: errorText(error) }, "account.save-failed"))
      .finally(() => {
        running = undefined;
      });
  };
  return {
    /** The sums so far; starts to compute what is due. */
    async savings() {
      // Counting starts only when something is due: a page that polls must see the end.
      if ((await dueNow(parts)).length > 0) begin(() => updateAccounts(parts, stopping.signal));
      return savingsFrom(await store.accountSums(), running !== undefined);
    },
    onLifecycleEvent: async ({ kind, session }: LifecycleEvent) => {
      if (kind === "compacting") return;
      begin(async () => {
        const found = await store.session(session);
        if (found) await updateAccount(parts, { ...found, session });
      });
    },
    busy: () => running !== undefined,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
