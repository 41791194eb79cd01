// The seam between agents: a dialect turns the rows one agent writes into entries that all readers share.
import { defined, isObject, type JsonObject } from "../lib/index.ts";
import { type Block, isBlock, type Message, type Usage } from "../messages/index.ts";
import type { BoundaryFacts, DialectName } from "./model.ts";

/** Where an entry stands among the others. */
export interface Links {
  /** Without an id an entry is of no thread, unless it is a boundary: that stands behind the row before it. */
  readonly id?: string;
  /** The entry it follows: null for a root; absent when it does not say, and follows the row before it. */
  readonly parent?: string | null;
  readonly sidechain?: boolean;
  /** The subagent that a sidechain belongs to. */
  readonly agentId?: string;
  readonly at?: number;
}

/** Of the API response that an assistant row is a part of. */
export interface ResponseFacts {
  /** Equal on all rows of one response; absent when the row is the whole response. */
  readonly key?: string;
  readonly messageId?: string;
  readonly requestId?: string;
  /** Place of the row's block in the response. */
  readonly blockIndex?: number;
  readonly model?: string;
  readonly usage?: Usage;
  readonly stopReason?: string;
}

export interface MessageEntry {
  readonly kind: "message";
  readonly message: Message;
  readonly meta?: boolean;
  readonly compactSummary?: boolean;
  readonly isApiError?: boolean;
  readonly response?: ResponseFacts;
  /** The call that brought this message along, for what a client adds to a result. */
  readonly broughtBy?: string;
}

interface BoundaryEntry {
  readonly kind: "boundary";
  readonly boundary: BoundaryFacts;
}

interface AttachmentEntry {
  readonly kind: "attachment";
  readonly type: string;
  readonly text?: string;
  readonly role?: string;
}

export interface TitleEntry {
  readonly kind: "title";
  readonly source: "custom" | "ai" | "summary";
  readonly text: string;
  /** The row that a summary was made of. */
  readonly leaf?: string;
}

/** A row that only links others or keeps the agent's own books. */
interface OtherEntry {
  readonly kind: "system" | "api-request" | "api-request-part" | "bookkeeping" | "unknown";
}

/** What a row says of the session as a whole. */
export interface SessionFacts {
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly gitBranch?: string;
  readonly version?: string;
}

export type EntryContent = MessageEntry | BoundaryEntry | AttachmentEntry | TitleEntry | OtherEntry;

export type TranscriptEntry = Links & EntryContent & { readonly session?: SessionFacts };

/** Reads the rows of one file in order. Total: whatever a row holds, it answers and does not throw. */
export type RowReader = (row: JsonObject, start: number) => readonly TranscriptEntry[];

export interface Dialect {
  readonly name: DialectName;
  /** True when the row is written in this dialect. The first row that any dialect understands decides for its file. */
  understands(row: JsonObject): boolean;
  /** A reader for one file; it may remember what it has seen. */
  open(): RowReader;
}

/** A string that is not empty. */
export function textField(row: JsonObject, key: string): string | undefined {
  const value = row[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberField(row: JsonObject, key: string): number | undefined {
  const value = row[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The fields of these names that are there, each read by `read`. */
const fieldsBy =
  <V>(read: (row: JsonObject, key: string) => V | undefined) =>
  <K extends string>(row: JsonObject, ...keys: readonly K[]) =>
    defined(Object.fromEntries(keys.map((key) => [key, read(row, key)])) as Record<K, V | undefined>);

export const textFields = fieldsBy(textField);
export const numberFields = fieldsBy(numberField);

export function objectField(row: JsonObject, key: string): JsonObject | undefined {
  const value = row[key];
  return isObject(value) ? value : undefined;
}

export function textsField(row: JsonObject, key: string): string[] {
  const value = row[key];
  return Array.isArray(value) ? value.filter((part) => typeof part === "string") : [];
}

/** Milliseconds since the epoch of an ISO date or a number of milliseconds. */
export function timeField(row: JsonObject, key: string): number | undefined {
  const value = row[key];
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isFinite(time) ? time : undefined;
}

/** Message content; anything that is neither text nor blocks is left out. */
export function contentField(row: JsonObject, key: string): string | Block[] {
  const value = row[key];
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter(isBlock) : [];
}
