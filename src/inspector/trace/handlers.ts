// Handlers of traces: the turns of a session, the steps of one turn or of all, and one call in full. A trace that was read is
// kept until its transcript or its ledger changes.
import { notFoundError, statIfThere } from "../../lib/index.ts";
import type { KnowledgeStore, Page, UserPrompt } from "../../store/index.ts";
import type { Inspector } from "../inspector.ts";
import type { InspectedSession } from "../view.ts";
import { withPrompts } from "./align.ts";
import type { SessionTrace } from "./model.ts";

interface TraceHandlerParts {
  readonly inspector: Pick<Inspector, "trace" | "call">;
  readonly store: Pick<KnowledgeStore, "prompts">;
  readonly find: (session: string) => Promise<InspectedSession>;
}

/** A trace of 10,000 steps takes about 4 MB. */
const KEPT_TRACES = 8;
const PROMPTS_PER_PAGE = 500;

function stampOf({ transcript, ledger }: InspectedSession) {
  return [transcript, ledger]
    .map((file) => {
      const facts = file === undefined ? undefined : statIfThere(file);
      return facts ? `${facts.size} ${facts.mtimeMs}` : "-";
    })
    .join(" ");
}

async function promptsOf(store: TraceHandlerParts["store"], session: string) {
  const prompts: UserPrompt[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<UserPrompt> = await store.prompts({
      ...{ session, order: "oldest", limit: PROMPTS_PER_PAGE },
      ...(cursor !== undefined && { cursor }),
    });
    prompts.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return prompts;
}

/** Rejects with `not-found` for a turn or a call that is not known; of a session without a transcript the trace is empty. */
export function makeTraceHandlers({ inspector, store, find }: TraceHandlerParts) {
  const kept = new Map<string, { readonly stamp: string; readonly trace: Promise<SessionTrace> }>();
  const read = (inspected: InspectedSession) => {
    const { session } = inspected;
    const stamp = stampOf(inspected);
    const known = kept.get(session);
    const trace = known?.stamp === stamp ? known.trace : inspector.trace(inspected);
    kept.delete(session);
    kept.set(session, { stamp, trace });
    const [oldest] = kept.keys();
    if (kept.size > KEPT_TRACES && oldest !== undefined) kept.delete(oldest);
    // What failed is tried again.
    trace.catch(() => kept.delete(session));
    return trace;
  };
  return {
    /** All turns, with the steps of `turn`: none without it, all for `all`. */
    async trace(session: string, turn?: number | "all"): Promise<SessionTrace> {
      const inspected = await find(session);
      const [trace, prompts] = await Promise.all([read(inspected), promptsOf(store, session)]);
      const turns = withPrompts(trace.turns, prompts);
      if (turn !== undefined && turn !== "all" && !turns.some((one) => one.turn === turn))
        throw notFoundError(`the session ${session} has no turn ${turn}`);
      const steps = turn === "all" ? trace.steps : trace.steps.filter((step) => step.turn === turn);
      return { ...trace, turns, steps };
    },
    call: async (session: string, id: string) => inspector.call(await find(session), id),
  };
}
