// `throughline compact`: a recorded conversation compacted to a size.
import path from "node:path";
import { compactInstructions, notesFolder, readNotes } from "../../compact/index.ts";
import type { LoadedConfig } from "../../config/index.ts";
import { projectOf, sessionPlace, vaultFolder } from "../../home/index.ts";
import { compactionInput, modelOf } from "../../inspector/index.ts";
import { defined, readForeign, ThroughlineError, usageError } from "../../lib/index.ts";
import { textOf } from "../../messages/index.ts";
import { providerNames } from "../../models/index.ts";
import {
  type CompactNow,
  memorySession,
  type Prepared,
  prepareWithModel,
  settingsFor,
} from "../../pipeline/index.ts";
import { lookupModel } from "../../tokens/index.ts";
import { type Conversation, readConversation } from "../../transcript/index.ts";
import { openVault } from "../../vault/index.ts";
import { defineCommand, flag, optional, value } from "../command.ts";
import { commandContext, currentConfig } from "../context.ts";
import { type ConfiguredModel, configuredModel } from "../model.ts";
import { columns, labelled } from "../output.ts";
import { transcriptFolder, transcriptsIn } from "../transcripts.ts";

/** The request that the flags make. */
function wantedFrom(args: { [flag in "target" | "from" | "up-to"]?: string | undefined }): CompactNow {
  const { target, from, "up-to": upTo } = args;
  if (from && upTo) {
    throw usageError(
      "--from and --up-to cannot be combined",
      "give one of them, or neither to compact everything",
    );
  }
  const to = target ? Number(target) : undefined;
  if (to !== undefined && !(Number.isSafeInteger(to) && to >= SMALLEST)) {
    throw usageError(
      `--target must be at least ${SMALLEST} tokens, not ${target}`,
      "for example --target 20000",
    );
  }
  return {
    ...defined({ to }),
    ...(from && { mode: "partial", pivot: from }),
    ...(upTo && { mode: "partial-up-to", pivot: upTo }),
  };
}

const SMALLEST = 500;

/** Finds the pivot: a row of the transcript may be part of a message that has the id of another row. */
function pivotIn(conversation: Conversation, { pivot, ...rest }: CompactNow): CompactNow {
  if (pivot === undefined) return rest;
  const named = conversation.items.find(({ id, uuids }) => id === pivot || uuids.includes(pivot));
  return { ...rest, pivot: named?.id ?? pivot };
}

const MOST_INSTRUCTIONS = 1_000_000;

/** The compaction instructions of the project's CLAUDE.md. */
function projectInstructions(folder: string) {
  for (const name of ["CLAUDE.md", path.join(".claude", "CLAUDE.md")]) {
    const found = compactInstructions(readForeign(path.join(folder, name), MOST_INSTRUCTIONS) ?? "");
    if (found !== "") return found;
  }
  return "";
}

function notesOf({ sessionId, cwd }: Conversation) {
  if (sessionId === undefined || cwd === undefined) return undefined;
  return readNotes(notesFolder(sessionPlace(commandContext().home, projectOf(cwd).id, sessionId)));
}

/** `lostBeginning`: a note replaces first messages that the transcript lost. */
function requestFor(conversation: Conversation, { values }: LoadedConfig, asked: CompactNow) {
  const model = modelOf(conversation, values.models, values.model);
  lookupModel(model, values.models);
  const options = { settings: settingsFor(values.policy, values.compaction), models: values.models };
  // The real vault, so that handles in the result can be recalled.
  const session = {
    ...memorySession(conversation.sessionId ?? "compact", options),
    vault: openVault(vaultFolder(commandContext().home)),
  };
  const notes = notesOf(conversation);
  return compactionInput(conversation, pivotIn(conversation, asked), {
    session,
    model,
    ...defined({ notes }),
  });
}

