// Makes the draft of an observation: lines, files and concepts of its actions, and texts that fit and can be trusted.
import { type Action, oneLine } from "../activity/index.ts";
import type { ObservationType } from "../lib/index.ts";
import { defined } from "../lib/index.ts";
import { findOrders } from "../redact/injected.ts";
import { conceptsOf } from "./concepts.ts";
import type { ObservationDraft } from "./model.ts";
import type { Turn } from "./turn.ts";
import { lasting } from "./undone.ts";

/** A piece of work or a choice, with the texts that could tell of it. */
interface DraftMaterial {
  readonly type: ObservationType;
  /** The best first. The first that fits whole and gives no orders becomes the title. */
  readonly titles: readonly string[];
  /** What was done, by its names; used where no title fits, not even a part of one. */
  readonly names?: readonly string[];
  /** What the title leaves out, the best first; those that fit become the subtitle. */
  readonly subtitles?: readonly string[];
  readonly narrative?: string | undefined;
  readonly facts: readonly string[];
  readonly actions: readonly Action[];
  readonly sources: readonly string[];
  readonly evidence: readonly string[];
}

const TITLE = 100;
const SUBTITLE = 240;
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

const tidy = (text: string) =>
  text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.。\s]+$/, "");

/** Statements that stand by themselves within a longer sentence, which is cut nowhere else. */
const clausesOf = (text: string) => [
  text.split(/[;；]\s*|\s[—–]\s|,\s(?=(?:which|so|but|because|since|while|and)\s)|，/u)[0] ?? "",
  text.split(/[:：]\s/u)[0] ?? "",
];

/** The first that fits; else the part of a sentence that stands by itself; else the names; else the words that fit. */
function titleOf(titles: readonly string[], names: readonly string[], withheld: string): string {
  const usable = (texts: readonly string[]) =>
    texts.map(tidy).filter((text) => text !== "" && hasNoOrders(text));
  const fits = (text: string, least = 1) => {
    const { length } = Array.from(text);
    return length >= least && length <= TITLE;
  };
  const [said, named] = [usable(titles), usable(names)];
  const fitting =
    said.find((text) => fits(text)) ??
    usable(said.flatMap(clausesOf)).find((text) => fits(text, TITLE / 4)) ??
    named.find((text) => fits(text));
  return fitting ?? oneLine(said.at(-1) ?? named.at(-1) ?? withheld, TITLE);
}

/** As many whole sentences as fit. */
function subtitleOf(texts: readonly string[], title: string): string {
  let subtitle = "";
  for (const text of texts.filter((one) => tidy(one) !== title && hasNoOrders(one))) {
    const longer = `${subtitle} ${/[.!?。！？]$/.test(text) ? text : `${text}.`}`.trim();
    if (longer.length <= SUBTITLE) subtitle = longer;
  }
  return tidy(subtitle);
}

/** What was read or changed; a call that failed or was refused did neither. */
const pathsOf = (actions: readonly Action[], wanted: Action["kind"]) =>
  unique(
    actions.flatMap(({ kind, path, outcome }) => (kind === wanted && outcome === "ok" && path ? [path] : [])),
  );

export function draftOf(material: DraftMaterial, { request, phrases }: Turn): ObservationDraft {
  const { type, actions, narrative = "", sources, evidence } = material;
  const filesModified = pathsOf(lasting(actions), "change");
  const toolName = mainTool(actions);
  const title = titleOf(material.titles, material.names ?? [], phrases.withheld(toolName ?? ""));
  const subtitle = subtitleOf(material.subtitles ?? [], title);
  return {
    type,
    title,
    ...(subtitle === "" ? {} : { subtitle }),
    ...(narrative === "" ? {} : { narrative }),
    text: linesOf(actions),
    facts: unique(material.facts.map((fact) => oneLine(fact, FACT)))
      .filter((fact) => !tidy(fact).startsWith(title) && !subtitle.includes(tidy(fact)))
      .slice(0, MOST_FACTS),
    concepts: conceptsOf(actions, `${request}\n${narrative}`),
    filesRead: pathsOf(actions, "look").filter((path) => !filesModified.includes(path)),
    filesModified,
    ...defined({ toolName }),
    sources,
    evidence,
  };
}
