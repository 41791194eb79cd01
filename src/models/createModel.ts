// Puts a language model together from settings: a provider that is loaded when first asked, limits, and a budget.

import { setTimeout as wait } from "node:timers/promises";
import type { Environment } from "../home/index.ts";
import { type Clock, defined, errorText, SECOND, systemClock } from "../lib/index.ts";
import type { Usage } from "../messages/index.ts";
import {
  type CallOptions,
  failed,
  type LanguageModel,
  type ModelError,
  type ModelOutcome,
  type ModelRequest,
  type Provider,
} from "./model.ts";
import { allTokens, openSpending, type Reservation, type Spending } from "./spending.ts";

export const providerNames = ["none", "anthropic", "openai-compatible", "claude-cli"] as const;
type ProviderName = (typeof providerNames)[number];

export interface ModelSettings {
  readonly provider: ProviderName;
  /** Empty: the provider's own choice, where it has one. */
  readonly model?: string;
  /** Empty: the provider's usual place. */
  readonly baseUrl?: string;
  /** Name of the variable that holds the key; empty: the provider's usual one. */
  readonly apiKeyEnv?: string;
  /** The program of `claude-cli`. */
  readonly command?: string;
  readonly timeoutSeconds: number;
  readonly totalSeconds: number;
  readonly retries: number;
  /** 0 is no limit. */
  readonly dailyTokens: number;
}

export interface ModelDeps {
  readonly env: Environment;
  /** Folder of the accounts. */
  readonly spending: string;
  /** US dollars of a call, where prices are known. */
  cost?(model: string, usage: Usage): number | undefined;
  /** Tokens of a request before it is sent. */
  estimate(request: ModelRequest): number;
  readonly clock?: Clock;
  readonly chance?: Partial<Chance>;
}

/** What a provider needs to know of the settings. */
export interface ProviderSettings {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKeyEnv: string;
  readonly command: string;
  readonly env: Environment;
}

/** Loaded on demand: the official client alone costs a fifth of a second, and most commands never ask a model. */
const providers: Readonly<
  Record<Exclude<ProviderName, "none">, (settings: ProviderSettings) => Promise<Provider>>
> = {
  anthropic: async (settings) => (await import("./providers/anthropic.ts")).anthropic(settings),
  "openai-compatible": async (settings) =>
    (await import("./providers/openaiCompatible.ts")).openaiCompatible(settings),
  "claude-cli": async (settings) => (await import("./providers/claudeCli.ts")).claudeCli(settings),
};

export function createModel(settings: ModelSettings, deps: ModelDeps): LanguageModel {
  const { provider: name } = settings;
  if (name === "none") return noModel;
  const clock = deps.clock ?? systemClock;
  const chance: Chance = { clock, random: Math.random, sleep, ...deps.chance };
  const spending = openSpending(deps.spending, clock);
  let loading: Promise<Provider> | undefined;
  const provider: Provider = async (request, signal) => {
    loading ??= providers[name](providerSettings(settings, deps));
    return (await loading)(request, signal);
  };
  return {
    name,
    dialect: name === "anthropic" ? "messages" : "text",
    complete: (request, options) =>
      accounted(provider, request, { settings, deps, chance, spending }, options),
  };
}

/** The model there is when none was chosen. */
export const noModel: LanguageModel = {
  name: "none",
  dialect: "text",
  complete: () =>
    Promise.resolve(
      failed({ kind: "unavailable", message: "no model is configured; choose one with llm.provider" }),
    ),
};

function providerSettings(settings: ModelSettings, { env }: ModelDeps): ProviderSettings {
  const { model = "", baseUrl = "", apiKeyEnv = "", command = "" } = settings;
  return { model, baseUrl, apiKeyEnv, command, env };
}

interface CallContext {
  readonly settings: ModelSettings;
  readonly deps: ModelDeps;
  readonly chance: Chance;
  readonly spending: Spending;
}

