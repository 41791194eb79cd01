// `throughline compact FILE`: a recorded conversation brought down to a size, with what was kept and where the rest is.
import path from "node:path";
import { compactInstructions, notesFolder, readNotes, type SessionNotes } from "../../compact/index.ts";
import type { LoadedConfig } from "../../config/index.ts";
import { projectOf, sessionPlace, vaultFolder } from "../../home/index.ts";
import { readForeign, systemClock, ThroughlineError } from "../../lib/index.ts";
import { type HistoryItem, textOf } from "../../messages/index.ts";
import { providerNames } from "../../models/index.ts";
import {
  type CompactNow,
  memorySession,
  type Prepared,
  type PrepareInput,
  prepareWithModel,
  settingsFor,
} from "../../pipeline/index.ts";
import { findModel, lookupModel } from "../../tokens/index.ts";
import { type Conversation, readConversation, sendableItems, windowItems } from "../../transcript/index.ts";
import { openVault } from "../../vault/index.ts";
import { defineCommand } from "../command.ts";
import { type ConfiguredModel, configuredModel } from "../languageModel.ts";
import { columns } from "../output.ts";
import { currentConfig, surroundings } from "../surroundings.ts";
import { paint } from "../terminal.ts";

interface Flags {
  readonly target?: string | undefined;
  readonly from?: string | undefined;
  readonly "up-to"?: string | undefined;
}

/** What is asked for, from the flags. */
function wantedFrom({ target, from, "up-to": upTo }: Flags): CompactNow {
  if (from && upTo) {
    throw new ThroughlineError("usage", "--from and --up-to exclude each other", {
      fix: "give one of them, or neither to compact everything",
    });
  }
  const to = target ? Number(target) : undefined;
  if (to !== undefined && !(Number.isSafeInteger(to) && to >= SMALLEST)) {
    throw new ThroughlineError(
      "usage",
      `--target takes a number of tokens from ${SMALLEST} on, not ${target}`,
      {
        fix: "for example --target 20000",
      },
    );
  }
  return {
    ...(to === undefined ? {} : { to }),
    ...(from ? { mode: "partial", pivot: from } : {}),
    ...(upTo ? { mode: "partial-up-to", pivot: upTo } : {}),
  };
}

const SMALLEST = 500;

/**
 * Everything that was ever said, so that a summary is made of originals and not of the agent's own summary. Only where
 * earlier messages are to stay as they are, the window as the agent has it.
 */
function itemsOf(
  conversation: Conversation,
  { mode }: CompactNow,
): { readonly items: readonly HistoryItem[]; readonly lostBeginning: boolean } {
  const all =
    mode === "partial"
      ? windowItems(conversation)
      : conversation.items.filter((item) => !item.compactSummary && !item.isApiError && !item.isCopy);
  const items = sendableItems(all);
  if (items.length > 0) return { items, lostBeginning: items !== all };
  throw new ThroughlineError("invalid-history", "the transcript holds no message", {
    fix: "give a transcript with at least one prompt",
  });
}

/** A row of the transcript may have become part of a message that is named by another row. */
function pivotIn(conversation: Conversation, { pivot, ...rest }: CompactNow): CompactNow {
  if (pivot === undefined) return rest;
  const named = conversation.items.find(({ id, uuids }) => id === pivot || uuids.includes(pivot));
  return { ...rest, pivot: named?.id ?? pivot };
}

const MOST_INSTRUCTIONS = 1_000_000;

/** The project's page, from its folder as the transcript names it. */
function projectInstructions(folder: string): string {
  for (const name of ["CLAUDE.md", path.join(".claude", "CLAUDE.md")]) {
    const found = compactInstructions(readForeign(path.join(folder, name), MOST_INSTRUCTIONS) ?? "");
    if (found !== "") return found;
  }
  return "";
}

function notesOf({ sessionId, cwd }: Conversation): SessionNotes | undefined {
  if (sessionId === undefined || cwd === undefined) return undefined;
  return readNotes(notesFolder(sessionPlace(surroundings().home, projectOf(cwd).id, sessionId)));
}

interface Request {
  readonly input: PrepareInput;
  /** A note stands where the transcript lost its first messages. */
  readonly lostBeginning: boolean;
}

function requestFor(conversation: Conversation, config: LoadedConfig, asked: CompactNow): Request {
  const { values } = config;
  const recorded = conversation.models.findLast((name) => findModel(name, values.models));
  const model = recorded ?? values.model;
  lookupModel(model, values.models);
  const compact = pivotIn(conversation, asked);
  const { items, lostBeginning } = itemsOf(conversation, compact);
  const options = { settings: settingsFor(values.policy, values.compaction), models: values.models };
  const notes = notesOf(conversation);
  const input = {
    // The vault is the real one: the handles in the result can be recalled.
    session: {
      ...memorySession(conversation.sessionId ?? "compact", options),
      vault: openVault(vaultFolder(surroundings().home)),
    },
    model,
    now: items.at(-1)?.at ?? systemClock.now(),
    messages: items.map(({ message }) => message),
    ids: items.map(({ id }) => id),
    provenance: items,
    compact,
    ...(notes ? { notes } : {}),
  };
  return { input, lostBeginning };
}

