// Asks a model for the words of a compaction: the API's own block where it has one, else the nine sections.
import {
  compactOnDemand,
  type MainCall,
  SUMMARY_TOKENS,
  type SummaryMode,
  summarize,
} from "../../compact/index.ts";
import type { RequestParams } from "../../ledger/index.ts";
import { defined } from "../../lib/index.ts";
import type { History } from "../../messages/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import type { PlanContext } from "../planContext.ts";
import type { AutocompactSettings } from "../settings.ts";
import type { ReadySummary, RefusedWords } from "./candidates.ts";
import { behindLastSummary, endOfClosed, originalsBefore, type WindowCut } from "./cut.ts";
import type { MadeCompaction } from "./fitWindow.ts";

/** The model that writes summaries, and what its call needs. */
export interface Summariser {
  readonly model: LanguageModel;
  /** Window of that model, where it is not the session's own. */
  readonly window?: number;
  /** Hides secrets from a model that is not the session's own; the session's own has seen them already. */
  redact(text: string): string | Promise<string>;
  /** Further instructions: of the call first, then the project's. */
  readonly instructions?: readonly string[];
  /** What the session's requests carry beside messages, system prompt and tools: a call that goes on from them repeats it. */
  readonly main?: Omit<MainCall, "model" | "system" | "tools">;
  readonly signal?: AbortSignal;
}

export interface SummaryQuestion {
  readonly context: PlanContext;
  /** The window before the compaction. */
  readonly view: History;
  readonly params: RequestParams;
  readonly compaction: MadeCompaction;
  readonly call: Pick<MainCall, "model" | "system" | "tools">;
}

interface AskedWords {
  readonly summary?: ReadySummary;
  readonly refused: readonly RefusedWords[];
}

/** Few models have less; a prompt that is too long all the same is made shorter when it comes back. */
const USUAL_WINDOW = 200_000;

/** Undefined when no model has to be asked: the notes have the words. Never rejects for what a model does. */
export async function askForWords(
  question: SummaryQuestion,
  summariser: Summariser,
): Promise<AskedWords | undefined> {
  const refused: RefusedWords[] = [];
  const takesBlock = offersBlock(question, summariser);
  if (!takesBlock && question.compaction.from === "notes") return undefined;
  if (takesBlock) {
    const asked = await askForBlock(question, summariser);
    if ("through" in asked) return { summary: asked, refused };
    refused.push(asked);
    if (question.compaction.from === "notes") return { refused };
  }
  const asked = await askForSummary(question, summariser);
  return "through" in asked ? { summary: asked, refused } : { refused: [...refused, asked] };
}

/** `seed` knows notes and summaries; the API's own block came later. */
function offersBlock({ context, compaction }: SummaryQuestion, { model }: Summariser) {
  return (
    context.settings.policy !== "seed" &&
    context.model.compactsOnDemand &&
    model.dialect === "messages" &&
    compaction.order.part === undefined
  );
}

/** The session's own request, with what the ledger adds to it. */
function mainCall({ call, params }: SummaryQuestion, { main = {} }: Summariser): MainCall {
  return {
    ...main,
    ...call,
    betas: [...new Set([...(main.betas ?? []), ...params.betas])],
    body: { ...main.body, ...params.body },
  };
}

async function askForBlock(
  question: SummaryQuestion,
  summariser: Summariser,
): Promise<ReadySummary | RefusedWords> {
  const { view, compaction } = question;
  // The API takes no request that ends with the assistant: then that message stays as well.
  const end = view.findLastIndex(({ message }, at) => at < compaction.usual.start && message.role === "user");
  const history = view.slice(0, end + 1);
  const through = history.at(-1)?.id;
  if (through === undefined) return { from: "on-demand", why: "there is nothing to take out" };
  const outcome = await compactOnDemand({
    history,
    main: mainCall(question, summariser),
    model: summariser.model,
    maxTokens: SUMMARY_TOKENS,
    ...defined({ instructions: summariser.instructions, signal: summariser.signal }),
  });
  return outcome.ok
    ? { from: "on-demand", block: outcome.block, through }
    : { from: "on-demand", why: outcome.message };
}

async function askForSummary(
  question: SummaryQuestion,
  summariser: Summariser,
): Promise<ReadySummary | RefusedWords> {
  const { context, view } = question;
  const cut = summaryCut(question);
  const through = view[cut.start - 1]?.id;
  if (through === undefined) return { from: "model", why: "there is nothing to take out" };
  // What was compacted before is summed up again from the originals: a summary of a summary drifts.
  const again = behindLastSummary(view, context.active) > 0;
  const rendered = again || summariser.model.dialect === "text";
  // The seed's call has a system sentence of its own and no thinking, whatever that does to the cache.
  const ownForm = context.settings.policy === "seed" ? ("own-call" as const) : undefined;
  const outcome = await summarize({
    ...summaryInput(question, cut, rendered),
    main: mainCall(question, summariser),
    regime: context.model.thinking,
    family: context.model.tokenizer,
    model: summariser.model,
    window: rendered ? (summariser.window ?? USUAL_WINDOW) : context.model.window,
    redact: (text) => summariser.redact(text),
    ...defined({ form: rendered ? ("rendered" as const) : ownForm }),
    ...defined({ instructions: summariser.instructions, signal: summariser.signal }),
  });
  if (!outcome.ok) return { from: "model", why: outcome.failure.message };
  const { summary: text, unseen } = outcome;
  return { from: "model", text, through, ...defined({ unseen: unseen.length > 0 ? unseen : undefined }) };
}

/** `seed` lets a summary replace everything; `thrifty` keeps the newest messages. */
function summaryCut({ context, view, compaction }: SummaryQuestion) {
  const { usual, order } = compaction;
  if (order.part || context.settings.policy !== "seed") return usual;
  return { first: 0, start: endOfClosed(view) };
}

interface Divided {
  readonly history: History;
  readonly mode: SummaryMode;
  readonly pivot?: string;
}

/** What the summariser reads and where it divides: the session's window as it is, or the originals as text. */
function summaryInput({ context, view }: SummaryQuestion, cut: WindowCut, rendered: boolean): Divided {
  const { history } = context;
  const items = rendered ? history : view;
  const startOf = (at: number) => (rendered ? history[originalsBefore(context, view, at)]?.id : view[at]?.id);
  if (cut.first > 0) return { history: items, mode: "partial", pivot: startOf(cut.first) ?? "" };
  const pivot = startOf(cut.start);
  return pivot === undefined
    ? { history: items, mode: "base" }
    : { history: items, mode: "partial-up-to", pivot };
}

/** Failures in a row, and when the last one was. */
export interface Breaker {
  readonly failures: number;
  readonly lastAt: number;
}

export function mayAsk(
  breaker: Breaker | undefined,
  limits: Pick<AutocompactSettings, "failures" | "coolDown">,
  now: number,
) {
  if (!breaker || breaker.failures < limits.failures) return true;
  return now - breaker.lastAt >= limits.coolDown;
}

/** After an attempt; undefined when nothing has to be remembered. */
export function breakerAfter(
  breaker: Breaker | undefined,
  failed: boolean,
  now: number,
): Breaker | undefined {
  return failed ? { failures: (breaker?.failures ?? 0) + 1, lastAt: now } : undefined;
}
