// What a message is made of: tokens by content class, before any model's rates are applied.
import { isObject } from "../lib/index.ts";
import {
  type Block,
  isBlock,
  isServerToolResult,
  isText,
  isThinking,
  isToolResult,
  isToolUse,
  type Message,
} from "../messages/index.ts";
import { scanText } from "./scan.ts";

/**
 * The classes whose rates are learned apart. `file` is a listing with line numbers, `output` any other
 * tool result, `call` a tool's input, `cjk` the ideographs of all of them; `rule` and `fineImage` are
 * counted by rule (images, documents) and never learned.
 */
export const contentClasses = [
  "prose",
  "file",
  "output",
  "call",
  "thinking",
  "cjk",
  "rule",
  "fineImage",
] as const;
export type ContentClass = (typeof contentClasses)[number];

/** Tokens of the old family per content class, in the order of `contentClasses`. */
export type Shape = number[];

export const classIndex = Object.fromEntries(contentClasses.map((name, index) => [name, index])) as Record<
  ContentClass,
  number
>;

/** Fixed costs around content: role marks, the wrapping of a call, of each of its parameters, of its result. */
const FRAME_TEXT = 4;
const FRAME_CALL = 44;
const FRAME_PARAMETER = 12;
const FRAME_RESULT = 16;

/**
 * Newer models return a summary of their thinking, and carry the whole of it in the signature: the
 * signature's length tells the tokens (fitted), the text does not.
 */
const SIGNATURE_ENVELOPE = 180;
const TOKENS_PER_SIGNATURE_CHARACTER = 0.199;

const PDF_PAGE_CHARACTERS = 60_000;
const PDF_PAGE_TOKENS = 2_000;

export function emptyShape(): Shape {
  return contentClasses.map(() => 0);
}

function add(shape: Shape, name: ContentClass, tokens: number) {
  const index = classIndex[name];
  shape[index] = (shape[index] ?? 0) + tokens;
}

function addText(shape: Shape, name: ContentClass, text: string) {
  const { plain, cjk } = scanText(text);
  add(shape, name, plain);
  if (cjk > 0) add(shape, "cjk", cjk);
}

const asText = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

function addThinking(shape: Shape, block: Block) {
  const sealed = block.signature ?? block.data;
  if (typeof sealed === "string" && sealed.length > SIGNATURE_ENVELOPE)
    add(shape, "thinking", (sealed.length - SIGNATURE_ENVELOPE) * TOKENS_PER_SIGNATURE_CHARACTER);
  else addText(shape, "thinking", asText(block.thinking ?? ""));
}

function addCall(shape: Shape, name: string, input: unknown) {
  add(shape, "call", FRAME_CALL);
  // The model reads parameters one by one, strings unescaped: JSON quoting would overcount code.
  for (const [key, value] of Object.entries(isObject(input) ? input : { input })) {
    add(shape, "call", FRAME_PARAMETER);
    addText(shape, "call", key);
    addText(shape, "call", asText(value));
  }
  // Common tool names are part of the frame; long MCP names are not.
  if (name.length > 12) addText(shape, "call", name);
}

function addMedia(shape: Shape, block: Block) {
  const source = isObject(block.source) ? block.source : {};
  const data = typeof source.data === "string" ? source.data : undefined;
  if (block.type === "image") {
    const { standard, finer } = imageTokens(source.type === "base64" ? data : undefined);
    add(shape, "rule", standard);
    add(shape, "fineImage", finer);
  } else if (data !== undefined && source.type === "text") {
    addText(shape, "prose", data);
  } else if (Array.isArray(source.content)) {
    addContent(shape, "prose", source.content);
  } else {
    add(shape, "rule", PDF_PAGE_TOKENS * Math.max(1, Math.ceil((data?.length ?? 0) / PDF_PAGE_CHARACTERS)));
  }
}

const LINE_NUMBERED = /^\s{0,6}\d+(?:→|\t)/;

function addContent(shape: Shape, name: ContentClass, content: unknown) {
  for (const part of Array.isArray(content) ? content : [content]) {
    if (isBlock(part)) addBlock(shape, part, name);
    else if (part !== undefined) addText(shape, name, asText(part));
  }
}

function addResult(shape: Shape, block: Block) {
  const { content } = block;
  add(shape, "output", FRAME_RESULT);
  if (isServerToolResult(block)) {
    // What a server tool returns is sealed or charged by rules of its own: rough, and not to be learned from.
    const { plain, cjk } = scanText(asText(content));
    add(shape, "rule", plain + cjk);
  } else {
    const listing = typeof content === "string" && LINE_NUMBERED.test(content);
    addContent(shape, listing ? "file" : "output", content);
  }
}

