// Makes the draft of an observation: lines, files and concepts of its actions, and texts that fit and can be trusted.
import { type Action, dependent, oneLine, unfinished } from "../activity/index.ts";
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

export const TITLE = 100;
const SUBTITLE = 240;
const FACT = 260;
const MOST_FACTS = 8;

/** Each that says something, once. */
export const unique = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value) => value !== "")),
];

/** Equal consecutive lines are written once, with their count. */
function linesOf(actions: readonly Action[]) {
  const lines: { readonly line: string; count: number }[] = [];
  for (const { line } of actions) {
    const last = lines.at(-1);
    if (last?.line === line) last.count += 1;
    else lines.push({ line, count: 1 });
  }
  return lines.map(({ line, count }) => (count === 1 ? line : `${line} (×${count})`)).join("\n");
}

/** Of the actions that changed something, or else of all. */
function mainTool(actions: readonly Action[]) {
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

/** A name keeps its letters. */
const capitalised = (text: string) =>
  /^[a-z]+\s/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
/** Labels of what came out. Any other one may say the opposite: "Before: …", "Problem: …". */
const outcomeLabel =
  /^(?:findings?|results?|summary|conclusion|answer|outcome|(?:\w+ )?fix(?:es)?|结论|结果)[:：]\s*(?=\S)/i;

const pronoun = /^(?:it|they|this|that|these|those|he|she|you|we)\b/i;
/** Where a main clause ends: what follows says why, when, or more of something. */
const afterMain =
  /[;；]\s*|\s[—–-]\s|,?\s(?=(?:which|so that|because|since|after|before|without)\s)|\sand\s(?=(?:the|all|any|each|every)\s)|,\s(?=(?:so|but|while|and)\s)|，/u;

/** What was made is known without what it is for. */
const made = /^((?:Created|Added|Wrote|Built) .{20,}?)\s(?:with|that|which|to|for|so)\s/;

/** What was done is known without its purpose. */
const withoutPurpose =
  /^([A-Z][a-z]+ed .{20,}?)\sto\s(?:align|allow|avoid|enable|ensure|handle|keep|let|make|match|prevent|support)\s/;

/** `src/a.ts:3 - Added the clock`: what was done says more than what it was done to. */
const labelOfDone = /^.{1,60}?\s[-–—]\s(?=[A-Z][a-z]+ed\s)/;

/** Statements that stand by themselves within a longer sentence, which is cut nowhere else: none loses a condition. */
function clausesOf(text: string): string[] {
  const done = text.replace(labelOfDone, "");
  if (done !== text) return [done, ...clausesOf(done)];
  const behavior = /^now,? (?:when|if)\b[^,]+,\s+(.+)$/i.exec(text)?.[1] ?? "";
  const whole = text.replace(/\s+\([^()]*\)|（[^（）]*）/g, "");
  const unlabelled = whole.replace(outcomeLabel, "");
  const clauses = [
    whole,
    behavior,
    ...[whole, unlabelled].map((one) => one.split(afterMain)[0] ?? ""),
    text.split(/[:：]\s/u)[0] ?? "",
    made.exec(whole)?.[1] ?? "",
    withoutPurpose.exec(whole)?.[1] ?? "",
    (whole.split(afterMain)[0] ?? "").replace(/(?<!\bonly)\s(?:in|at|from|inside)\s\S+$/i, ""),
  ];
  const stands = (clause: string) =>
    !(unfinished.test(clause) || dependent.test(clause) || pronoun.test(clause)) &&
    (clause.split(" ").length >= 4 || /[\u3400-\u9fff]{6}/.test(clause));
  return clauses.filter((clause) => clause !== text && (clause === whole || stands(clause))).map(capitalised);
}

/** The first that fits, or a part of it that stands by itself; else the names; else the words that fit. */
function titleOf(titles: readonly string[], names: readonly string[], withheld: string) {
  const usable = (texts: readonly string[]) =>
    texts.map(tidy).filter((text) => text !== "" && hasNoOrders(text));
  const fits = (text: string, least = 1) => {
    const { length } = Array.from(text);
    return length >= least && length <= TITLE;
  };
  const [said, named] = [usable(titles), usable(names)];
  const whole = (text: string) => (fits(text) ? [text] : []);
  const part = (text: string) => usable(clausesOf(text)).filter((clause) => fits(clause, TITLE / 4));
  const fitting =
    said.flatMap((text) => [...whole(text), ...part(text)])[0] ?? named.find((text) => fits(text));
  return fitting ?? oneLine(said.at(-1) ?? named.at(-1) ?? withheld, TITLE);
}

/** As many whole sentences as fit. */
function subtitleOf(texts: readonly string[], title: string) {
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
    ...(subtitle !== "" && { subtitle }),
    ...(narrative !== "" && { narrative }),
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
