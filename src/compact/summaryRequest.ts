// The three forms in which a summary can be asked for, each as the request that is sent for given messages.
import { defined, type JsonObject } from "../lib/index.ts";
import {
  type Block,
  blocksOf,
  type History,
  type HistoryItem,
  isThinking,
  type Message,
} from "../messages/index.ts";
import type { ModelRequest } from "../models/index.ts";
import { estimateText, estimateTokens, type ThinkingRegime, type TokenizerFamily } from "../tokens/index.ts";
import { SUMMARIZER_SYSTEM, TRUNCATION_MARKER } from "./prompts.ts";
import { modelTranscript, redactedTranscript, TRANSCRIPT_INTRODUCTION } from "./transcriptText.ts";

/** The parts of the session's own requests that a summary call repeats, so that cache and thinking stay valid. */
export interface MainCall extends Pick<ModelRequest, "system" | "tools" | "effort" | "betas" | "body"> {
  readonly model: string;
  readonly thinking?: JsonObject;
}

/**
 * `continued`: the session's own request with the prompt behind it. `own-call`: the same messages under a system
 * prompt of its own, without thinking, pictures and attachments. `rendered`: the conversation as text, for models
 * that are not the session's own.
 */
export type SummaryForm = "continued" | "own-call" | "rendered";

interface SummaryRequestParts {
  readonly prompt: string;
  readonly main: MainCall;
  readonly regime: ThinkingRegime;
  readonly family: TokenizerFamily;
  readonly maxTokens: number;
  isAttachment(item: HistoryItem): boolean;
  redact(text: string): string | Promise<string>;
}

export interface SummaryRequests {
  /** Tokens that these messages take in a request of this form, without what is always there. */
  weigh(items: History): number;
  /** Tokens that are always there: system prompt, tools, the prompt. */
  readonly fixed: number;
  /** `cut` says that the conversation's beginning was left out. */
  request(items: History, cut: boolean): ModelRequest | Promise<ModelRequest>;
}

export function summaryRequests(form: SummaryForm, parts: SummaryRequestParts): SummaryRequests {
  if (form === "rendered") return renderedRequests(parts);
  return form === "own-call" ? ownCall(parts) : continued(parts);
}

const promptMessage = (prompt: string): Message => ({ role: "user", content: prompt });

/** A synthetic message in front where the API would otherwise meet the assistant first. */
function opened(messages: readonly Message[]): readonly Message[] {
  const [first] = messages;
  if (!first || first.role === "user") return messages;
  return [{ role: "user", content: TRUNCATION_MARKER }, ...messages];
}

function continued({ prompt, main, regime, family, maxTokens }: SummaryRequestParts): SummaryRequests {
  const { model, system, tools, effort, thinking, betas, body } = main;
  const counted = { model: { tokenizer: family, thinking: regime } };
  const budget = typeof thinking?.budget_tokens === "number" ? thinking.budget_tokens : 0;
  return {
    weigh: (items) =>
      estimateTokens(
        items.map(({ message }) => message),
        counted,
      ),
    fixed: estimateTokens([promptMessage(prompt)], {
      ...counted,
      ...defined({ system, tools }),
    }),
    request: (items, cut) => ({
      purpose: "compact",
      model,
      messages: [
        ...(cut ? opened(messagesWithoutThinking(items)) : items.map(({ message }) => message)),
        promptMessage(prompt),
      ],
      toolChoice: "none",
      // Thinking is paid from the same purse.
      maxTokens: maxTokens + budget,
      ...defined({ system, tools, effort, thinking, betas, body }),
    }),
  };
}

/**
 * Thinking is bound to all that precedes it. Once the beginning is gone all of it has to go: the API refuses a part.
 */
function messagesWithoutThinking(items: History): readonly Message[] {
  return items.flatMap(({ message }) => rewritten(message, (block) => (isThinking(block) ? [] : [block])));
}

function ownCall({ prompt, main, family, maxTokens, isAttachment }: SummaryRequestParts): SummaryRequests {
  const { model, tools } = main;
  const counted = { model: { tokenizer: family, thinking: "legacy" } } as const;
  const stripped = (items: History): readonly Message[] =>
    items
      .filter((item) => !isAttachment(item))
      .flatMap(({ message }) =>
        rewritten(message, (block) => (isThinking(block) ? [] : [withoutPictures(block)])),
      );
  return {
    weigh: (items) => estimateTokens(stripped(items), counted),
    fixed: estimateTokens([promptMessage(prompt)], {
      ...counted,
      system: SUMMARIZER_SYSTEM,
      ...defined({ tools }),
    }),
    request: (items) => ({
      purpose: "compact",
      model,
      system: SUMMARIZER_SYSTEM,
      messages: [...opened(stripped(items)), promptMessage(prompt)],
      // A history with calls in it is refused without the tools they are of.
      ...(tools !== undefined && { tools, toolChoice: "none" as const }),
      thinking: "off",
      maxTokens,
    }),
  };
}

/** A message with its blocks replaced; none when nothing is left of it, itself when nothing changed. */
function rewritten(message: Message, replace: (block: Block) => readonly Block[]): readonly Message[] {
  const before = blocksOf(message);
  const after = before.flatMap(replace);
  if (after.length === before.length && after.every((block, index) => block === before[index]))
    return [message];
  return after.length === 0 ? [] : [{ ...message, content: after }];
}

/** Pictures and documents become a word in their place, inside results as well. */
function withoutPictures(block: Block): Block {
  if (block.type === "image" || block.type === "document") return { type: "text", text: `[${block.type}]` };
  if (!Array.isArray(block.content)) return block;
  const content: readonly unknown[] = block.content;
  const shown = (part: unknown): part is Block =>
    typeof part === "object" &&
    part !== null &&
    "type" in part &&
    (part.type === "image" || part.type === "document");
  if (!content.some(shown)) return block;
  return { ...block, content: content.map((part) => (shown(part) ? withoutPictures(part) : part)) };
}

/** Code, paths and logs take more tokens than the prose that the estimate is for. */
const TRAFFIC = 1.15;

function renderedRequests({ prompt, family, maxTokens, redact }: SummaryRequestParts): SummaryRequests {
  return {
    weigh: (items) => Math.ceil(estimateText(modelTranscript(items), family) * TRAFFIC),
    fixed: estimateText(`${SUMMARIZER_SYSTEM}${TRANSCRIPT_INTRODUCTION}${prompt}`, family),
    request: async (items, cut) => {
      const beginning = cut ? [TRUNCATION_MARKER] : [];
      const record = await redactedTranscript(items, redact);
      return {
        purpose: "compact",
        system: SUMMARIZER_SYSTEM,
        messages: [promptMessage([TRANSCRIPT_INTRODUCTION, ...beginning, record, prompt].join("\n\n"))],
        thinking: "off",
        maxTokens,
      };
    },
  };
}
