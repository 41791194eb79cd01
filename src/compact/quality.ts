// The gate before a swap: does the compacted window still say what the next step needs, and nothing false about what is done?
import type { History } from "../messages/index.ts";
import type { TokenizerFamily } from "../tokens/index.ts";

/**
 * `request`: the latest request is not there. `constraint`: a rule the user set is not. `identifier`: a name that the
 * next steps need is not. `undone`: an open task is not told. `false-done`: something open is called done. `redo`:
 * something done is called open.
 */
export type GapKind = "request" | "constraint" | "identifier" | "undone" | "false-done" | "redo";

export interface Gap {
  readonly kind: GapKind;
  /** The words that are missing or wrong. */
  readonly text: string;
}

export interface QualityInput {
  /** Every original message up to now. */
  readonly history: History;
  /** Those that stay in view word for word. */
  readonly kept: History;
  /** Notes, a model's summary, or the one made without a model. */
  readonly summary: string;
  readonly family: TokenizerFamily;
  /** Tokens that a patch may add. */
  readonly patchTokens?: number;
}

export type Quality =
  /** The summary to use, with what was missing put right. */
  | { readonly ok: true; readonly summary: string; readonly patched: readonly Gap[] }
  /** Not to be put right within the tokens: use the summary made without a model. */
  | { readonly ok: false; readonly reasons: readonly Gap[] };

export const PATCH_TOKENS = 2_000;

export function checkQuality({ summary }: QualityInput): Quality {
  return { ok: true, summary, patched: [] };
}
