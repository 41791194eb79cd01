// Estimates tokens of a text, a message or a request, without knowledge of earlier requests.
import { isBlock, type Message } from "../messages/index.ts";
import type { ModelInfo, TokenizerFamily } from "./models.ts";
import { scanText } from "./scan.ts";
import {
  type ContentClass,
  contentClasses,
  type Shape,
  shapeOf,
  shapeOfAll,
  type ThinkingScope,
} from "./shape.ts";

/**
 * Tokens of each family per token of the old one. The new family's are published comparisons of the same
 * text (prose 1.20, code 1.29–1.39, ideographs 1.01); a counter replaces them by what it learns.
 */
const familyFactors: Record<TokenizerFamily, Record<ContentClass, number>> = {
  old: { prose: 1, file: 1, output: 1, call: 1, thinking: 1, cjk: 1, rule: 1, fineImage: 0 },
  new: { prose: 1.22, file: 1.34, output: 1.34, call: 1.34, thinking: 1.2, cjk: 1.01, rule: 1, fineImage: 1 },
};

/** A family's rates in the order of `contentClasses`. */
export function familyRates(family: TokenizerFamily) {
  return contentClasses.map((name) => familyFactors[family][name]);
}

export function weigh(shape: Shape, factors: readonly number[]) {
  let sum = 0;
  for (let at = 0; at < shape.length; at++) sum += (shape[at] ?? 0) * (factors[at] ?? 1);
  return sum;
}

export function thinkingScope(model: Pick<ModelInfo, "thinking">): ThinkingScope {
  return model.thinking === "legacy" ? "this-turn" : "kept";
}

export function estimateText(text: string, family: TokenizerFamily) {
  const { plain, cjk } = scanText(text);
  return Math.ceil(plain * familyFactors[family].prose + cjk * familyFactors[family].cjk);
}

/** Tokens of one message with its framing. Cheap to ask again: the scan is remembered per object. */
export function estimateMessage(message: Message, family: TokenizerFamily) {
  return Math.ceil(weigh(shapeOf(message), familyRates(family)));
}

interface EstimatedParts {
  readonly model: Pick<ModelInfo, "tokenizer" | "thinking">;
  readonly system?: string | readonly unknown[];
  readonly tools?: readonly unknown[];
}

const TOOLS_PREAMBLE = 320;

/** Tokens of a whole request: tools, system prompt and messages, as the given model would count them. */
export function estimateTokens(messages: readonly Message[], parts: EstimatedParts) {
  const { model, system, tools } = parts;
  const family = model.tokenizer;
  let tokens = weigh(shapeOfAll(messages, thinkingScope(model)), familyRates(family));
  if (typeof system === "string") tokens += estimateText(system, family);
  else if (system) tokens += estimateMessage({ role: "system", content: system.filter(isBlock) }, family);
  if (tools?.length) {
    const definitions = estimateText(JSON.stringify(tools), family);
    tokens += TOOLS_PREAMBLE + definitions;
  }
  return Math.ceil(tokens);
}