/** A block of an unknown kind is most likely some text in some fields. */
function addUnknown(shape: Shape, block: Block, name: ContentClass) {
  const { type: _type, cache_control: _cache, ...fields } = block;
  addText(shape, name, asText(typeof block.content === "string" ? block.content : fields));
}

function addBlock(shape: Shape, block: Block, name: ContentClass) {
  if (isText(block)) addText(shape, name, block.text);
  else if (isThinking(block)) addThinking(shape, block);
  else if (isToolUse(block)) addCall(shape, block.name, block.input);
  else if (isToolResult(block)) addResult(shape, block);
  else if (block.type === "image" || block.type === "document") addMedia(shape, block);
  else addUnknown(shape, block, name);
}

const knownShapes = new WeakMap<Message, { readonly content: Message["content"]; readonly shape: Shape }>();

/** The shape of one message, remembered per object. Callers must not change the array. */
export function shapeOf(message: Message): Shape {
  const seen = knownShapes.get(message);
  if (seen && seen.content === message.content) return seen.shape;
  const shape = emptyShape();
  if (typeof message.content === "string") {
    add(shape, "prose", FRAME_TEXT);
    addText(shape, "prose", message.content);
  } else {
    for (const block of message.content) {
      if (isText(block)) add(shape, "prose", FRAME_TEXT);
      addBlock(shape, block, "prose");
    }
  }
  knownShapes.set(message, { content: message.content, shape });
  return shape;
}

const asksAnew = (message: Message) =>
  message.role === "user" &&
  (typeof message.content === "string" || !message.content.some((block) => block.type === "tool_result"));

/** Whose thinking is counted: that of every turn, or of the turn in progress only. */
export type ThinkingScope = "kept" | "this-turn";

/**
 * The shape of a whole array. In the legacy regime the API drops the thinking of earlier turns, so only
 * that of the turn in progress counts.
 */
export function shapeOfAll(messages: readonly Message[], scope: ThinkingScope): Shape {
  return grownShape(emptyShape(), messages, scope);
}

/** The shape of an array that goes on behind messages of the shape `known`. */
export function grownShape(known: Shape, messages: readonly Message[], scope: ThinkingScope): Shape {
  const sum = [...known];
  const turnStart = scope === "this-turn" ? messages.findLastIndex(asksAnew) : -1;
  if (turnStart >= 0) sum[classIndex.thinking] = 0;
  messages.forEach((message, index) => {
    const shape = shapeOf(message);
    for (let at = 0; at < sum.length; at++) {
      if (index < turnStart && at === classIndex.thinking) continue;
      sum[at] = (sum[at] ?? 0) + (shape[at] ?? 0);
    }
  });
  return sum;
}

const PIXELS_PER_TOKEN = 750;
const UNKNOWN_SIZE = 1_600;
/** Larger images are scaled down before they are counted: by long edge, and by tokens in all. */
const STANDARD = { edge: 1_568, tokens: 1_600 };
const FINE = { edge: 2_576, tokens: 5_000 };

interface ImageTokens {
  /** Tokens on models that see at the standard resolution. */
  readonly standard: number;
  /** How much more models of the new family pay, because they see finer. */
  readonly finer: number;
}

interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** A JPEG's size stands in its first start-of-frame segment; what precedes it (thumbnails) can be long. */
function jpegSize(bytes: Buffer): PixelSize | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const startOfFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startOfFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** The size of a PNG or JPEG, or undefined for other formats and broken headers. */
function pixelSize(base64: string): PixelSize | undefined {
  if (base64.startsWith("iVBORw0KGgo")) {
    const head = Buffer.from(base64.slice(0, 32), "base64");
    return head.length >= 24 ? { width: head.readUInt32BE(16), height: head.readUInt32BE(20) } : undefined;
  }
  if (base64.startsWith("/9j/")) return jpegSize(Buffer.from(base64.slice(0, 256 * 1024), "base64"));
  return undefined;
}

function tokensWithin(size: PixelSize, limit: { edge: number; tokens: number }) {
  const scale = Math.min(1, limit.edge / Math.max(size.width, size.height, 1));
  const tokens = (size.width * scale * size.height * scale) / PIXELS_PER_TOKEN;
  return Math.min(limit.tokens, Math.ceil(tokens));
}

function imageTokens(base64: string | undefined): ImageTokens {
  const size = base64 === undefined ? undefined : pixelSize(base64);
  if (!size) return { standard: UNKNOWN_SIZE, finer: 0 };
  const standard = tokensWithin(size, STANDARD);
  return { standard, finer: tokensWithin(size, FINE) - standard };
}
