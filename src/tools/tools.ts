// The tools of a model, one table for MCP and mods: name, description, schemas, and the function that answers.

import type { z } from "zod";
import { projectOf, vaultFolder } from "../home/index.ts";
import { lineOf } from "../inject/index.ts";
import { defined, lineRange, usageError } from "../lib/index.ts";
import type { Hit } from "../search/index.ts";
import { openVault, recall } from "../vault/index.ts";
import type { FinderAnswers } from "./finder.ts";
import { type MemoryContext, type Remembered, saveTyped } from "./remember.ts";
import { inputs, outputs } from "./schemas.ts";
import { adviceFor, briefly, errorData, errorLines, framed, hitData, hitText, indexData } from "./texts.ts";
import { type TurnsAnswer, type TurnsOptions, type TurnsRequest, transcriptTurns } from "./turns.ts";
import { descriptions, frame, snipNote, workflow } from "./words.ts";

/** What the tools call: the worker, or the database if no worker runs. */
export interface ToolBackend {
  /** Throws `usage` for an invalid request. The answer is empty if nothing was ever stored. */
  find<K extends keyof FinderAnswers>(
    what: K,
    request: Readonly<Record<string, unknown>>,
  ): Promise<FinderAnswers[K]>;
  remember(request: Readonly<Record<string, unknown>>): Promise<Remembered>;
  /** The turns of a conversation whose requests are edited; undefined for any other. */
  turns(request: TurnsRequest): Promise<TurnsAnswer | undefined>;
}

export interface ToolContext extends TurnsOptions, MemoryContext {
  readonly backend: ToolBackend;
}

type ToolInput<K extends keyof typeof inputs> = z.output<(typeof inputs)[K]>;

/** The same answer as text for a model and as data for a program. */
interface ToolReply<K extends keyof typeof outputs> {
  readonly text: string;
  readonly data: z.output<(typeof outputs)[K]>;
}

const PAGE = 20;
/** Clients write much longer answers to a file instead of showing them. */
const MOST_ANSWER_CHARACTERS = 40_000;
const MOST_RECALLED = 60_000;
const SHOWN_TURNS = 30;
const SHOWN_WIDTH = 80;

/** The error book instead of the index: an entry is a failure, its text what was changed before it passed. */
async function searchErrors(around: ToolContext, input: ToolInput<"search">): Promise<ToolReply<"search">> {
  const { everywhere, limit = PAGE, offset = 0, query, file, from, to } = input;
  const project = everywhere === true ? undefined : projectOf(around.folder).id;
  const request = defined({ query, file, from, to, project });
  const { items, more } = await around.backend.find("errors", { ...request, limit, offset });
  const shown = items.map(errorData);
  const lines = shown.length === 0 ? [frame.nothing] : shown.map(errorLines);
  return {
    text: framed("errors", [...lines, more && `More: offset ${offset + limit}.`]),
    data: { note: frame.intro, items: shown, notes: [], ...(more && { nextOffset: offset + limit }) },
  };
}

async function searchFor(around: ToolContext, input: ToolInput<"search">): Promise<ToolReply<"search">> {
  if (input.errors === true) return searchErrors(around, input);
  const { everywhere, limit = PAGE, offset = 0, ...rest } = input;
  const { hits, more, notes } = await around.backend.find("search", {
    ...rest,
    ...(everywhere === true ? {} : { projects: [projectOf(around.folder).id] }),
    folder: around.folder,
    limit,
    offset,
    layer: "index",
  });
  const shown = hits.map(briefly);
  const lines = shown.length === 0 ? [frame.nothing] : shown.map(hitText);
  return {
    text: framed("search", [...lines, more && `More: offset ${offset + limit}.`, ...notes]),
    data: {
      note: frame.intro,
      ...indexData(shown),
      notes: [...notes],
      ...(more && { nextOffset: offset + limit }),
    },
  };
}

