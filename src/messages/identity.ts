// Identities for messages that carry none: a fingerprint chained over everything before it.
import { sha256 } from "../lib/index.ts";
import type { Message } from "./model.ts";

const MESSAGE_ID_DIGITS = 20;

/**
 * A spelling of the message that does not change when a client moves its cache breakpoints, reorders
 * keys, or sends a lone text as a string once and as a block the next time.
 */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = "{";
  for (const key of Object.keys(fields).sort()) {
    const field = fields[key];
    if (key === "cache_control" || field === undefined) continue;
    const isLoneText = key === "content" && typeof field === "string" && "role" in fields;
    if (text.length > 1) text += ",";
    text += `${JSON.stringify(key)}:${canonical(isLoneText ? [{ type: "text", text: field }] : field)}`;
  }
  return `${text}}`;
}

interface Fingerprint {
  readonly content: Message["content"];
  readonly blocks: number;
  readonly lastBlock: unknown;
  readonly digest: string;
  /** The chain's last step through this object: most requests repeat it. */
  chainedFrom?: string;
  chainedTo?: string;
}

const fingerprints = new WeakMap<Message, Fingerprint>();

/**
 * The digest is remembered per object. A message changed in place is noticed when its content, its
 * number of blocks or its last block was replaced; a deeper change of the same object is not.
 */
function fingerprintOf(message: Message) {
  const { content } = message;
  const seen = fingerprints.get(message);
  const lastBlock = typeof content === "string" ? content : content[content.length - 1];
  if (seen && seen.content === content && seen.blocks === content.length && seen.lastBlock === lastBlock)
    return seen;
  const fresh: Fingerprint = {
    content,
    blocks: content.length,
    lastBlock,
    digest: sha256(canonical(message)),
  };
  fingerprints.set(message, fresh);
  return fresh;
}

/** True when two messages are sent as the same bytes, up to the order of keys. Cheaper than two digests. */
export function sameMessage(a: Message, b: Message) {
  return a === b || sameValue(a, b);
}

function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((part, at) => sameValue(part, b[at]));
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && sameValue(left[key], right[key]));
}

/** A digest of one message by itself; equal messages have equal digests wherever they stand. */
export function messageDigest(message: Message) {
  return fingerprintOf(message).digest;
}

/** The identity of a message that follows the one called `previous` (undefined for the first). */
export function chainedId(previous: string | undefined, message: Message) {
  const entry = fingerprintOf(message);
  const from = previous ?? "";
  if (entry.chainedTo !== undefined && entry.chainedFrom === from) return entry.chainedTo;
  const id = `m_${sha256(`${from}\n${entry.digest}`).slice(0, MESSAGE_ID_DIGITS)}`;
  entry.chainedFrom = from;
  entry.chainedTo = id;
  return id;
}
