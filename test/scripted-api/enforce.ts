// The rules that the real API enforces beyond the shape of messages: window, bound thinking, betas; and its prompt cache.
import { isObject, type JsonObject, sha256 } from "../../src/lib/index.ts";
import { type Block, blocksOf, isThinking, type Message } from "../../src/messages/index.ts";
import type { ReportedUsage } from "./reply.ts";
import type { ApiRequest } from "./request.ts";

export interface EnforcementOptions {
  /** Tokens of a prompt that are accepted, by raw size: nothing that the API would clear is taken off first. */
  readonly window: number;
  /** Thinking is bound to everything before it, as on the 5.5 models. */
  readonly bindsThinking?: boolean;
  /** The account takes the unpublished blocks that delete results inside the cache; others refuse them. */
  readonly takesCacheEdits?: boolean;
  /** Shorter prefixes are not cached. */
  readonly minCacheable?: number;
}

export interface Enforcement {
  /** The message of the 400 that the API would answer with; undefined when it takes the request. */
  refusalOf(request: ApiRequest): string | undefined;
  /** What the API would report for the prompt, with what its cache holds; the cache then holds this prompt too. */
  usageOf(request: ApiRequest): ReportedUsage;
  /** The signature of thinking that answers this request. */
  signatureFor(request: ApiRequest): string;
  readonly totals: CacheTotals;
}

/** Tokens of all prompts, by how the cache took them. */
export interface CacheTotals {
  read: number;
  written: number;
  uncached: number;
}

/** The counter need only be constant; it differs from the product's own, so that its calibration is at work. */
const CHARACTERS_PER_TOKEN = 3.3;
const LOOKBACK = 20;

const withoutControl = (_key: string, value: unknown) => {
  if (!isObject(value) || !("cache_control" in value)) return value;
  const { cache_control: _control, ...rest } = value;
  return rest;
};
function bare(value: unknown) {
  const text = JSON.stringify(value ?? null);
  // The second way is slow, and most blocks carry no breakpoint.
  return text.includes('"cache_control"') ? JSON.stringify(value, withoutControl) : text;
}

interface PlacedBlock {
  readonly role: string;
  readonly block: Block;
  readonly text: string;
}

/** The request that was read last: every rule reads all of its blocks, whose text is made once. */
let last: { readonly messages: readonly Message[]; readonly blocks: readonly PlacedBlock[] } | undefined;

function placedBlocks(messages: readonly Message[]): readonly PlacedBlock[] {
  if (last?.messages !== messages) {
    const blocks = messages.flatMap((message) =>
      blocksOf(message).map((block) => ({
        role: message.role,
        block,
        text: `${message.role}${bare(block)}`,
      })),
    );
    last = { messages, blocks };
  }
  return last.blocks;
}

const fixedText = ({ body }: ApiRequest) => bare([body.tools ?? [], body.system ?? ""]);
const tokensIn = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);

export function enforcement({
  window,
  bindsThinking = false,
  takesCacheEdits = false,
  minCacheable = 512,
}: EnforcementOptions): Enforcement {
  const cached = new Set<string>();
  const totals: CacheTotals = { read: 0, written: 0, uncached: 0 };
  return {
    totals,
    refusalOf(request) {
      const tokens = promptTokens(request);
      if (tokens > window) return `prompt is too long: ${tokens} tokens > ${window} maximum`;
      if (!takesCacheEdits && editsCache(request))
        return "messages: cache_edits: Extra inputs are not permitted";
      return missingPart(request) ?? (bindsThinking ? brokenBinding(request) : undefined);
    },
    usageOf(request) {
      const usage = cacheUsage(request, cached, minCacheable);
      totals.read += usage.cache_read_input_tokens;
      totals.written += usage.cache_creation_input_tokens;
      totals.uncached += usage.input_tokens;
      return usage;
    },
    signatureFor(request) {
      const blocks = placedBlocks(request.messages);
      const before = blocks.findLast(({ block }) => block.type === "thinking");
      return sign(bindings(request, blocks).at(-1) ?? "", String(before?.block.signature ?? ""));
    },
  };
}

const editsCache = ({ messages }: ApiRequest) =>
  placedBlocks(messages).some(
    ({ block }) => block.type === "cache_edits" || block.cache_reference !== undefined,
  );

function promptTokens(request: ApiRequest) {
  const blocks = placedBlocks(request.messages);
  return tokensIn(fixedText(request).length + blocks.reduce((sum, { text }) => sum + text.length, 0));
}

