// Puts a language model together from settings: a provider that is loaded when first asked, patience, and a budget.

import type { Environment } from "../home/index.ts";
import { type Clock, errorText, type JsonObject, SECOND, systemClock } from "../lib/index.ts";
import type { Usage } from "../messages/index.ts";
import { askPatiently, type Chance, type Patience, sleep } from "./attempts.ts";
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
  estimate?(request: ModelRequest): number;
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

interface Surroundings {
  readonly settings: ModelSettings;
  readonly deps: ModelDeps;
  readonly chance: Chance;
  readonly spending: Spending;
}

async function accounted(
  provider: Provider,
  request: ModelRequest,
  { settings, deps, chance, spending }: Surroundings,
  options: CallOptions = {},
): Promise<ModelOutcome> {
  const patience: Patience = {
    timeout: settings.timeoutSeconds * SECOND,
    total: settings.totalSeconds * SECOND,
    retries: settings.retries,
  };
  let prompt = 0;
  let reservation: Reservation | undefined;
  try {
    prompt = deps.estimate?.(request) ?? roughTokens(request);
    reservation = spending.reserve(prompt + request.maxTokens, settings.dailyTokens, patience.total);
  } catch (error) {
    return failed(overBudget(`the accounts cannot be kept: ${errorText(error)}`));
  }
  if (!reservation) {
    const { tokens } = spending.on();
    return failed(
      overBudget(`${tokens} of llm.dailyTokens = ${settings.dailyTokens} are spent today; raise it, or wait`),
    );
  }
  const outcome = await askPatiently(provider, request, patience, chance, options.signal);
  charge(reservation, outcome, { request, prompt, settings, deps });
  return outcome;
}

const overBudget = (message: string): ModelError => ({ kind: "over-budget", message });

interface Charging {
  readonly request: ModelRequest;
  readonly prompt: number;
  readonly settings: ModelSettings;
  readonly deps: ModelDeps;
}

function charge(reservation: Reservation, outcome: ModelOutcome, call: Charging): void {
  const { request, prompt, settings, deps } = call;
  const model = outcome.ok ? outcome.reply.model : (request.model ?? settings.model ?? "");
  const usage = outcome.ok ? outcome.reply.usage : undefined;
  const tokens = usage ? allTokens(usage) : outcome.ok || mayHaveCost(outcome.error) ? prompt : 0;
  try {
    const dollars = usage && deps.cost?.(model, usage);
    reservation.settle({
      purpose: request.purpose,
      provider: settings.provider,
      model,
      tokens,
      ...(dollars === undefined ? {} : { dollars }),
    });
  } catch (error) {
    // The answer is worth more than its line in the accounts; the reservation stands for it until it lapses.
    process.emitWarning(`the model's accounts were not written: ${errorText(error)}`);
  }
}

/** A call that ended after it had begun to be answered is charged for its prompt. */
function mayHaveCost({ kind }: ModelError): boolean {
  return kind === "timeout" || kind === "malformed" || kind === "cancelled";
}

const CHARACTERS_PER_TOKEN = 3;

/** Good enough for a budget; a caller that knows better passes `estimate`. */
function roughTokens({ system, messages, tools }: ModelRequest): number {
  const sent: JsonObject = { system, messages, tools };
  return Math.ceil(JSON.stringify(sent).length / CHARACTERS_PER_TOKEN);
}