function readable({ messages, receipt }: Prepared, lostBeginning: boolean): string {
  const { tokens, compaction } = receipt;
  const made = receipt.edits.findLast(({ level }) => level === "autocompact");
  const summary = made && "messages" in made.edit ? made.edit.messages : [];
  const facts = [
    ["tokens", `${tokens.before} → ${tokens.after}, at most ${tokens.upperBound}`],
    ["words", compaction ? `from ${sources[compaction.from]}` : "none: there is nothing left to sum up"],
    ["kept", `${compaction?.kept ?? messages.length} messages, of ${messages.length} that are sent`],
    ["handles", receipt.edits.flatMap(({ handles = [] }) => handles).join(" ")],
    ...(lostBeginning ? [["beginning", "lost; a note stands in its place"]] : []),
    ...receipt.repairs.map(({ message, what }) => ["repaired", `message ${message}: ${what}`]),
    ...(compaction?.patched ?? []).map(({ kind, text }) => ["added", `${kind}: ${text}`]),
    ...(compaction?.refused ?? []).map(({ from, why }) => ["not used", `${sources[from]}: ${why}`]),
  ].map(([name = "", value = ""]) => [paint("bold", name), value.replace(/\s+/g, " ").slice(0, SHOWN)]);
  return [columns(facts), "", ...summary.map(({ content }) => textOf(content))].join("\n");
}

/**
 * System prompt and tools of a recorded session are not known, so that no call can go on from its requests: every model
 * is given the conversation as text, without secrets.
 */
function summariserFor(provider: string | undefined): ConfiguredModel | undefined {
  const configured = configuredModel(provider ? { "llm.provider": provider } : {});
  return configured && { ...configured, model: { ...configured.model, dialect: "text" } };
}

/** A conversation that is small enough needs no summary; anything else that was asked for has to be there. */
function assertDone({ compaction, levels, tokens }: Prepared["receipt"], { to, mode }: CompactNow): void {
  if (compaction || (mode === undefined && tokens.after <= (to ?? Number.POSITIVE_INFINITY))) return;
  const why = levels.find(({ level }) => level === "autocompact")?.waiting;
  throw new ThroughlineError("window-too-small", `nothing was compacted: ${why ?? "no reason is known"}`, {
    fix: "give a larger --target, or another message with --from or --up-to",
  });
}

const SHOWN = 400;
const sources = {
  messages: "the messages themselves",
  notes: "the session's notes",
  model: "a model",
  "on-demand": "the API's own compaction",
} as const;

export default defineCommand({
  args: {
    file: { type: "positional", required: true, description: "a transcript: JSONL of Claude Code or pi" },
    provider: { type: "string", description: `who writes the summary: ${providerNames.join(", ")}` },
    target: {
      type: "string",
      valueHint: "tokens",
      description: "tokens that the conversation may take afterwards",
    },
    from: {
      type: "string",
      valueHint: "id",
      description: "sum up from this message on; what is earlier stays",
    },
    "up-to": {
      type: "string",
      valueHint: "id",
      description: "sum up what is before this message; it and the rest stay",
    },
    instructions: {
      type: "string",
      valueHint: "text",
      description: "what the summary should pay attention to",
    },
  },
  examples: [
    { line: "throughline compact session.jsonl", does: "the summary, what was kept, and where the rest is" },
    {
      line: "throughline compact session.jsonl --target 20000 --json",
      does: "messages, parameters and receipt, at most 20,000 tokens",
    },
    {
      line: "throughline compact session.jsonl --provider claude-cli --instructions 'keep test output'",
      does: "in the words of a model, with the login that Claude Code has",
    },
  ],
  async run({ args }) {
    const config = currentConfig();
    const conversation = await readConversation(args.file);
    const asked = wantedFrom(args);
    const { input, lostBeginning } = requestFor(conversation, config, asked);
    const project = projectInstructions(conversation.cwd ?? surroundings().cwd);
    const summariser = summariserFor(args.provider);
    const instructions = [args.instructions ?? "", project].filter(Boolean);
    const prepared = await prepareWithModel(input, summariser && { ...summariser, instructions });
    const { messages, params, receipt } = prepared;
    assertDone(receipt, asked);
    return {
      data: { messages, params, receipt, lost_beginning: lostBeginning },
      text: readable(prepared, lostBeginning),
    };
  },
});
