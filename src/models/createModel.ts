// Creates a language model from settings: a provider that is loaded on first use, retries with backoff, and a daily budget.

import { setTimeout as wait } from "node:timers/promises";
import type { Environment } from "../home/index.ts";
import { type Clock, defined, errorText, SECOND, systemClock } from "../lib/index.ts";
import type { Usage } from "../messages/index.ts";
import {
  failedAs,
  type LanguageModel,
  type ModelError,
  type ModelOutcome,
  type ModelRequest,
  type Provider,
  SESSION_TOKENS,
} from "./model.ts";
import { sessionsFolder } from "./sessionTranscripts.ts";
import { allTokens, openSpending, type Reservation, type Spending } from "./spending.ts";

export const providerNames = ["none", "anthropic", "openai-compatible", "ollama", "claude-cli"] as const;
type ProviderName = (typeof providerNames)[number];

export interface ModelSettings {
  readonly provider: ProviderName;
  /** Empty: the provider's default, if it has one. */
  readonly model?: string;
  /** Empty: the provider's default. */
  readonly baseUrl?: string;
  /** The environment variable with the API key; empty: the provider's default. */
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
  /** The folder of the spending files. */
  readonly spending: string;
  /** US dollars of a call, if the prices are known. */
  cost?(model: string, usage: Usage): number | undefined;
  /** Tokens of a request before it is sent. */
  estimate(request: ModelRequest): number;
  readonly clock?: Clock;
  readonly timing?: Partial<RetryTiming>;
}

/** The settings of a provider; an empty text is its default. */
export interface ProviderSettings
  extends Required<Pick<ModelSettings, "model" | "baseUrl" | "apiKeyEnv" | "command">> {
  readonly env: Environment;
  /** The working folder of model sessions: no project, and known to the importer by its name. */
  readonly folder: string;
}

const openaiServer = async (settings: ProviderSettings) =>
  (await import("./providers/openaiCompatible.ts")).openaiCompatible(settings);

/** Loaded on demand: the official client alone takes 200 ms, and most commands never call a model. */
const providers: Readonly<
  Record<Exclude<ProviderName, "none">, (settings: ProviderSettings) => Promise<Provider>>
> = {
  anthropic: async (settings) => (await import("./providers/anthropic.ts")).anthropic(settings),
  "openai-compatible": openaiServer,
  // The default server of that provider is Ollama's.
  ollama: openaiServer,
  "claude-cli": async (settings) => (await import("./providers/claudeCli.ts")).claudeCli(settings),
};

export function createModel(settings: ModelSettings, deps: ModelDeps): LanguageModel {
  const { provider: name } = settings;
  if (name === "none") return noModel;
  const clock = deps.clock ?? systemClock;
  const spending = openSpending(deps.spending, clock);
  const { model = "", baseUrl = "", apiKeyEnv = "", command = "" } = settings;
  let loading: Promise<Provider> | undefined;
  const folder = sessionsFolder(deps.spending);
  const provider: Provider = async (request, signal) => {
    loading ??= providers[name]({ model, baseUrl, apiKeyEnv, command, env: deps.env, folder });
    return (await loading)(request, signal);
  };
  const timing = { clock, random: Math.random, sleep, ...deps.timing };
  const context = { provider, settings, deps, spending, timing };
  return {
    name,
    dialect: name === "anthropic" ? "messages" : "text",
    complete: (request, options) => completeWithinBudget(context, request, options?.signal),
    close: async () => (await loading)?.close?.(),
  };
}

/** The model when no provider is set. */
export const noModel: LanguageModel = {
  name: "none",
  dialect: "text",
  complete: async () => failedAs("unavailable", "no model is configured; choose one with llm.provider"),
};

interface CallContext {
  readonly provider: Provider;
  readonly settings: ModelSettings;
  readonly deps: ModelDeps;
  readonly spending: Spending;
  readonly timing: RetryTiming;
}

