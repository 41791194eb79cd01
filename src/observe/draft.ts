// Turns a turn draft into an observation: lines, files and concepts of its actions, every text cut to index length.
import { type Action, oneLine } from "../activity/index.ts";
import type { ObservationType } from "../lib/index.ts";
import { defined } from "../lib/index.ts";
import { findOrders } from "../redact/injected.ts";
import { conceptsOf } from "./concepts.ts";
import type { ObservationDraft } from "./model.ts";
import type { Phrases } from "./phrases.ts";

/** Actions that belong together, with title and text. */
export interface TurnDraft {
  readonly type: ObservationType;
  readonly title: string;
  /** The same without words of a program's output, for when these tell a model what to do. */
  readonly plainTitle?: string | undefined;
  readonly subtitle?: string | undefined;
  readonly narrative?: string | undefined;
  readonly facts: readonly string[];
  readonly actions: readonly Action[];
}

const TITLE = 110;
const SUBTITLE = 140;
const FACT = 260;
const MOST_FACTS = 8;

/** Each that says something, once. */
export const unique = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value) => value !== "")),
];

/** Equal consecutive lines are written once, with their count. */
function linesOf(actions: readonly Action[]): string {
  const lines: { readonly line: string; count: number }[] = [];
  for (const { line } of actions) {
    const last = lines.at(-1);
    if (last?.line === line) last.count += 1;
    else lines.push({ line, count: 1 });
  }
  return lines.map(({ line, count }) => (count === 1 ? line : `${line} (×${count})`)).join("\n");
}

/** Of the actions that changed something, or else of all. */
function mainTool(actions: readonly Action[]): string | undefined {
  const doing = actions.filter(({ kind }) => kind !== "look");
  const counts = new Map<string, number>();
  for (const { tool } of doing.length > 0 ? doing : actions) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** Whether a text may become a title or part of a summary: it must not give a model instructions. */
export const hasNoOrders = (text: string): boolean => findOrders(text).length === 0;

export function observationOf(draft: TurnDraft, request: string, phrases: Phrases): ObservationDraft {
  const { type, actions, narrative } = draft;
  const filesModified = unique(
    actions.flatMap(({ kind, path }) => (kind === "change" && path ? [path] : [])),
  );
  const read = unique(actions.flatMap(({ kind, path }) => (kind === "look" && path ? [path] : [])));
  const toolName = mainTool(actions);
  const usable = [draft.title, draft.plainTitle ?? ""].find((text) => text !== "" && hasNoOrders(text));
  const title = oneLine((usable ?? phrases.withheld(toolName ?? "")).replace(/[.。\s]+$/, ""), TITLE);
  const context = oneLine(draft.subtitle ?? request, SUBTITLE);
  const subtitle = hasNoOrders(context) ? context : "";
  return {
    type,
    title,
    ...(subtitle === "" || subtitle === title ? {} : { subtitle }),
    ...(narrative === undefined || narrative === "" ? {} : { narrative }),
    text: linesOf(actions),
    facts: unique(draft.facts.map((fact) => oneLine(fact, FACT)))
      .filter((fact) => !fact.startsWith(draft.title))
      .slice(0, MOST_FACTS),
    concepts: conceptsOf(actions, request, narrative ?? ""),
    filesRead: read.filter((path) => !filesModified.includes(path)),
    filesModified,
    ...defined({ toolName }),
    sources: actions.map(({ id }) => id),
    evidence: [],
  };
}
