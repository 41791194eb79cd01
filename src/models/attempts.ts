// Asks a provider until it answers, the failure is final, or patience ends: a bounded number of tries in a bounded time.
import { setTimeout as wait } from "node:timers/promises";
import { type Clock, errorText, SECOND } from "../lib/index.ts";
import { failed, type ModelError, type ModelOutcome, type ModelRequest, type Provider } from "./model.ts";

export interface Patience {
  /** Milliseconds for one attempt. */
  readonly timeout: number;
  /** Milliseconds for all attempts and the pauses between them. */
  readonly total: number;
  /** Attempts after the first. */
  readonly retries: number;
}

export interface Chance {
  readonly clock: Clock;
  /** From 0 up to but not including 1. */
  random(): number;
  /** Ends early, without failing, when the signal does. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const FIRST_PAUSE = SECOND / 2;
const LONGEST_PAUSE = 20 * SECOND;
/** Clients that were told the same time to wait should not all come back in the same instant. */
const SPREAD = 0.1;

export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Never rejects. */
export async function askPatiently(
  provider: Provider,
  request: ModelRequest,
  patience: Patience,
  chance: Chance,
  outer?: AbortSignal,
): Promise<ModelOutcome> {
  const end = chance.clock.now() + patience.total;
  const never = new AbortController();
  const cancelled = outer ?? never.signal;
  for (let attempt = 0; ; attempt++) {
    const left = end - chance.clock.now();
    const outcome = await askOnce(provider, request, Math.min(patience.timeout, left), cancelled);
    if (outcome.ok || attempt >= patience.retries || !worthRetrying(outcome.error)) return outcome;
    const pause = pauseBefore(attempt, outcome.error, chance.random());
    if (chance.clock.now() + pause >= end) return outcome;
    await chance.sleep(pause, cancelled);
  }
}

async function askOnce(
  provider: Provider,
  request: ModelRequest,
  timeout: number,
  cancelled: AbortSignal,
): Promise<ModelOutcome> {
  if (cancelled.aborted) return failed({ kind: "cancelled", message: "the call was given up" });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.max(1, timeout));
  const signal = AbortSignal.any([late.signal, cancelled]);
  try {
    const outcome = await provider(request, signal);
    return outcome.ok ? outcome : (interruption(late.signal, cancelled, timeout) ?? outcome);
  } catch (error) {
    const unexpected = failed({ kind: "unavailable", message: errorText(error) });
    return interruption(late.signal, cancelled, timeout) ?? unexpected;
  } finally {
    clearTimeout(timer);
  }
}

/** A provider that was stopped fails in its own way; what counts is who stopped it. */
function interruption(late: AbortSignal, cancelled: AbortSignal, timeout: number): ModelOutcome | undefined {
  if (cancelled.aborted) return failed({ kind: "cancelled", message: "the call was given up" });
  if (!late.aborted) return undefined;
  return failed({ kind: "timeout", message: `no answer within ${Math.ceil(timeout / SECOND)} s` });
}

function worthRetrying(error: ModelError): boolean {
  if (error.kind === "unavailable") return error.transient === true;
  return error.kind === "rate-limited" || error.kind === "overloaded";
}

/** As long as the server asked for; else twice as long each time, anywhere between nothing and that. */
export function pauseBefore(attempt: number, error: ModelError, random: number): number {
  if ("retryAfter" in error && error.retryAfter !== undefined)
    return Math.round(error.retryAfter * (1 + SPREAD * random));
  return Math.round(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt) * random);
}
