// Compaction by the API itself, where the model has it: a signed block that keeps the thinking behind it valid.
import type { Block, History } from "../messages/index.ts";
import type { LanguageModel, ModelError, ModelReply, ModelRequest } from "../models/index.ts";
import { closed } from "./summarize.ts";
import type { MainCall } from "./summaryRequest.ts";

export const ON_DEMAND_BETA = "compact-2026-09-04";

interface OnDemandInput {
  /** What is to be replaced: the next request sends the block in its place, and everything after it unchanged. */
  readonly history: History;
  readonly main: MainCall;
  readonly model: LanguageModel;
  readonly instructions?: readonly string[];
  readonly maxTokens: number;
  readonly signal?: AbortSignal;
}

type OnDemandOutcome =
  /** The block goes first into the next request, in a message of the assistant. */
  | { readonly ok: true; readonly block: Block; readonly reply: ModelReply }
  | { readonly ok: false; readonly message: string; readonly error?: ModelError };

/** One request, never a second: whoever asked has a summary to fall back on. */
export async function compactOnDemand(input: OnDemandInput): Promise<OnDemandOutcome> {
  const { history, model, signal } = input;
  if (model.dialect !== "messages") return { ok: false, message: `${model.name} cannot compact by itself` };
  if (history.length === 0 || closed(history).length < history.length)
    return { ok: false, message: "the part to compact ends in an open call or is empty" };
  const outcome = await model.complete(requestFor(input), signal === undefined ? {} : { signal });
  if (!outcome.ok) return { ok: false, message: outcome.error.message, error: outcome.error };
  const block = outcome.reply.blocks.find(({ type }) => type === "compaction");
  if (block === undefined || typeof block.content !== "string" || block.content.trim() === "")
    return { ok: false, message: "the API gave no compaction back" };
  return { ok: true, block, reply: outcome.reply };
}

function requestFor({ history, main, instructions = [], maxTokens }: OnDemandInput): ModelRequest {
  const { model, system, tools, effort, thinking, betas = [], body = {} } = main;
  // The API refuses its two ways of managing the context in one request.
  const { context_management: _left, ...rest } = body;
  const wishes = instructions.map((text) => text.trim()).filter(Boolean);
  const compaction = {
    type: "summarize",
    ...(wishes.length > 0 ? { instructions: wishes.join("\n\n") } : {}),
  };
  return {
    purpose: "compact",
    model,
    messages: history.map(({ message }) => message),
    maxTokens,
    betas: [...betas.filter((beta) => beta !== ON_DEMAND_BETA), ON_DEMAND_BETA],
    body: { ...rest, compaction },
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
  };
}