function compactionReport({ messages, receipt }: Prepared, lostBeginning: boolean) {
  const { tokens, compaction } = receipt;
  const made = receipt.edits.findLast(({ level }) => level === "autocompact");
  const summary = made && "messages" in made.edit ? made.edit.messages : [];
  const facts = labelled([
    ["tokens", `${tokens.before} → ${tokens.after}, at most ${tokens.upperBound}`],
    ["summary", compaction ? `from ${sources[compaction.from]}` : "none: nothing to summarise"],
    ["kept", `${compaction?.kept ?? messages.length} messages, of ${messages.length} that are sent`],
    ["handles", receipt.edits.flatMap(({ handles = [] }) => handles).join(" ")],
    lostBeginning && ["beginning", "lost; replaced by a note"],
    ...receipt.repairs.map(({ message, what }) => ["repaired", `message ${message}: ${what}`] as const),
    ...(compaction?.patched ?? []).map(({ kind, text }) => ["added", `${kind}: ${text}`] as const),
    ...(compaction?.refused ?? []).map(({ from, why }) => ["not used", `${sources[from]}: ${why}`] as const),
  ]).map(([name, value]) => [name, value.replace(/\s+/g, " ").slice(0, SHOWN_CHARACTERS)]);
  return [columns(facts), "", ...summary.map(({ content }) => textOf(content))];
}

/**
 * The system prompt and tools of a recorded session are not known, so no call can continue its requests: every model
 * gets the conversation as redacted text.
 */
function summariserFor(provider: string | undefined): ConfiguredModel | undefined {
  const configured = configuredModel(provider ? { "llm.provider": provider } : {});
  return configured && { ...configured, model: { ...configured.model, dialect: "text" } };
}

/** Throws unless it was compacted, or was small enough already. */
function assertCompacted({ compaction, levels, tokens }: Prepared["receipt"], { to, mode }: CompactNow) {
  if (compaction || (mode === undefined && tokens.after <= (to ?? Number.POSITIVE_INFINITY))) return;
  const why = levels.find(({ level }) => level === "autocompact")?.waiting;
  throw new ThroughlineError(
    "window-too-small",
    `nothing was compacted: ${why ?? "no reason is known"}`,
    "give a larger --target, or another message with --from or --up-to",
  );
}

/** The newest session that was started in this folder; only a preview may choose one by itself. */
function newestTranscript(isPreview: boolean) {
  const [newest] = isPreview ? transcriptsIn([transcriptFolder(commandContext().cwd)]) : [];
  if (newest !== undefined) return newest;
  throw new ThroughlineError(
    isPreview ? "not-found" : "usage",
    isPreview ? "Claude Code has no session of this folder" : "FILE is missing",
    "give a transcript: `throughline compact FILE`",
  );
}

const SHOWN_CHARACTERS = 400;
const sources = {
  messages: "the messages themselves",
  notes: "the session's notes",
  model: "a model",
  "on-demand": "the API's own compaction",
} as const;

const compact = defineCommand({
  args: {
    file: optional("a transcript: JSONL of Claude Code or pi; with --preview the newest of this folder"),
    provider: value("provider", `what writes the summary: ${providerNames.join(", ")}`),
    target: value("tokens", "size of the conversation afterwards"),
    from: value("id", "summarise from this message on; earlier ones stay"),
    "up-to": value("id", "summarise what is before this message; it and the rest stay"),
    instructions: value("text", "what the summary should focus on"),
    preview: flag("only what would be kept and what it would save"),
  },
  examples: {
    "throughline compact --preview": "what a compaction of this folder's newest session would keep",
    "throughline compact session.jsonl": "the summary, what was kept, and the handles of the rest",
    "throughline compact session.jsonl --target 20000 --json":
      "messages, parameters and receipt, at most 20,000 tokens",
    "throughline compact session.jsonl --provider claude-cli --instructions 'keep test output'":
      "summarised by a model, with the login of Claude Code",
  },
  async run({ args }) {
    const config = currentConfig();
    const conversation = await readConversation(args.file ?? newestTranscript(args.preview));
    const asked = wantedFrom(args);
    const { input, lostBeginning } = requestFor(conversation, config, asked);
    const project = projectInstructions(conversation.cwd ?? commandContext().cwd);
    const summariser = summariserFor(args.provider);
    const instructions = [args.instructions ?? "", project].filter(Boolean);
    const prepared = await prepareWithModel(input, summariser && { ...summariser, instructions });
    const { messages, params, receipt } = prepared;
    assertCompacted(receipt, asked);
    return {
      data: { messages, params, receipt, lost_beginning: lostBeginning },
      text: args.preview
        ? (compactionReport(prepared, lostBeginning)[0] ?? "")
        : compactionReport(prepared, lostBeginning),
    };
  },
});

export default { compact };
