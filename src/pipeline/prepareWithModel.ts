// Prepares a request and, when it has to be compacted, asks a model for better words first.
import { paramsFor } from "../legality/index.ts";
import { defined, isObject, systemClock } from "../lib/index.ts";
import { isBlock, type Message } from "../messages/index.ts";
import {
  askForWords,
  breakerAfter,
  mayAsk,
  type Summariser,
  type SummaryQuestion,
} from "./autocompact/ask.ts";
import type { RefusedWords } from "./autocompact/candidates.ts";
import {
  type ClientMessage,
  commitRequest,
  type Prepared,
  type PreparedFor,
  type PrepareFor,
  type PrepareInput,
  planRequest,
  prepare,
  type RequestPlan,
} from "./prepare.ts";
import type { Session } from "./session.ts";

/**
 * `prepare` with a model. A request that needs no compaction asks no model and costs what it costs there. What the model
 * does or fails to do is in the receipt: on a failure the words come from the messages themselves. Throws what `prepare`
 * throws.
 */
export async function prepareWithModel<M extends ClientMessage = Message>(
  input: PrepareFor<M>,
  summariser?: Summariser,
): Promise<PreparedFor<M>> {
  const prepared = await prepareAsking(input as unknown as PrepareInput, summariser);
  return prepared as unknown as PreparedFor<M>;
}

async function prepareAsking(input: PrepareInput, summariser?: Summariser) {
  if (!summariser) return prepare(input);
  // Both plans use one time: a cache that turns cold while the model writes must not change the plan.
  const now = input.now ?? systemClock.now();
  const timed = { ...input, now };
  const plan = planRequest(timed);
  const question = questionOf(plan);
  const asked = question && (await askForWords(question, summariser));
  if (!asked) return commitRequest(plan);
  const { summary, refused } = asked;
  const prepared = prepare({ ...timed, ...defined({ summary }) });
  const isUsed = summary !== undefined && prepared.receipt.compaction?.from === summary.from;
  if (!summariser.signal?.aborted) rememberOutcome(input.session, !isUsed, now);
  return withRefusals(prepared, refused);
}

/** A summary that the session's own model wrote for its host, and the first message that it had not read. */
export interface HostSummary {
  readonly text: string;
  readonly unread?: string | undefined;
}

/**
 * `prepare` with a summary that is there already. What it had not read stays, and so do the newest messages; the user's
 * words and what they answer are added to it.
 */
export function prepareWithSummary(input: PrepareInput, { text, unread }: HostSummary): Prepared {
  const timed = { ...input, now: input.now ?? systemClock.now() };
  const plan = planRequest(timed);
  const { compaction } = plan.fitted;
  const { items } = plan.uncompacted;
  const from = items.findIndex(({ id }) => id === unread);
  const usual = compaction?.usual.start ?? 0;
  const through = items[(from < 0 ? usual : Math.min(from, usual)) - 1]?.id;
  if (through === undefined) return commitRequest(plan);
  return prepare({ ...timed, summary: { from: "model", text, through, addsVerbatim: true } });
}

/** What to ask; undefined without a compaction, and while the circuit breaker is open. */
function questionOf({ input, context, uncompacted, fitted }: RequestPlan): SummaryQuestion | undefined {
  const { compaction } = fitted;
  const { summariser } = input.session.runtime.state;
  if (!compaction || compaction.order.byPrice || input.dryRun) return undefined;
  if (!mayAsk(summariser, context.settings.autocompact, context.now)) return undefined;
  const { model, system, tools } = input;
  return {
    context,
    view: uncompacted.items,
    params: paramsFor(uncompacted.params, context.management),
    compaction,
    call: defined({
      model,
      system: typeof system === "string" ? system : system?.filter(isBlock),
      tools: tools?.filter(isObject),
    }),
  };
}

function rememberOutcome({ runtime, state }: Session, failed: boolean, now: number) {
  const { summariser: known, ...rest } = runtime.state;
  const summariser = breakerAfter(known, failed, now);
  if (!known && !summariser) return;
  runtime.state = { ...rest, ...defined({ summariser }) };
  state.save(runtime.state);
}

function withRefusals(prepared: Prepared, refused: readonly RefusedWords[]) {
  const { receipt } = prepared;
  const { compaction } = receipt;
  if (!compaction || refused.length === 0) return prepared;
  const all = [...refused, ...compaction.refused];
  return { ...prepared, receipt: { ...receipt, compaction: { ...compaction, refused: all } } };
}
