// Turns entries of a transcript into parts of an archive: what was said in full, what was done in a line.
import { defined, isObject, optionalString } from "../lib/index.ts";
import {
  type Block,
  blocksOf,
  isText,
  isThinking,
  isToolResult,
  isToolUse,
  textOf,
  userWords,
} from "../messages/index.ts";
import { redactText } from "../redact/index.ts";
import { isRealModel, type MessageEntry, type TranscriptEntry } from "../transcript/index.ts";
import type { ArchiveContent, ArchivePart } from "./model.ts";

/** Calls, results and thoughts up to this length are shown whole: storing one in the vault costs a disk sync. */
const WHOLE_CHARACTERS = 1_000;
/** What is shown of longer ones. */
const SHOWN_CHARACTERS = 300;
/** Enough for a secret that begins in what is shown to be known as one. */
const SCANNED_CHARACTERS = 8_000;

export interface KeptBytes {
  readonly content: string | Uint8Array;
  readonly tool?: string;
  readonly toolUseId?: string;
  readonly item?: string;
}

export interface PartOptions {
  readonly content: ArchiveContent;
  /** Longer texts are cut here; 0 keeps them whole. */
  readonly maxCharacters: number;
  /** Puts exact bytes away and gives their handle, where there is a place for them. */
  readonly keep: (bytes: KeptBytes) => string | undefined;
  /** The subagent whose own file is read. */
  readonly agent?: string;
}

/** An entry with what its parts share. */
interface EntryContext extends PartOptions {
  readonly entry: TranscriptEntry & MessageEntry;
  readonly common: Pick<ArchivePart, "at" | "id" | "agent">;
}

/** The parts of one entry in order; none for what no person and no model said or did. */
export function partsOf(entry: TranscriptEntry, options: PartOptions): ArchivePart[] {
  const { at, id } = entry;
  const agent = options.agent ?? (entry.sidechain ? (entry.agentId ?? "unknown") : undefined);
  const common: EntryContext["common"] = defined({ agent, at, id });
  const isConversation = options.content === "conversation";
  if (isConversation && (agent !== undefined || entry.kind === "boundary")) return [];
  if (entry.kind === "boundary")
    return entry.boundary.kind === "compact" ? [{ ...common, ...compactionPart(entry) }] : [];
  if (entry.kind !== "message" || entry.meta || entry.compactSummary) return [];
  const context = { ...options, entry, common };
  const blocks = blocksOf(entry.message);
  if (isConversation) return joinedPart(blocks.filter(isText), context);
  return blocks.flatMap((block) => {
    const part = blockPart(block, context);
    return part ? [{ ...common, ...part }] : [];
  });
}

/** The texts of one message as one part, if it says anything. */
function joinedPart(texts: readonly (Block & { readonly text: string })[], context: EntryContext) {
  const said = texts.flatMap(({ text }) => saidPart(text, { ...context, maxCharacters: 0 }) ?? []);
  const [first, ...more] = said.filter(({ kind }) => kind === "text");
  if (!first) return [];
  const text = redacted([first, ...more].map((part) => part.text).join(""));
  return [{ ...context.common, ...first, text: cutToLimit(text, context.maxCharacters) }];
}

function compactionPart({ boundary }: TranscriptEntry & { kind: "boundary" }): ArchivePart {
  const tokens = "preTokens" in boundary ? boundary.preTokens : undefined;
  const trigger = "trigger" in boundary ? shortLine(boundary.trigger) : undefined;
  const size = tokens === undefined ? undefined : `${tokens.toLocaleString("en-US")} tokens before`;
  return { kind: "compaction", text: [trigger, size].filter(Boolean).join(", ") || "done" };
}

function blockPart(block: Block, context: EntryContext): ArchivePart | undefined {
  if (isText(block)) return saidPart(block.text, context);
  if (isThinking(block)) {
    const text = optionalString(block.thinking) ?? "";
    if (text.trim() === "") return undefined;
    return { kind: "thinking", ...shortenedText({ shown: text, isAll: true }, context, { content: text }) };
  }
  if (isToolUse(block)) {
    const tool = shortLine(block.name);
    const toolUseId = shortLine(block.id);
    const content = JSON.stringify(block.input ?? null);
    const facts = shortenedText(inputText(block.input, content), context, { tool, toolUseId, content });
    return { kind: "call", tool, toolUseId, ...facts };
  }
  return isToolResult(block) ? toolResultPart(block, context) : attachmentPart(block, context);
}

function saidPart(raw: string, { entry, maxCharacters }: EntryContext): ArchivePart | undefined {
  const { role } = entry.message;
  const said = (kind: "client" | "text", text: string): ArchivePart => ({
    kind,
    ...(kind === "text" && role !== "system" && { role }),
    text: cutToLimit(redacted(text), maxCharacters),
  });
  if (role === "system") return undefined;
  if (role === "assistant") {
    if (raw.trim() === "") return undefined;
    const model = entry.response?.model;
    const isClient = entry.isApiError === true || (model !== undefined && !isRealModel(model));
    return said(isClient ? "client" : "text", raw);
  }
  const words = typed(raw);
  if (words !== "") return said("text", words);
  return raw.trim() === "" || injected.test(raw) ? undefined : said("client", raw);
}

