// What the API does with the context by itself: asked for by the caller's own request, or by our directives.
import type { RequestParams } from "../ledger/index.ts";
import { isObject, type JsonObject, sumOf } from "../lib/index.ts";

/** The beta header that `context_management` needs. */
export const CONTEXT_MANAGEMENT_BETA = "context-management-2025-06-27";

export interface ContextManagement {
  /** The request itself says how the API clears. */
  readonly clears: boolean;
  /** The request itself asks the API to compact. */
  readonly compacts: boolean;
  /** The request has thinking on: the API refuses to clear thinking otherwise. */
  readonly thinks: boolean;
}

export const STANDS_BACK = "the request has the API manage the context by itself";

const isGiven = (value: unknown) => value !== undefined && value !== null;

function editsOf(value: unknown): readonly JsonObject[] {
  const edits = isObject(value) ? value.edits : undefined;
  return Array.isArray(edits) ? edits.filter(isObject) : [];
}

const typeOf = ({ type }: JsonObject) => (typeof type === "string" ? type : "");

export function managementOf(body: JsonObject = {}): ContextManagement {
  const { thinking, context_management: own, compaction } = body;
  const type = isObject(thinking) ? typeOf(thinking) : "";
  return {
    clears: isGiven(own),
    compacts: isGiven(compaction) || editsOf(own).some((edit) => typeOf(edit).startsWith("compact_")),
    thinks: type === "enabled" || type === "adaptive",
  };
}

/**
 * The parameters as this request can carry them. The directives leave with their beta where the caller has its own, and
 * the one that clears thinking where there is none.
 */
export function paramsFor(
  params: RequestParams,
  { clears, compacts, thinks }: ContextManagement,
): RequestParams {
  const { context_management: ours, ...body } = params.body;
  if (!isGiven(ours)) return params;
  const asked = editsOf(ours);
  const edits = thinks ? asked : asked.filter((edit) => !typeOf(edit).startsWith("clear_thinking_"));
  if (clears || compacts || edits.length === 0)
    return { body, betas: params.betas.filter((beta) => beta !== CONTEXT_MANAGEMENT_BETA) };
  if (edits.length === asked.length) return params;
  return { ...params, body: { ...params.body, context_management: { ...(ours as JsonObject), edits } } };
}

/** What the API says it has done with the context before it answered: `applied_edits`, as they are in the response. */
export function appliedEdits(contextManagement: unknown): readonly JsonObject[] {
  const applied = isObject(contextManagement) ? contextManagement.applied_edits : undefined;
  return Array.isArray(applied) ? applied.filter(isObject) : [];
}

/** Tokens that were cleared before the API counted. */
export const clearedTokens = (applied: readonly JsonObject[]): number =>
  sumOf(applied, ({ cleared_input_tokens: cleared }) =>
    typeof cleared === "number" && cleared > 0 ? cleared : 0,
  );
