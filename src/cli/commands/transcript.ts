// `throughline transcript` and `window`: what a recorded session contains, and what the model would see next.
import { activeEntries, type LedgerEntry } from "../../ledger/index.ts";
import {
  defined,
  isObject,
  notFoundError,
  present,
  systemClock,
  ThroughlineError,
  usageError,
} from "../../lib/index.ts";
import { type HistoryItem, textOf } from "../../messages/index.ts";
import {
  memorySession,
  type PolicyName,
  type Prepared,
  prepare,
  settingsFor,
  withCollapse,
} from "../../pipeline/index.ts";
import { estimateMessage, findModel, lookupModel } from "../../tokens/index.ts";
import {
  type Conversation,
  type MeasuredSummary,
  readConversation,
  sendableItems,
  summarizeTranscript,
  type TranscriptItem,
  windowItems,
} from "../../transcript/index.ts";
import { choice, defineCommand, integer, operand, time, value } from "../command.ts";
import { currentConfig } from "../context.ts";
import { columns, counted, formatNumber, labelled, localMinute } from "../output.ts";
import { paint } from "../terminal.ts";

/** The document of `--json`. */
function transcriptReport(file: string, summary: MeasuredSummary) {
  const { counts, pairs } = summary;
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    file,
    dialect: summary.dialect ?? null,
    session_id: summary.sessionId ?? null,
    title: summary.title?.text ?? null,
    title_source: summary.title?.source ?? null,
    cwd: summary.cwd ?? null,
    git_branch: summary.gitBranch ?? null,
    models: summary.models,
    versions: summary.versions,
    first: time(summary.firstAt),
    last: time(summary.lastAt),
    turns: summary.turns,
    messages: summary.messages,
    tokens: Math.round(summary.tokens),
    tool_results: counts.toolResults,
    tool_pairs: pairs,
    thinking_blocks: counts.thinkingBlocks,
    compact_boundaries: counts.compactBoundaries,
    microcompact_boundaries: counts.microcompactBoundaries,
    boundaries: summary.boundaries,
    counts,
    problems: summary.problems,
    resume_offset: summary.end,
  };
}

const SHOWN_PROBLEMS = 10;

function transcriptText(data: ReturnType<typeof transcriptReport>) {
  const { tool_pairs: pairs } = data;
  const rows = labelled([
    ["title", data.title === null ? "none" : `${data.title} (${data.title_source})`],
    ["session", data.session_id ?? "unknown"],
    ["agent", [data.dialect ?? "not recognised", ...data.versions].join(" ")],
    ["models", data.models.join(", ") || "none"],
    [
      "time",
      data.first === null
        ? "unknown"
        : `${localMinute(data.first)} – ${localMinute(data.last ?? data.first)}`,
    ],
    ["turns", formatNumber(data.turns)],
    ["messages", formatNumber(data.messages)],
    ["tokens", `≈ ${formatNumber(data.tokens)} over the whole main thread`],
    [
      "tool results",
      `${formatNumber(data.tool_results)} (${counted(pairs.unanswered, "call")} unanswered, ${counted(pairs.orphan, "result")} without a call)`,
    ],
    ["thinking blocks", formatNumber(data.thinking_blocks)],
    [
      "boundaries",
      `${counted(data.compact_boundaries, "compaction")}, ${counted(data.microcompact_boundaries, "microcompaction")}`,
    ],
    ["problems", data.problems.length === 0 ? "none" : String(data.problems.length)],
  ]);
  const problems = data.problems.slice(0, SHOWN_PROBLEMS).map(({ message }) => `  ${message}`);
  const more = data.problems.length - problems.length;
  return [columns(rows), ...problems, more > 0 && `  and ${more} more; --json has them`];
}

const transcript = defineCommand({
  args: {
    file: operand("a transcript: JSONL of Claude Code or pi"),
  },
  examples: {
    "throughline transcript session.jsonl":
      "turns, tool results, thinking, boundaries, tokens, title, problems",
    "throughline transcript session.jsonl --json": "the same as one JSON document",
  },
  async run({ args }) {
    const first = await summarizeTranscript(args.file, {
      measure: (message) => estimateMessage(message, "old"),
    });
    if (first.dialect === undefined && first.messages === 0)
      throw new ThroughlineError(
        "invalid-history",
        `${args.file} is not a transcript of Claude Code or pi`,
        "Claude Code keeps them in ~/.claude/projects, one .jsonl per session",
      );
    const model = first.models.map((name) => findModel(name)).find((found) => found !== undefined);
    const scale = model?.tokenizer === "new" ? NEW_FAMILY_SHARE : 1;
    const data = transcriptReport(args.file, { ...first, tokens: first.tokens * scale });
    return { data, text: transcriptText(data) };
  },
});

/** The new tokenizer makes about this many tokens of one of the old family's, over agent traffic. */
const NEW_FAMILY_SHARE = 1.325;

/** The window before the N-th recorded request, or the whole one. */
function itemsAt(
  conversation: Conversation,
  at: number | undefined,
): { items: readonly TranscriptItem[]; now: number | undefined } {
  if (at === undefined) return { items: windowItems(conversation), now: undefined };
  const request = conversation.requests[at - 1];
  if (conversation.requests.length === 0) {
    throw notFoundError("the transcript has no answered request", "without --at the whole window is shown");
  }
  if (!request) throw usageError(`--at must be from 1 to ${conversation.requests.length}, not ${at}`);
  const items = conversation.items.slice(0, request.itemIndex);
  const cut = {
    ...conversation,
    items,
    boundaries: conversation.boundaries.filter(({ index }) => index <= request.itemIndex),
  };
  return { items: windowItems(cut), now: items.at(-1)?.at ?? request.at };
}

