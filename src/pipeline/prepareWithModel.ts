// Prepares a request and, when it has to be compacted, asks a model for better words first.
import { isObject, type JsonObject, systemClock } from "../lib/index.ts";
import { isBlock } from "../messages/index.ts";
import {
  type Asked,
  askForWords,
  breakerAfter,
  mayAsk,
  type Question,
  type Summariser,
} from "./autocompact/ask.ts";
import { type Drawn, draw, type Prepared, type PrepareInput, prepare, settle } from "./prepare.ts";
import { runtimeOf } from "./runtime.ts";

/**
 * `prepare` with a model at hand. A request that needs no compaction costs what it costs there, and asks nobody. What
 * the model does or fails to do is in the receipt and never in the way: the words of the messages themselves take over.
 * Throws what `prepare` throws.
 */
export async function prepareWithModel(input: PrepareInput, summariser?: Summariser): Promise<Prepared> {
  if (!summariser) return prepare(input);
  // One moment for both looks at the request: a cache that turns cold while the model writes must not change the plan.
  const timed = { ...input, now: input.now ?? systemClock.now() };
  const drawn = draw(timed);
  const question = questionOf(drawn, timed.now);
  const asked = question && (await askForWords(question, summariser));
  if (!asked) return settle(drawn);
  const { summary } = asked;
  const prepared = prepare(summary ? { ...timed, summary } : timed);
  const isUsed = summary !== undefined && prepared.receipt.compaction?.from === summary.from;
  if (!summariser.signal?.aborted) remember(drawn, !isUsed, timed.now);
  return withRefusals(prepared, asked);
}

/** What to ask, when there is something to ask for and the model is not being left alone. */
function questionOf(
  { input, context, collapsed, fitted, runtime }: Drawn,
  now: number,
): Question | undefined {
  const { compaction } = fitted;
  if (
    !compaction ||
    compaction.order.byPrice ||
    input.dryRun ||
    !mayAsk(runtime.state.summariser, context.settings.autocompact, now)
  )
    return undefined;
  const { after } = collapsed.trial;
  return {
    context,
    view: after.items,
    params: after.params,
    compaction,
    call: { model: input.model, ...systemOf(input), ...toolsOf(input) },
  };
}

function systemOf({ system }: PrepareInput): Pick<Question["call"], "system"> {
  if (system === undefined || typeof system === "string") return system === undefined ? {} : { system };
  return { system: system.filter(isBlock) };
}

function toolsOf({ tools }: PrepareInput): { readonly tools?: readonly JsonObject[] } {
  return tools === undefined ? {} : { tools: tools.filter(isObject) };
}

function remember({ input: { session } }: Drawn, failed: boolean, now: number) {
  const runtime = runtimeOf(session);
  const { summariser: known, ...rest } = runtime.state;
  const summariser = breakerAfter(known, failed, now);
  if (known === undefined && summariser === undefined) return;
  runtime.state = summariser ? { ...rest, summariser } : rest;
  session.state.save(runtime.state);
}

function withRefusals(prepared: Prepared, { refused }: Asked) {
  const { receipt } = prepared;
  const { compaction } = receipt;
  if (!compaction || refused.length === 0) return prepared;
  const all = [...refused, ...compaction.refused];
  return { ...prepared, receipt: { ...receipt, compaction: { ...compaction, refused: all } } };
}