/** What a client puts before the model by itself; the output of its own commands carries that of hooks, ours among them. */
const injected =
  /^\s*(?:<(?:system-reminder|local-command-\w+|task-notification|user-memory-input)\b|Caveat: The messages below|This session is being continued from|\[earlier conversation truncated)/;

/** A person's words in one block: as they are when nothing was put among them, and `/name args` for a command. */
function typed(raw: string) {
  const name = /^\s*<command-(?:name|message)>/.test(raw)
    ? /<command-name>([^<]*)<\/command-name>/.exec(raw)?.[1]?.trim()
    : undefined;
  const words = userWords({ message: { role: "user", content: raw } });
  if (name !== undefined) return words === "" ? name : `${name} ${words}`;
  return words === raw.trim() ? (words === "" ? "" : raw) : words;
}

function toolResultPart(
  { content: whole, tool_use_id, is_error }: Block & { readonly tool_use_id: string },
  context: EntryContext,
): ArchivePart {
  const shown = textOf(whole);
  const isAll = isPlain(whole);
  const content = isAll ? shown : JSON.stringify(whole ?? null);
  const toolUseId = shortLine(tool_use_id);
  return {
    kind: "result",
    toolUseId,
    ...(is_error === true && { isError: true }),
    ...shortenedText({ shown, isAll }, context, { toolUseId, content }),
  };
}

/** Whether the content is text and nothing else, so that the text is all its bytes. */
function isPlain(content: unknown) {
  if (content === undefined || typeof content === "string") return true;
  return Array.isArray(content) && content.every((part) => isObject(part) && part.type === "text");
}

function attachmentPart(block: Block, context: EntryContext): ArchivePart | undefined {
  const { source } = block;
  if (!isObject(source)) return undefined;
  const text = shortLine(`${block.type} ${source.media_type ?? ""}`);
  const content =
    typeof source.data === "string" ? Buffer.from(source.data, "base64") : JSON.stringify(source);
  return { kind: "attachment", text, more: kept(context, "bytes", Buffer.byteLength(content), { content }) };
}

/** Puts bytes away, and says how many they are and where. */
function kept({ keep, common }: EntryContext, unit: "characters" | "bytes", size: number, bytes: KeptBytes) {
  return defined({ size, unit, handle: keep({ ...defined({ item: common.id }), ...bytes }) });
}

interface ShownPart {
  readonly shown: string;
  /** Whether nothing is missing in it. */
  readonly isAll: boolean;
}

/** Control characters that no text needs: what a program wrote for a terminal. */
const unprintable = /[^\P{Cc}\n\t]/u;

/** A text that is short, or a line of it and the bytes behind it. */
function shortenedText(
  { shown, isAll }: ShownPart,
  context: EntryContext,
  bytes: KeptBytes & { readonly content: string },
): Pick<ArchivePart, "text" | "more"> {
  const scanned = redacted(shown.slice(0, SCANNED_CHARACTERS));
  if (isAll && shown.length <= WHOLE_CHARACTERS && !unprintable.test(shown)) return { text: scanned };
  const text = cutToLimit(folded(scanned), SHOWN_CHARACTERS);
  return { text, more: kept(context, "characters", bytes.content.length, bytes) };
}

/** The fields of a tool's input that say most of it, the first that is there. */
const mainInputFields = [
  "command",
  "file_path",
  "path",
  "pattern",
  "query",
  "url",
  "description",
  "prompt",
  "skill",
];

function inputText(input: unknown, json: string): ShownPart {
  const key = isObject(input) ? mainInputFields.find((name) => typeof input[name] === "string") : undefined;
  if (!isObject(input) || key === undefined) return { shown: json, isAll: true };
  const shown = String(input[key]);
  if (Object.keys(input).length === 1) return { shown, isAll: true };
  return json.length <= WHOLE_CHARACTERS ? { shown: json, isAll: true } : { shown, isAll: false };
}

/** Any value as one line: names and ids come from outside and may be malformed. */
function shortLine(value: unknown) {
  return folded(redacted(optionalString(value) ?? "")).slice(0, SHOWN_CHARACTERS);
}

function folded(text: string) {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

function redacted(text: string) {
  return redactText(text).text;
}

/** At most so many characters, never half of a surrogate pair; 0 is no limit. */
function cutToLimit(text: string, limit: number) {
  if (limit === 0 || text.length <= limit) return text;
  const characters = Array.from(text.slice(0, limit * 2 + 2));
  return characters.length <= limit ? text : `${characters.slice(0, limit).join("")}...`;
}