async function accounted(
  provider: Provider,
  request: ModelRequest,
  { settings, deps, chance, spending }: CallContext,
  options: CallOptions = {},
) {
  const limits: RetryLimits = {
    timeout: settings.timeoutSeconds * SECOND,
    total: settings.totalSeconds * SECOND,
    retries: settings.retries,
  };
  let prompt = 0;
  let reservation: Reservation | undefined;
  try {
    prompt = deps.estimate(request);
    reservation = spending.reserve(prompt + request.maxTokens, settings.dailyTokens, limits.total);
  } catch (error) {
    return failed(overBudget(`the accounts cannot be kept: ${errorText(error)}`));
  }
  if (!reservation) {
    const { tokens } = spending.on();
    return failed(
      overBudget(`${tokens} of llm.dailyTokens = ${settings.dailyTokens} are spent today; raise it, or wait`),
    );
  }
  const outcome = await askWithRetries(provider, request, limits, chance, options.signal);
  charge(reservation, outcome, { request, prompt, settings, deps });
  return outcome;
}

const overBudget = (message: string): ModelError => ({ kind: "over-budget", message });

interface ChargedCall {
  readonly request: ModelRequest;
  readonly prompt: number;
  readonly settings: ModelSettings;
  readonly deps: ModelDeps;
}

function charge(reservation: Reservation, outcome: ModelOutcome, call: ChargedCall) {
  const { request, prompt, settings, deps } = call;
  const model = outcome.ok ? outcome.reply.model : (request.model ?? settings.model ?? "");
  const usage = outcome.ok ? outcome.reply.usage : undefined;
  const tokens = usage ? allTokens(usage) : outcome.ok || mayHaveCost(outcome.error) ? prompt : 0;
  try {
    const { purpose } = request;
    const dollars = usage && deps.cost?.(model, usage);
    reservation.record(defined({ purpose, provider: settings.provider, model, tokens, dollars }));
  } catch (error) {
    // The answer is worth more than its line in the accounts; the reservation stands for it until it lapses.
    process.emitWarning(`the model's accounts were not written: ${errorText(error)}`);
  }
}

/** A call that ended after it had begun to be answered is charged for its prompt. */
function mayHaveCost({ kind }: ModelError) {
  return kind === "timeout" || kind === "malformed" || kind === "cancelled";
}

interface RetryLimits {
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

async function sleep(milliseconds: number, signal: AbortSignal) {
  await wait(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Never rejects. */
export async function askWithRetries(
  provider: Provider,
  request: ModelRequest,
  limits: RetryLimits,
  chance: Chance,
  outer?: AbortSignal,
): Promise<ModelOutcome> {
  const end = chance.clock.now() + limits.total;
  const never = new AbortController();
  const cancelled = outer ?? never.signal;
  for (let attempt = 0; ; attempt++) {
    const left = end - chance.clock.now();
    const outcome = await askOnce(provider, request, Math.min(limits.timeout, left), cancelled);
    if (outcome.ok || attempt >= limits.retries || !worthRetrying(outcome.error)) return outcome;
    const pause = pauseBefore(attempt, outcome.error, chance.random());
    if (chance.clock.now() + pause >= end) return outcome;
    await chance.sleep(pause, cancelled);
  }
}

async function askOnce(provider: Provider, request: ModelRequest, timeout: number, cancelled: AbortSignal) {
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
function interruption(late: AbortSignal, cancelled: AbortSignal, timeout: number) {
  if (cancelled.aborted) return failed({ kind: "cancelled", message: "the call was given up" });
  if (!late.aborted) return undefined;
  return failed({ kind: "timeout", message: `no answer within ${Math.ceil(timeout / SECOND)} s` });
}

function worthRetrying(error: ModelError) {
  if (error.kind === "unavailable") return error.transient === true;
  return error.kind === "rate-limited" || error.kind === "overloaded";
}

/** As long as the server asked for; else twice as long each time, anywhere between nothing and that. */
export function pauseBefore(attempt: number, error: ModelError, random: number): number {
  if ("retryAfter" in error && error.retryAfter !== undefined)
    return Math.round(error.retryAfter * (1 + SPREAD * random));
  return Math.round(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt) * random);
}
