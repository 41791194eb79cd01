// `throughline window FILE`: what the model would see next, and why, level by level.
import { activeEntries, type LedgerEntry } from "../../ledger/index.ts";
import { isObject, systemClock, ThroughlineError } from "../../lib/index.ts";
import { type HistoryItem, textOf } from "../../messages/index.ts";
import {
  memorySession,
  type PolicyName,
  type Prepared,
  prepare,
  settingsFor,
  withCollapse,
} from "../../pipeline/index.ts";
import { findModel, lookupModel } from "../../tokens/index.ts";
import {
  type Conversation,
  readConversation,
  sendableItems,
  type TranscriptItem,
  windowItems,
} from "../../transcript/index.ts";
import { defineCommand } from "../command.ts";
import { columns } from "../output.ts";
import { currentConfig } from "../surroundings.ts";
import { paint } from "../terminal.ts";

function choosePolicy(text: string): PolicyName {
  if (text === "seed" || text === "thrifty") return text;
  throw new ThroughlineError("usage", `no policy ${text}`, { fix: "choose seed or thrifty" });
}

/** The request to show: the window before the N-th recorded request, or everything there is. */
function itemsAt(
  conversation: Conversation,
  at: string | undefined,
): { items: readonly TranscriptItem[]; now: number | undefined } {
  if (!at) return { items: windowItems(conversation), now: undefined };
  const number = Number(at);
  const request = conversation.requests[number - 1];
  if (conversation.requests.length === 0) {
    throw new ThroughlineError("not-found", "no request of the transcript was answered", {
      fix: "leave --at out to see the whole window",
    });
  }
  if (!Number.isInteger(number) || !request) {
    throw new ThroughlineError(
      "usage",
      `--at takes a request from 1 to ${conversation.requests.length}, not ${at}`,
    );
  }
  const items = conversation.items.slice(0, request.itemIndex);
  const cut = {
    ...conversation,
    items,
    boundaries: conversation.boundaries.filter(({ index }) => index <= request.itemIndex),
  };
  return { items: windowItems(cut), now: items.at(-1)?.at ?? request.at };
}

/** A prepared request with every edit that is in force in it, made now or with an earlier request. */
interface NextWindow {
  readonly prepared: Prepared;
  /** A note stands where the transcript lost its first messages. */
  readonly lostBeginning: boolean;
  readonly inForce: readonly LedgerEntry[];
}

/** Every request of the past is prepared in turn: what was decided then is in force now. */
function prepareLast(
  conversation: Conversation,
  options: { policy: PolicyName; model: string; at?: string; now?: number },
): NextWindow {
  const { values } = currentConfig();
  const session = memorySession(conversation.sessionId ?? "window", {
    settings: withCollapse(settingsFor(options.policy, values.compaction), values.collapse),
    models: values.models,
  });
  const { items: all, now } = itemsAt(conversation, options.at);
  const items = sendableItems(all);
  if (items.length === 0) {
    throw new ThroughlineError("invalid-history", "the transcript holds no message", {
      fix: "give a transcript with at least one prompt",
    });
  }
  const call = (part: readonly HistoryItem[], time: number): Prepared =>
    prepare({
      session,
      model: options.model,
      now: time,
      messages: part.map(({ message }) => message),
      ids: part.map(({ id }) => id),
      provenance: part,
    });
  const known = new Map(items.map(({ id }, index) => [id, index]));
  for (const { itemIndex } of conversation.requests) {
    const end = known.get(conversation.items[itemIndex]?.id ?? "");
    const last = end === undefined ? undefined : items[end - 1];
    if (end !== undefined && last?.at !== undefined && end < items.length) call(items.slice(0, end), last.at);
  }
  const prepared = call(items, options.now ?? now ?? items.at(-1)?.at ?? systemClock.now());
  const gone = new Set(prepared.receipt.skipped.map(({ entry }) => entry));
  const active = activeEntries(session.ledger.entries()).filter(({ id }) => !gone.has(id));
  // Of the snapshots of staged spans only the last one counts.
  const staged = active.findLast(({ edit }) => edit.kind === "collapse-snapshot");
  const inForce = active.filter((entry) => entry === staged || entry.edit.kind !== "collapse-snapshot");
  return { prepared, lostBeginning: items !== all, inForce };
}

const SHOWN = 100;

function line(role: string, content: unknown): string {
  const text = describeContent(content).replace(/\s+/g, " ");
  return `${paint("dim", role.padEnd(9))} ${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}`;
}

function describeContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: unknown) => {
      if (!isObject(block)) return "";
      if (block.type === "text") return String(block.text);
      if (block.type === "tool_use") return `→ ${String(block.name)} ${JSON.stringify(block.input)}`;
      if (block.type === "tool_result") return `← ${textOf(block.content)}`;
      return `(${String(block.type)})`;
    })
    .join(" ");
}

function targetOf(edit: LedgerEntry["edit"]): string {
  if ("toolUseId" in edit) return edit.toolUseId;
  if ("through" in edit) return `up to ${edit.through}`;
  return edit.kind === "collapse-commit" ? `${edit.firstArchivedUuid} to ${edit.lastArchivedUuid}` : "";
}

function editLine({ level, edit, why, tokens, handles }: LedgerEntry, isNew: boolean): string {
  const target = targetOf(edit);
  const size = tokens ? ` ${tokens.before} → ${tokens.after} tokens` : "";
  const mark = isNew ? paint("green", "+") : " ";
  return `${mark} ${paint("yellow", level.padEnd(12))} ${edit.kind} ${target}${size}: ${why}${handles ? ` ${paint("dim", handles.join(" "))}` : ""}`;
}

function readable({ prepared: { messages, receipt }, lostBeginning, inForce }: NextWindow): string {
  const { tokens, cost, cache } = receipt;
  const facts = [
    ["policy", `${receipt.policy} on ${receipt.model} (${receipt.regime})`],
    ["tokens", `${tokens.before} → ${tokens.after}, at most ${tokens.upperBound}`],
    [
      "cache",
      `${cache.predicted}, lifetime ${cache.ttl}${cache.idle === undefined ? "" : `, idle ${Math.round(cache.idle / 1000)} s`}`,
    ],
    ["cost", `$${cost.with.toFixed(4)} instead of $${cost.without.toFixed(4)}`],
    ["messages", String(messages.length)],
    ...(lostBeginning ? [["beginning", "lost; a note stands in its place"]] : []),
  ].map(([name = "", value = ""]) => [paint("bold", name), value]);
  const levels = receipt.levels.map(({ level, made, before, after, waiting }) => {
    const done = made === 0 ? "" : `${made} edits, ${before} → ${after} tokens`;
    return [
      paint("bold", level),
      [done, waiting === undefined ? "" : `waiting: ${waiting}`].filter(Boolean).join("; "),
    ];
  });
  const edits = inForce.map((entry) => editLine(entry, receipt.edits.includes(entry)));
  const repairs = receipt.repairs.map(
    ({ message, what }) => `  ${paint("yellow", "repair")} message ${message}: ${what}`,
  );
  return [
    columns([...facts, ...levels]),
    ...repairs,
    ...edits,
    "",
    ...messages.map(({ role, content }) => line(role, content)),
  ].join("\n");
}

export default defineCommand({
  args: {
    file: { type: "positional", required: true, description: "a transcript: JSONL of Claude Code or pi" },
    model: { type: "string", description: "the model the request would go to; the recorded one by default" },
    policy: { type: "string", description: "seed or thrifty" },
    at: { type: "string", valueHint: "n", description: "the window before the N-th recorded request" },
    now: { type: "string", valueHint: "time", description: "the time of the request, as an ISO date" },
  },
  examples: [
    { line: "throughline window session.jsonl", does: "what the model would see next, and why" },
    {
      line: "throughline window session.jsonl --at 40 --policy seed",
      does: "the 40th request under the classic constants",
    },
    { line: "throughline window session.jsonl --json", does: "messages, parameters and receipt" },
  ],
  async run({ args }) {
    const { values } = currentConfig();
    const conversation = await readConversation(args.file);
    const recorded = conversation.models.find((name) => findModel(name, values.models));
    const model = args.model || recorded || values.model;
    lookupModel(model, values.models);
    const now = args.now ? Date.parse(args.now) : undefined;
    if (now !== undefined && Number.isNaN(now)) {
      throw new ThroughlineError("usage", `--now takes an ISO date, not ${args.now}`, {
        fix: "for example --now 2026-11-16T12:00:00Z",
      });
    }
    const next = prepareLast(conversation, {
      policy: choosePolicy(args.policy || values.policy),
      model,
      ...(args.at ? { at: args.at } : {}),
      ...(now === undefined ? {} : { now }),
    });
    const { messages, params, receipt } = next.prepared;
    const { lostBeginning, inForce } = next;
    return {
      data: { messages, params, receipt, lost_beginning: lostBeginning, in_force: inForce },
      text: readable(next),
    };
  },
});