/** A prepared request with every active edit, made now or with an earlier request. */
interface NextWindow {
  readonly prepared: Prepared;
  /** Whether a note replaces first messages that the transcript lost. */
  readonly lostBeginning: boolean;
  readonly inForce: readonly LedgerEntry[];
}

/** Prepares every earlier request in turn: their decisions are still in force. */
function prepareLast(
  conversation: Conversation,
  options: { policy: PolicyName; model: string; at?: number; now?: number },
): NextWindow {
  const { values } = currentConfig();
  const session = memorySession(conversation.sessionId ?? "window", {
    settings: withCollapse(settingsFor(options.policy, values.compaction), values.collapse),
    models: values.models,
  });
  const { items: all, now } = itemsAt(conversation, options.at);
  const items = sendableItems(all);
  if (items.length === 0) {
    throw new ThroughlineError(
      "invalid-history",
      "the transcript contains no message",
      "give a transcript with at least one prompt",
    );
  }
  const call = (part: readonly HistoryItem[], time: number) =>
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
  // Only the last snapshot of staged spans counts.
  const staged = active.findLast(({ edit }) => edit.kind === "collapse-snapshot");
  const inForce = active.filter((entry) => entry === staged || entry.edit.kind !== "collapse-snapshot");
  return { prepared, lostBeginning: items !== all, inForce };
}

const SHOWN_LINE_CHARACTERS = 100;

function line(role: string, content: unknown) {
  const text = describeContent(content).replace(/\s+/g, " ");
  return `${paint("dim", role.padEnd(9))} ${text.length > SHOWN_LINE_CHARACTERS ? `${text.slice(0, SHOWN_LINE_CHARACTERS)}…` : text}`;
}

function describeContent(content: unknown) {
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

function editTarget(edit: LedgerEntry["edit"]) {
  if ("toolUseId" in edit) return edit.toolUseId;
  if ("through" in edit) return `up to ${edit.through}`;
  return edit.kind === "collapse-commit" ? `${edit.firstArchivedUuid} to ${edit.lastArchivedUuid}` : "";
}

function editLine({ level, edit, why, tokens, handles }: LedgerEntry, isNew: boolean) {
  const target = editTarget(edit);
  const size = tokens ? ` ${tokens.before} → ${tokens.after} tokens` : "";
  const mark = isNew ? paint("green", "+") : " ";
  return `${mark} ${paint("yellow", level.padEnd(12))} ${edit.kind} ${target}${size}: ${why}${handles ? ` ${paint("dim", handles.join(" "))}` : ""}`;
}

function windowText({ prepared: { messages, receipt }, lostBeginning, inForce }: NextWindow) {
  const { tokens, cost, cache } = receipt;
  const facts = labelled([
    ["policy", `${receipt.policy} on ${receipt.model} (${receipt.regime})`],
    ["tokens", `${tokens.before} → ${tokens.after}, at most ${tokens.upperBound}`],
    [
      "cache",
      `${cache.predicted}, lifetime ${cache.ttl}${cache.idle === undefined ? "" : `, idle ${Math.round(cache.idle / 1000)} s`}`,
    ],
    ["cost", `$${cost.with.toFixed(4)} instead of $${cost.without.toFixed(4)}`],
    ["messages", String(messages.length)],
    lostBeginning && ["beginning", "lost; replaced by a note"],
  ]);
  const levels = receipt.levels.map(({ level, made, before, after, waiting }) => {
    const done = made > 0 && `${made} edits, ${before} → ${after} tokens`;
    return [paint("bold", level), present([done, waiting && `waiting: ${waiting}`]).join("; ")];
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
  ];
}

const window = defineCommand({
  args: {
    file: operand("a transcript: JSONL of Claude Code or pi"),
    model: value("model", "the model of the request (default: the recorded one)"),
    policy: choice(["seed", "thrifty"], "what decides on edits"),
    at: integer("n", "the window before the N-th recorded request"),
    now: time("the time of the request"),
  },
  examples: {
    "throughline window session.jsonl": "what the model would see next, and why",
    "throughline window session.jsonl --at 40 --policy seed": "the 40th request under the classic constants",
    "throughline window session.jsonl --json": "messages, parameters and receipt",
  },
  async run({ args }) {
    const { values } = currentConfig();
    const conversation = await readConversation(args.file);
    const recorded = conversation.models.find((name) => findModel(name, values.models));
    const model = args.model || recorded || values.model;
    lookupModel(model, values.models);
    const now = args.now === undefined ? undefined : Date.parse(args.now);
    const next = prepareLast(conversation, {
      policy: args.policy ?? values.policy,
      model,
      ...defined({ at: args.at, now }),
    });
    const { messages, params, receipt } = next.prepared;
    const { lostBeginning, inForce } = next;
    return {
      data: { messages, params, receipt, lost_beginning: lostBeginning, in_force: inForce },
      text: windowText(next),
    };
  },
});

export default { transcript, window };
