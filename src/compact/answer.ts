// Takes the summary out of a model's answer, or says why there is none worth having.
import { isToolUse } from "../messages/index.ts";
import type { ModelReply } from "../models/index.ts";
import { estimateText, type TokenizerFamily } from "../tokens/index.ts";
import { instructionPhrases, summarySections } from "./prompts.ts";

/**
 * `tool-call`: it called a tool, or tried to. `empty`: nothing is left without the analysis. `cut-off`: it ran out of
 * room. `instructions`: it repeats the summariser's instructions. `missing-sections`: it is not the summary that was
 * asked for. `inflated`: it is no shorter than what it would replace.
 */
type RejectionReason = "tool-call" | "empty" | "cut-off" | "instructions" | "missing-sections" | "inflated";

export interface Rejection {
  readonly reason: RejectionReason;
  /** For people and logs. */
  readonly message: string;
}

type Judgement =
  | { readonly ok: true; readonly summary: string; readonly tokens: number }
  | { readonly ok: false; readonly rejection: Rejection };

interface JudgingContext {
  /** Tokens of the messages that the summary would replace. */
  readonly replaced: number;
  readonly family: TokenizerFamily;
  /** True for words that the conversation held before the summary was asked for: repeating those is no leak of the instructions. */
  wasSaid(words: string): boolean;
}

export function judgeAnswer(reply: ModelReply, circumstances: JudgingContext): Judgement {
  if (reply.blocks.some(isToolUse) || reply.stopReason === "tool_use")
    return rejected("tool-call", "the answer calls a tool");
  const { summary, closed } = extractSummary(reply.text);
  if (summary === "") return rejected("empty", "the answer holds no summary");
  if (!closed || reply.stopReason === "max_tokens") return rejected("cut-off", "the answer ran out of room");
  const leaked = instructionPhrases.find(
    (phrase) => contains(summary, phrase) && !circumstances.wasSaid(phrase),
  );
  if (leaked !== undefined)
    return rejected("instructions", `the summary repeats its own instructions: "${leaked.slice(0, 60)}"`);
  const missing = missingSections(summary);
  if (missing.length > 0) return rejected("missing-sections", `the summary lacks ${missing.join(", ")}`);
  if (!hasContent(summary)) return rejected("empty", "every section is empty");
  const tokens = estimateText(summary, circumstances.family);
  if (tokens >= circumstances.replaced)
    return rejected("inflated", `${tokens} tokens would replace ${circumstances.replaced}`);
  return { ok: true, summary, tokens };
}

const rejected = (reason: RejectionReason, message: string): Judgement => ({
  ok: false,
  rejection: { reason, message },
});

/** Differences in case and in white space do not hide a repetition. */
export function contains(text: string, phrase: string) {
  const flat = (value: string) => value.toLowerCase().replace(/\s+/g, " ");
  return flat(text).includes(flat(phrase));
}

interface ExtractedSummary {
  readonly summary: string;
  /** False when a block was opened and never ended. */
  readonly closed: boolean;
}

/** The text of `<summary>`, without any `<analysis>`; without tags all that is not analysis. */
export function extractSummary(text: string): ExtractedSummary {
  const thought = text.indexOf("<analysis>");
  const before = text.indexOf("<summary>");
  let rest = text;
  if (thought !== -1 && (before === -1 || thought < before)) {
    const end = text.indexOf("</analysis>", thought);
    // An analysis that never ends swallows all up to the summary, or everything.
    if (end !== -1) rest = text.slice(0, thought) + text.slice(end + "</analysis>".length);
    else if (before !== -1) rest = text.slice(before);
    else return { summary: "", closed: false };
  }
  const start = rest.indexOf("<summary>");
  if (start === -1) return { summary: withoutBlankRuns(rest), closed: true };
  const body = rest.slice(start + "<summary>".length);
  // The summary may quote the tag, so that it is the last one which ends it.
  const end = body.lastIndexOf("</summary>");
  return { summary: withoutBlankRuns(end === -1 ? body : body.slice(0, end)), closed: end !== -1 };
}

const withoutBlankRuns = (text: string) => text.replace(/\n{3,}/g, "\n\n").trim();

/** A heading as models write them: numbered or not, bold, as a Markdown heading, with or without a colon. */
function headingPattern(name: string) {
  return new RegExp(`^[ \\t]*(?:#{1,6}[ \\t]*)?[*_]{0,2}(?:\\d+[.)][ \\t]*)?[*_]{0,2}${name}\\b`, "im");
}

/** Sections that do not follow in their order. The last is optional by its name, and may be left out. */
export function missingSections(summary: string) {
  const missing: string[] = [];
  let from = 0;
  for (const name of summarySections) {
    const found = headingPattern(name).exec(summary.slice(from));
    if (found) from += found.index + found[0].length;
    else if (name !== "Optional Next Step") missing.push(name);
  }
  return missing;
}

/** Something must stand there besides the headings, the dots between them and the places that the prompt leaves to fill. */
function hasContent(summary: string) {
  let rest = summary;
  for (const name of summarySections) rest = rest.replace(headingPattern(name), "");
  return /[\p{L}\p{N}]/u.test(rest.replace(/\[[^\]\n]*\]|\b(?:none|n\/a|nothing)\b/gi, ""));
}
