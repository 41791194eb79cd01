// From a story to a draft: lines, files and concepts of its deeds, and every text cut to what an index can show.
import { findOrders } from "../redact/injected.ts";
import type { Deed } from "./actions.ts";
import { conceptsOf } from "./concepts.ts";
import type { DraftType, ObservationDraft } from "./model.ts";
import type { Phrases } from "./phrases.ts";
import { oneLine } from "./words.ts";

/** Deeds that belong together, and what is said of them. */
export interface Story {
  readonly type: DraftType;
  readonly title: string;
  /** The same without words of a program's output, for when these tell a model what to do. */
  readonly plainTitle?: string | undefined;
  readonly subtitle?: string | undefined;
  readonly narrative?: string | undefined;
  readonly facts: readonly string[];
  readonly deeds: readonly Deed[];
}

const TITLE = 110;
const SUBTITLE = 140;
const FACT = 260;
const MOST_FACTS = 8;

/** Each that says something, once. */
export const unique = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value) => value !== "")),
];

/** Equal lines that follow each other are told once. */
function linesOf(deeds: readonly Deed[]): string {
  const lines: { readonly line: string; count: number }[] = [];
  for (const { line } of deeds) {
    const last = lines.at(-1);
    if (last?.line === line) last.count += 1;
    else lines.push({ line, count: 1 });
  }
  return lines.map(({ line, count }) => (count === 1 ? line : `${line} (×${count})`)).join("\n");
}

/** Of the deeds that changed something, or else of all. */
function mainTool(deeds: readonly Deed[]): string | undefined {
  const doing = deeds.filter(({ kind }) => kind !== "look");
  const counts = new Map<string, number>();
  for (const { tool } of doing.length > 0 ? doing : deeds) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** Whether a text can be a title or stand in a summary: nothing that tells a model what to do does. */
export const isTellable = (text: string): boolean => findOrders(text).length === 0;

export function draftOf(story: Story, request: string, phrases: Phrases): ObservationDraft {
  const { type, deeds, narrative } = story;
  const filesModified = unique(deeds.flatMap(({ kind, path }) => (kind === "change" && path ? [path] : [])));
  const read = unique(deeds.flatMap(({ kind, path }) => (kind === "look" && path ? [path] : [])));
  const toolName = mainTool(deeds);
  const told = [story.title, story.plainTitle ?? ""].find((text) => text !== "" && isTellable(text));
  const title = oneLine((told ?? phrases.withheld(toolName ?? "")).replace(/[.。\s]+$/, ""), TITLE);
  const context = oneLine(story.subtitle ?? request, SUBTITLE);
  const subtitle = isTellable(context) ? context : "";
  return {
    type,
    title,
    ...(subtitle === "" || subtitle === title ? {} : { subtitle }),
    ...(narrative === undefined || narrative === "" ? {} : { narrative }),
    text: linesOf(deeds),
    facts: unique(story.facts.map((fact) => oneLine(fact, FACT)))
      .filter((fact) => !fact.startsWith(story.title))
      .slice(0, MOST_FACTS),
    concepts: conceptsOf(deeds, request, narrative ?? ""),
    filesRead: read.filter((path) => !filesModified.includes(path)),
    filesModified,
    ...(toolName === undefined ? {} : { toolName }),
    sources: deeds.map(({ id }) => id),
  };
}
