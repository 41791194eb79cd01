// Turns entries of a transcript into parts of an archive: what was said in full, what was done in a line.
import { defined, isObject } from "../lib/index.ts";
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
import type { ArchivePart } from "./model.ts";

/** Calls, results and thoughts up to this length are shown whole: each one put away waits for the disk. */
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
  /** Longer texts are cut here; 0 keeps them whole. */
  readonly maxCharacters: number;
  /** Puts exact bytes away and gives their handle, where there is a place for them. */
  readonly keep: (bytes: KeptBytes) => string | undefined;
  /** The subagent whose own file is read. */
  readonly agent?: string;
}

type Common = Pick<ArchivePart, "at" | "id" | "agent">;

/** The parts of one entry in order; none for what no person and no model said or did. */
export function partsOf(entry: TranscriptEntry, options: PartOptions): ArchivePart[] {
  const { at, id } = entry;
  const agent = options.agent ?? (entry.sidechain ? (entry.agentId ?? "unknown") : undefined);
  const common: Common = defined({ agent, at, id });
  if (entry.kind === "boundary")
    return entry.boundary.kind === "compact" ? [compactionPart(entry, common)] : [];
  if (entry.kind !== "message" || entry.meta || entry.compactSummary) return [];
  return blocksOf(entry.message).flatMap((block) => partOf(block, entry, common, options) ?? []);
}

function compactionPart(entry: TranscriptEntry & { kind: "boundary" }, common: Common): ArchivePart {
  const { boundary } = entry;
  const tokens = "preTokens" in boundary ? boundary.preTokens : undefined;
  const trigger = "trigger" in boundary ? oneLine(boundary.trigger) : undefined;
  const size = tokens === undefined ? undefined : `${tokens.toLocaleString("en-US")} tokens before`;
  return { ...common, kind: "compaction", text: [trigger, size].filter(Boolean).join(", ") || "done" };
}

function partOf(
  block: Block,
  entry: TranscriptEntry & MessageEntry,
  common: Common,
  options: PartOptions,
): ArchivePart | undefined {
  const { role } = entry.message;
  if (isText(block)) return role === "system" ? undefined : saidPart(block.text, entry, common, options);
  const item = defined({ item: common.id });
  if (isThinking(block)) {
    const text = typeof block.thinking === "string" ? block.thinking : "";
    if (text.trim() === "") return undefined;
    return {
      ...common,
      kind: "thinking",
      ...shortenedText({ shown: text, isAll: true }, options, { ...item, content: text }),
    };
  }
  if (isToolUse(block)) {
    const tool = oneLine(block.name);
    const toolUseId = oneLine(block.id);
    const content = JSON.stringify(block.input ?? null);
    const shown = inputText(block.input, content);
    const facts = shortenedText(shown, options, { ...item, tool, toolUseId, content });
    return { ...common, kind: "call", tool, toolUseId, ...facts };
  }
  if (isToolResult(block)) return resultPart(block, common, options, item);
  return attachmentPart(block, common, options, item);
}

function saidPart(
  raw: string,
  entry: TranscriptEntry & MessageEntry,
  common: Common,
  { maxCharacters }: PartOptions,
): ArchivePart | undefined {
  const cut = (text: string) => cutText(redacted(text), maxCharacters);
  if (entry.message.role === "assistant") {
    if (raw.trim() === "") return undefined;
    const model = entry.response?.model;
    const isClient = entry.isApiError === true || (model !== undefined && !isRealModel(model));
    return isClient
      ? { ...common, kind: "client", text: cut(raw) }
      : { ...common, kind: "text", role: "assistant", text: cut(raw) };
  }
  const words = typed(raw);
  if (words !== "") return { ...common, kind: "text", role: "user", text: cut(words) };
  return raw.trim() === "" || injected.test(raw) ? undefined : { ...common, kind: "client", text: cut(raw) };
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

function resultPart(
  block: Block & { readonly tool_use_id: string },
  common: Common,
  options: PartOptions,
  item: { item?: string },
): ArchivePart {
  const text = textOf(block.content);
  const isAll = isPlain(block.content);
  const content = isAll ? text : JSON.stringify(block.content ?? null);
  const toolUseId = oneLine(block.tool_use_id);
  return {
    ...common,
    kind: "result",
    toolUseId,
    ...defined({ isError: block.is_error === true || undefined }),
    ...shortenedText({ shown: text, isAll }, options, { ...item, toolUseId, content }),
  };
}

/** Whether the content is text and nothing else, so that the text is all its bytes. */
function isPlain(content: unknown) {
  if (content === undefined || typeof content === "string") return true;
  return Array.isArray(content) && content.every((part) => isObject(part) && part.type === "text");
}

function attachmentPart(
  block: Block,
  common: Common,
  { keep }: PartOptions,
  item: { item?: string },
): ArchivePart | undefined {
  const source = isObject(block.source) ? block.source : undefined;
  if (source === undefined) return undefined;
  const text = oneLine(`${block.type} ${source.media_type ?? ""}`);
  const content =
    typeof source.data === "string" ? Buffer.from(source.data, "base64") : JSON.stringify(source);
  const handle = keep({ ...item, content });
  const more = defined({ size: Buffer.byteLength(content), unit: "bytes" as const, handle });
  return { ...common, kind: "attachment", text, more };
}

interface ShownText {
  readonly shown: string;
  /** Whether nothing is missing in it. */
  readonly isAll: boolean;
}

/** Control characters that no text needs: what a program wrote for a terminal. */
const unprintable = /[^\P{Cc}\n\t]/u;

/** A text that is short, or a line of it and the bytes behind it. */
function shortenedText(
  { shown, isAll }: ShownText,
  { keep }: PartOptions,
  bytes: KeptBytes & { readonly content: string },
): Pick<ArchivePart, "text" | "more"> {
  const scanned = redacted(shown.slice(0, SCANNED_CHARACTERS));
  if (isAll && shown.length <= WHOLE_CHARACTERS && !unprintable.test(shown)) return { text: scanned };
  const text = cutText(folded(scanned), SHOWN_CHARACTERS);
  const handle = keep(bytes);
  return { text, more: defined({ size: bytes.content.length, unit: "characters" as const, handle }) };
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

function inputText(input: unknown, json: string): ShownText {
  const key = isObject(input) ? mainInputFields.find((name) => typeof input[name] === "string") : undefined;
  if (!isObject(input) || key === undefined) return { shown: json, isAll: true };
  const shown = String(input[key]);
  if (Object.keys(input).length === 1) return { shown, isAll: true };
  return json.length <= WHOLE_CHARACTERS ? { shown: json, isAll: true } : { shown, isAll: false };
}

/** Any value as one line: names and ids come from outside, and nothing says that they are what they should be. */
function oneLine(value: unknown) {
  return folded(redacted(typeof value === "string" ? value : "")).slice(0, SHOWN_CHARACTERS);
}

function folded(text: string) {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

function redacted(text: string) {
  return redactText(text).text;
}

/** At most so many characters, none of them halved; 0 is no limit. */
function cutText(text: string, limit: number) {
  if (limit === 0 || text.length <= limit) return text;
  const characters = Array.from(text.slice(0, limit * 2 + 2));
  return characters.length <= limit ? text : `${characters.slice(0, limit).join("")}...`;
}