async function completeWithinBudget(context: CallContext, request: ModelRequest, signal?: AbortSignal) {
  const { provider, settings, deps, spending, timing } = context;
  const { retries, dailyTokens, totalSeconds, timeoutSeconds } = settings;
  const limits = { timeout: timeoutSeconds * SECOND, total: totalSeconds * SECOND, retries };
  let prompt = 0;
  let reservation: Reservation | undefined;
  try {
    prompt = deps.estimate(request);
    // A model session is sent again with every question.
    const earlier = request.session && settings.provider === "claude-cli" ? SESSION_TOKENS : 0;
    reservation = spending.reserve(prompt + request.maxTokens + earlier, dailyTokens, limits.total);
  } catch (error) {
    return failedAs("over-budget", `the spending cannot be recorded: ${errorText(error)}`);
  }
  if (!reservation) {
    const spent = `${spending.on().tokens} of llm.dailyTokens = ${dailyTokens} are spent today`;
    return failedAs("over-budget", `${spent}; raise it, or wait`);
  }
  const outcome = await askWithRetries(provider, request, limits, timing, signal);
  charge(context, reservation, request, prompt, outcome);
  return outcome;
}

function charge(
  { settings, deps }: CallContext,
  reservation: Reservation,
  request: ModelRequest,
  prompt: number,
  outcome: ModelOutcome,
) {
  const { purpose } = request;
  const { model = request.model ?? settings.model ?? "", usage } = outcome.ok ? outcome.reply : {};
  const tokens = usage ? allTokens(usage) : outcome.ok || mayHaveCost(outcome.error) ? prompt : 0;
  try {
    const dollars = usage && deps.cost?.(model, usage);
    reservation.record(defined({ purpose, provider: settings.provider, model, tokens, dollars }));
  } catch (error) {
    // The answer is worth more than its record; the reservation counts in its place until it expires.
    process.emitWarning(`the spending on a model was not recorded: ${errorText(error)}`);
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

export interface RetryTiming {
  readonly clock: Clock;
  /** From 0 up to but not including 1. */
  random(): number;
  /** Resolves early when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const FIRST_PAUSE = SECOND / 2;
const LONGEST_PAUSE = 20 * SECOND;
/** Clients that were told to wait equally long must not all retry in the same instant. */
const JITTER = 0.1;

async function sleep(milliseconds: number, signal: AbortSignal) {
  await wait(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Never rejects. */
export async function askWithRetries(
  provider: Provider,
  request: ModelRequest,
  { timeout, total, retries }: RetryLimits,
  { clock, random, sleep }: RetryTiming,
  cancelled: AbortSignal = new AbortController().signal,
): Promise<ModelOutcome> {
  const end = clock.now() + total;
  for (let attempt = 0; ; attempt++) {
    const outcome = await askOnce(provider, request, Math.min(timeout, end - clock.now()), cancelled);
    if (outcome.ok || attempt >= retries || !isRetryable(outcome.error)) return outcome;
    const pause = backoff(attempt, outcome.error, random());
    if (clock.now() + pause >= end) return outcome;
    await sleep(pause, cancelled);
  }
}

async function askOnce(provider: Provider, request: ModelRequest, timeout: number, cancelled: AbortSignal) {
  const cancellation = () => failedAs("cancelled", "the call was cancelled");
  if (cancelled.aborted) return cancellation();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.max(1, timeout));
  const outcome = await provider(request, AbortSignal.any([late.signal, cancelled])).catch((error: unknown) =>
    failedAs("unavailable", errorText(error)),
  );
  clearTimeout(timer);
  // A provider that was stopped fails in its own way; the reason for the stop is the failure to report.
  if (outcome.ok) return outcome;
  if (cancelled.aborted) return cancellation();
  return late.signal.aborted
    ? failedAs("timeout", `no answer within ${Math.ceil(timeout / SECOND)} s`)
    : outcome;
}

function isRetryable(error: ModelError) {
  if (error.kind === "unavailable") return error.transient === true;
  return error.kind === "rate-limited" || error.kind === "overloaded";
}

/** As long as the server asked for; otherwise exponential backoff with full jitter. */
export function backoff(attempt: number, error: ModelError, random: number) {
  if ("retryAfter" in error && error.retryAfter !== undefined)
    return Math.round(error.retryAfter * (1 + JITTER * random));
  return Math.round(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt) * random);
}
