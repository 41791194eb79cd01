// The tools: each asks one room and gives its answer as text for a model and as data for a program.

import type { z } from "zod";
import { projectOf, vaultFolder } from "../home/index.ts";
import { lineOf } from "../inject/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import type { Hit } from "../search/index.ts";
import { openVault, type Range, recall, type Selection } from "../vault/index.ts";
import type { FinderAnswers } from "./finder.ts";
import { type MemoryContext, saveTyped } from "./memories.ts";
import type { Remembered } from "./remember.ts";
import type { inputs, outputs } from "./schemas.ts";
import { framed, hitData, hitText } from "./texts.ts";
import { listTurns, snipTurns, type TurnsOptions, unsnipTurns } from "./turns.ts";
import { frame, snipNote, workflow } from "./words.ts";

/** Who looks things up, and keeps them. */
export interface ToolBackend {
  /** Throws `usage` for a request that is none. Answers with nothing where nothing was ever kept. */
  find<K extends keyof FinderAnswers>(
    what: K,
    request: Readonly<Record<string, unknown>>,
  ): Promise<FinderAnswers[K]>;
  remember(request: Readonly<Record<string, unknown>>): Promise<Remembered>;
}

/** Where the tools are used. */
export interface ToolContext extends TurnsOptions, MemoryContext {
  readonly backend: ToolBackend;
}

type Input<K extends keyof typeof inputs> = z.output<(typeof inputs)[K]>;

interface Answer<K extends keyof typeof outputs> {
  readonly text: string;
  readonly data: z.output<(typeof outputs)[K]>;
}

const PAGE = 20;
/** An answer stays well below what clients put into a file instead of showing it. */
const MOST_CHARACTERS = 40_000;
const MOST_RECALLED = 60_000;

export function important(): Answer<"workflow"> {
  return { text: workflow, data: { workflow } };
}

export async function searchFor(around: ToolContext, input: Input<"search">): Promise<Answer<"search">> {
  const { everywhere, limit = PAGE, offset = 0, ...rest } = input;
  const { hits, more, notes } = await around.backend.find("search", {
    ...rest,
    ...(everywhere === true ? {} : { projects: [projectOf(around.folder).id] }),
    folder: around.folder,
    limit,
    offset,
    layer: "index",
  });
  const next = more ? [`More: offset ${offset + limit}.`] : [];
  const lines = hits.length === 0 ? [frame.nothing] : hits.map(hitText);
  return {
    text: framed("search", [...lines, ...next, ...notes]),
    data: {
      note: frame.intro,
      items: hits.map(hitData),
      notes: [...notes],
      ...(more ? { nextOffset: offset + limit } : {}),
    },
  };
}

export async function timelineAround(
  { backend, folder }: ToolContext,
  input: Input<"timeline">,
): Promise<Answer<"timeline">> {
  const isNamed = /^[#SPM]?\d+$/i.test(input.around.trim());
  // An entry brings its own project along; words and times are looked for in this one.
  const filter = isNamed ? {} : { projects: [projectOf(folder).id] };
  const { items, middle } = await backend.find("timeline", { ...input, ...filter, folder, layer: "index" });
  const lines = items.map((hit) => (hit.ref === middle ? `▶ ${hitText(hit)}` : hitText(hit)));
  return {
    text: framed("timeline", lines.length === 0 ? [frame.nothing] : lines),
    data: { note: frame.intro, items: items.map(hitData), ...(middle === undefined ? {} : { middle }) },
  };
}

/** The first is always given; of the others those that fit. */
function fitting(items: readonly Hit[]): readonly Hit[] {
  let left = MOST_CHARACTERS;
  const end = items.findIndex((hit, at) => {
    left -= hitText(hit).length;
    return left < 0 && at > 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

export async function observationsOf(
  { backend, folder }: ToolContext,
  { ids }: Input<"observations">,
): Promise<Answer<"observations">> {
  const { items, missing } = await backend.find("show", { refs: ids, folder });
  const shown = fitting(items);
  const remaining = items.slice(shown.length).map(({ ref }) => ref);
  const absent = missing.map((id) => lineOf(id, "(an id)"));
  return {
    text: framed("observations", [
      ...shown.map(hitText),
      ...(absent.length === 0 ? [] : [`There is nothing named ${absent.join(", ")}.`]),
      ...(remaining.length === 0 ? [] : [`Not shown, ask again: ${remaining.join(", ")}.`]),
    ]),
    data: { note: frame.intro, items: shown.map(hitData), missing: absent, remaining },
  };
}

export async function saveMemory(
  around: ToolContext,
  { type, ...input }: Input<"memory">,
): Promise<Answer<"memory">> {
  if (type !== undefined) return saveTyped(around, { ...input, type });
  const { backend, folder, session } = around;
  const { ref, title, known } = await backend.remember({
    text: input.text,
    title: input.title ?? input.name,
    folder,
    ...(session === undefined ? {} : { session }),
  });
  const name = lineOf(title, "(a memory)");
  return {
    text: known ? `Known already: ${name}` : `Kept as ${ref ?? "a memory"}: ${name}`,
    data: { title: name, known, ...(ref === undefined ? {} : { id: ref }) },
  };
}

function rangeOf(lines: string): Range {
  const match = /^(\d+)(?:-(\d+))?$/.exec(lines.trim());
  if (match === null)
    throw new ThroughlineError("usage", `lines are A-B, not ${lines}`, { fix: "for example 10-40" });
  return [Number(match[1]), Number(match[2] ?? match[1])];
}

export function recallText(
  { home }: Pick<ToolContext, "home">,
  { handle, lines, pattern }: Input<"recall">,
): Answer<"recall"> {
  const selection: Selection = {
    maxBytes: MOST_RECALLED,
    ...(lines === undefined ? {} : { lines: rangeOf(lines) }),
    ...(pattern === undefined ? {} : { pattern }),
  };
  const found = recall(openVault(vaultFolder(home)), handle, selection);
  const { text, totalLines, totalBytes, truncated, from, to } = found;
  const part = from === undefined || lines === undefined ? "" : `, lines ${from}-${to}`;
  const rest = truncated ? "; cut, ask for lines or a pattern" : "";
  const about = `${found.handle}: ${totalLines} lines, ${totalBytes} bytes${part}${rest}. Exact from the next line on.`;
  return {
    text: framed("recall", [about, text]),
    data: {
      handle: found.handle,
      text,
      totalLines,
      totalBytes,
      truncated,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    },
  };
}

export async function snipOrList(
  around: ToolContext,
  { ids = [], reason = "" }: Input<"snip">,
): Promise<Answer<"snip">> {
  if (ids.length > 0) {
    const { text, isError } = await snipTurns(around, ids, reason);
    if (isError) throw new ThroughlineError("usage", text);
    return { text: `${text}\n${snipNote}`, data: { text } };
  }
  const turns = (await listTurns(around)).map(({ id, text }) => ({ id, text: lineOf(text, "(withheld)") }));
  const lines = turns.map(({ id, text }) => `${id} · ${text}`);
  const text = lines.length === 0 ? frame.nothingKept : framed("turns", lines);
  return { text, data: { text: `${turns.length} turns`, turns } };
}

export async function unsnip(around: ToolContext, { ids }: Input<"unsnip">): Promise<Answer<"snip">> {
  const { text, isError } = await unsnipTurns(around, ids);
  if (isError) throw new ThroughlineError("usage", text);
  return { text, data: { text } };
}