async function timelineAround(
  { backend, folder }: ToolContext,
  input: ToolInput<"timeline">,
): Promise<ToolReply<"timeline">> {
  const isNamed = /^[#SPM]?\d+$/i.test(String(input.around ?? "").trim());
  // An entry determines its project; words and times are searched for in this one.
  const filter = isNamed ? {} : { projects: [projectOf(folder).id] };
  const { items, middle } = await backend.find("timeline", { ...input, ...filter, folder, layer: "index" });
  const shown = items.map(briefly);
  const lines = shown.map((hit) => (hit.ref === middle ? `▶ ${hitText(hit)}` : hitText(hit)));
  return {
    text: framed("timeline", lines.length === 0 ? [frame.nothing] : lines),
    data: { note: frame.intro, ...indexData(shown), middle },
  };
}

/** The first item, and as many of the others as fit. */
function hitsThatFit(items: readonly Hit[]) {
  let left = MOST_ANSWER_CHARACTERS;
  const end = items.findIndex((hit, at) => {
    left -= hitText(hit).length;
    return left < 0 && at > 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

async function observationsOf(
  { backend, folder }: ToolContext,
  { ids }: ToolInput<"observations">,
): Promise<ToolReply<"observations">> {
  const { items, missing } = await backend.find("show", { refs: ids.map(String), folder });
  const shown = hitsThatFit(items);
  const remaining = items.slice(shown.length).map(({ ref }) => ref);
  const absent = missing.map((id) => lineOf(id, "(an id)"));
  const advice = adviceFor(shown);
  return {
    text: framed("observations", [
      ...shown.map(hitText),
      advice ?? false,
      absent.length > 0 && `There is nothing named ${absent.join(", ")}.`,
      remaining.length > 0 && `Not shown, ask again: ${remaining.join(", ")}.`,
    ]),
    data: {
      ...{ note: frame.intro, items: shown.map(hitData), missing: absent, remaining },
      ...defined({ advice }),
    },
  };
}

export async function saveMemory(
  around: ToolContext,
  { type, ...input }: ToolInput<"memory">,
): Promise<ToolReply<"memory">> {
  if (type !== undefined) return saveTyped(around, { ...input, type });
  const { backend, folder, session } = around;
  const { ref, title, known } = await backend.remember({
    ...{ text: input.text, title: input.title ?? input.name, folder, session },
  });
  const name = lineOf(title, "(a memory)");
  return {
    text: known ? `Known already: ${name}` : `Kept as ${ref ?? "a memory"}: ${name}`,
    data: { title: name, known, id: ref },
  };
}

function recallText(
  { home }: ToolContext,
  { handle, lines, pattern }: ToolInput<"recall">,
): ToolReply<"recall"> {
  const found = recall(openVault(vaultFolder(home)), handle, {
    maxBytes: MOST_RECALLED,
    ...defined({ lines: lines === undefined ? undefined : lineRange(lines), pattern }),
  });
  const { text, totalLines, totalBytes, truncated, from, to } = found;
  const part = from === undefined || lines === undefined ? "" : `, lines ${from}-${to}`;
  const rest = truncated ? "; cut, ask for lines or a pattern" : "";
  const about = `${found.handle}: ${totalLines} lines, ${totalBytes} bytes${part}${rest}. Exact from the next line on.`;
  return {
    text: framed("recall", [about, text]),
    data: { handle: found.handle, text, totalLines, totalBytes, truncated, from, to },
  };
}

/** In the live window, whose tags the model sees, or in the transcript of an agent that sends its own requests. */
async function askTurns(around: ToolContext, asked: Pick<TurnsRequest, "ids" | "reason">) {
  const { backend, folder, session } = around;
  const request = { folder, ...asked, ...defined({ session }) };
  const live = await backend.turns(request);
  return { isLive: live !== undefined, ...(live ?? (await transcriptTurns(around, request))) };
}

async function markTurns(
  around: ToolContext,
  asked: Required<Pick<TurnsRequest, "ids">> & Pick<TurnsRequest, "reason">,
): Promise<ToolReply<"snip">> {
  const { isLive, answer } = await askTurns(around, asked);
  const { text, isError } = answer ?? { text: frame.nothingKept, isError: true };
  if (isError) throw usageError(text);
  const isNoted = asked.reason !== undefined && !isLive;
  return { text: isNoted ? `${text}\n${snipNote}` : text, data: { text } };
}

async function snipOrList(
  around: ToolContext,
  { ids = [], reason = "" }: ToolInput<"snip">,
): Promise<ToolReply<"snip">> {
  if (ids.length > 0) return markTurns(around, { ids, reason });
  const { turns = [] } = await askTurns(around, {});
  const shown = turns.slice(-SHOWN_TURNS).map(({ tag, text }) => {
    const words = text.replace(/\s+/g, " ").slice(0, SHOWN_WIDTH);
    return { id: tag, text: lineOf(words, "(withheld)") };
  });
  const lines = shown.map(({ id, text }) => `${id} · ${text}`);
  const text = lines.length === 0 ? frame.nothingKept : framed("turns", lines);
  return { text, data: { text: `${shown.length} turns`, turns: shown } };
}

async function unsnipTurns(around: ToolContext, { ids }: ToolInput<"unsnip">): Promise<ToolReply<"snip">> {
  return markTurns(around, { ids });
}

type ToolName = keyof typeof descriptions;

export interface Tool {
  readonly name: ToolName;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** It changes nothing. */
  readonly isReading: boolean;
  /** Shown to a model that has not searched for it. */
  readonly isAlwaysShown: boolean;
  /** Answered with text alone: as structured content, a text would be shown as JSON, with its quotes and line ends escaped. */
  readonly isText: boolean;
  /** Takes input that the schema has checked. Throws when it cannot answer. */
  answer(context: ToolContext, input: unknown): Promise<{ text: string; data: Record<string, unknown> }>;
}

function tool<I extends keyof typeof inputs, O extends keyof typeof outputs>(
  name: ToolName,
  [input, output]: readonly [I, O],
  answer: (context: ToolContext, input: ToolInput<I>) => ToolReply<O> | Promise<ToolReply<O>>,
  { isReading = true, isAlwaysShown = false, isText = false } = {},
): Tool {
  return {
    ...{ name, description: descriptions[name], input: inputs[input], output: outputs[output] },
    ...{ isReading, isAlwaysShown, isText },
    answer: async (context, checked) => answer(context, checked as ToolInput<I>),
  };
}

const shown = { isAlwaysShown: true };
const writing = { isReading: false };

export const tools: readonly Tool[] = [
  tool("__IMPORTANT", ["nothing", "workflow"], () => ({ text: workflow, data: { workflow } }), shown),
  tool("search", ["search", "search"], searchFor, shown),
  tool("timeline", ["timeline", "timeline"], timelineAround),
  tool("get_observations", ["observations", "observations"], observationsOf),
  tool("save_memory", ["memory", "memory"], saveMemory, writing),
  tool("recall", ["recall", "recall"], recallText, { isText: true }),
  tool("snip", ["snip", "snip"], snipOrList, writing),
  tool("unsnip", ["unsnip", "snip"], unsnipTurns, writing),
];