/** Fields that only come with a beta, and fields that only come with each other. */
function missingPart({ body, headers, messages }: ApiRequest): string | undefined {
  const betas = (headers["anthropic-beta"] ?? "").split(",").map((beta) => beta.trim());
  const needs = (field: string, used: boolean, beta: string) =>
    used && !betas.includes(beta) ? `${field}: Extra inputs are not permitted` : undefined;
  const edits = isObject(body.context_management) ? body.context_management.edits : [];
  const clearsThinking =
    Array.isArray(edits) && edits.some((edit: JsonObject) => edit.type === "clear_thinking_20251015");
  const thinks = isObject(body.thinking) && body.thinking.type !== "disabled";
  const hasBlock = (type: string) => placedBlocks(messages).some(({ block }) => block.type === type);
  const called = hasBlock("tool_use") || hasBlock("tool_result");
  return (
    needs("context_management", body.context_management !== undefined, "context-management-2025-06-27") ??
    needs("compaction", body.compaction !== undefined || hasBlock("compaction"), "compact-2026-09-04") ??
    (clearsThinking && !thinks
      ? "`clear_thinking_20251015` strategy requires `thinking` to be enabled"
      : undefined) ??
    (body.compaction !== undefined && body.context_management !== undefined
      ? "compaction: cannot be combined with context_management"
      : undefined) ??
    (called && !(Array.isArray(body.tools) && body.tools.length > 0)
      ? "tools: required when messages hold tool blocks"
      : undefined)
  );
}

const sign = (binding: string, previous: string) => `${binding}.${sha256(previous).slice(0, 16)}`;

/**
 * Digests of everything before each block, and of all of it. Thinking may go oldest-first or newest-first, so that it is
 * bound to everything before it but other thinking.
 */
function bindings(request: ApiRequest, blocks: readonly PlacedBlock[]): readonly string[] {
  let digest = sha256(fixedText(request));
  const before = blocks.map(({ block, text }) => {
    const here = digest;
    if (!isThinking(block)) digest = sha256(`${digest}${text}`);
    return here;
  });
  return [...before, digest].map((whole) => whole.slice(0, 32));
}

function brokenBinding(request: ApiRequest): string | undefined {
  const blocks = placedBlocks(request.messages);
  // Behind a block that the API made itself, kept thinking stays valid.
  if (blocks[0]?.block.type === "compaction") return undefined;
  const bound = bindings(request, blocks);
  let previous: string | undefined;
  for (const [at, { block }] of blocks.entries()) {
    if (block.type !== "thinking") continue;
    const signature = String(block.signature);
    const isKept = signature.startsWith(bound[answerStart(blocks, at)] ?? "");
    const isNext = previous === undefined || signature.endsWith(sha256(previous).slice(0, 16));
    if (!isKept || !isNext)
      return `messages: block ${at}: thinking: The block is bound to a different conversation than the one it was sent in`;
    previous = signature;
  }
  return undefined;
}

/** Thinking is signed when its answer begins: what the same answer said before it is not part of that request. */
function answerStart(blocks: readonly PlacedBlock[], at: number) {
  let start = at;
  while (blocks[start - 1]?.role === "assistant") start--;
  return start;
}

/** What a prefix is made of, in the API's order: tools, system, messages. */
function prefixParts({ body, messages }: ApiRequest): readonly { text: string; isBreakpoint: boolean }[] {
  const tools = Array.isArray(body.tools) ? body.tools.filter(isObject) : [];
  const system = Array.isArray(body.system) ? body.system.filter(isObject) : [];
  const words = typeof body.system === "string" ? [{ text: body.system, isBreakpoint: false }] : [];
  return [
    ...[...tools, ...system].map((part) => ({
      text: bare(part),
      isBreakpoint: part.cache_control !== undefined,
    })),
    ...words,
    ...placedBlocks(messages).map(({ block, text }) => ({ text, isBreakpoint: hasControl(block) })),
  ];
}

/** Writes happen at breakpoints; a read looks back 20 blocks from each. */
function cacheUsage(request: ApiRequest, cached: Set<string>, minCacheable: number) {
  const parts = prefixParts(request);
  let digest = sha256(String(request.body.model));
  let characters = 0;
  const prefixes = parts.map(({ text }) => {
    digest = sha256(`${digest}${text}`);
    characters += text.length;
    return { digest, tokens: tokensIn(characters) };
  });
  const total = tokensIn(characters);
  const breakpoints = parts.flatMap(({ isBreakpoint }, at) => (isBreakpoint ? [at] : []));
  let read = 0;
  for (const at of breakpoints)
    for (let back = at; back > at - LOOKBACK && back >= 0; back--) {
      const prefix = prefixes[back];
      if (prefix && cached.has(prefix.digest)) {
        read = Math.max(read, prefix.tokens);
        break;
      }
    }
  let end = read;
  for (const at of breakpoints) {
    const prefix = prefixes[at];
    if (!prefix || prefix.tokens < minCacheable) continue;
    cached.add(prefix.digest);
    end = Math.max(end, prefix.tokens);
  }
  return {
    cache_read_input_tokens: read,
    cache_creation_input_tokens: end - read,
    input_tokens: total - end,
  };
}

function hasControl(block: Block): boolean {
  if (block.cache_control !== undefined) return true;
  return (
    Array.isArray(block.content) &&
    block.content.some((inner) => isObject(inner) && inner.cache_control !== undefined)
  );
}
