// Proposes memories from the daily logs, each with the rule that allowed it. Saves nothing.

import { absoluteDates } from "../../dates/index.ts";
import { sha256 } from "../../lib/index.ts";
import { isStandingRequest } from "../../terms/index.ts";
import type { LogEntry } from "../folder/dailyLogs.ts";
import type { Author, MemoryContent, MemoryType, StoredMemory } from "../folder/model.ts";
import { judgeDerivable } from "./derivable.ts";
import { similarity } from "./relations.ts";
import { missingParts } from "./rules.ts";
import { findSuspicions } from "./screen.ts";
import { thresholds } from "./thresholds.ts";

/** Why an entry of the daily log is proposed as a memory. */
export const candidateRules = {
  typed: "the entry was logged with a type",
  asked: "the entry asks to remember it",
  "standing-wish": "the user said how things are to be done from now on",
  dated: "it names a date that matters later",
  pointer: "it says where something is found outside",
  repeated: "it came up on several days",
} as const;
type CandidateRule = keyof typeof candidateRules;

/** A memory that is proposed from the daily logs. */
export interface MemoryCandidate extends Pick<MemoryContent, "type" | "name" | "description" | "body"> {
  /** The same for the same words. */
  readonly id: string;
  readonly rule: CandidateRule;
  readonly author: Author;
  /** The entries it comes from. */
  readonly sources: readonly string[];
  /** What a person still has to add before it can be saved. */
  readonly needs: readonly string[];
}

/** An entry of the log that became no candidate, and why. */
interface DroppedEntry {
  readonly source: string;
  readonly reason: "derivable" | "suspicious" | "known" | "no rule";
}

const ASKED =
  /^(?:please )?(?:remember|note|keep in mind|don['’]t forget)\b[\s:,]*(?:that )?|^(?:请)?(?:记住|记一下|别忘了)[:：,，\s]*/i;
const DATED =
  /\b(?:deadline|due|freeze|release|launch|until|before|expires?|migrat\w+|starts?|ends?)\b|截止|发布|冻结|上线|到期|之前/i;
const isAlike = (a: string, b: string) => similarity(a, b) >= thresholds.sameEntry;
/** Days of the log are dates without a zone. */
const noonOf = (day: string) => Date.parse(`${day}T12:00:00Z`);

function ruleFor(
  entry: LogEntry,
  isRepeated: boolean,
): { rule: CandidateRule; type: MemoryType } | undefined {
  const { text, author, type } = entry;
  if (type !== undefined) return { rule: "typed", type };
  if (ASKED.test(text))
    return { rule: "asked", type: isStandingRequest(text.replace(ASKED, "")) ? "feedback" : "project" };
  if (author === "user" && isStandingRequest(text)) return { rule: "standing-wish", type: "feedback" };
  if (/https?:\/\//.test(text)) return { rule: "pointer", type: "reference" };
  const hasDate =
    /\d{4}-\d\d-\d\d/.test(text) || absoluteDates(text, noonOf(entry.day), "UTC").changes.length > 0;
  if (hasDate && DATED.test(text)) return { rule: "dated", type: "project" };
  return isRepeated ? { rule: "repeated", type: "project" } : undefined;
}

const firstWords = (text: string, most: number) => {
  const [sentence = ""] = text.split(/(?<=[.!?。！？])\s*|\n/);
  const plain = sentence.replace(/[.。]$/, "").trim();
  return [...plain].length <= most
    ? plain
    : `${[...plain]
        .slice(0, most - 1)
        .join("")
        .replace(/\s+\S*$/, "")}…`;
};

/** Entries that say the same, the first of each group in front. */
function groupsOf(entries: readonly LogEntry[]) {
  const groups: LogEntry[][] = [];
  for (const entry of entries) {
    const group = groups.find(
      ([first]) => first?.type === entry.type && isAlike(first?.text ?? "", entry.text),
    );
    if (!group) groups.push([entry]);
    else group.push(entry);
  }
  return groups;
}

/** Pure. A candidate becomes a memory when a person accepts it. */
export function consolidate(
  entries: readonly LogEntry[],
  memories: readonly StoredMemory[],
  instructions: readonly string[] = [],
): { readonly candidates: readonly MemoryCandidate[]; readonly dropped: readonly DroppedEntry[] } {
  const candidates: MemoryCandidate[] = [];
  const dropped: DroppedEntry[] = [];
  for (const group of groupsOf(entries)) {
    const judged = judgeGroup(group, memories, instructions);
    if ("reason" in judged) dropped.push(...group.map(({ source }) => ({ source, reason: judged.reason })));
    else candidates.push(judged);
  }
  return { candidates, dropped };
}

function judgeGroup(
  group: readonly LogEntry[],
  memories: readonly StoredMemory[],
  instructions: readonly string[],
): MemoryCandidate | { reason: DroppedEntry["reason"] } {
  const [first] = group;
  const allowed = first && ruleFor(first, new Set(group.map(({ day }) => day)).size > 1);
  if (!first || !allowed) return { reason: "no rule" };
  const { rule, type } = allowed;
  const plain = first.text.replace(ASKED, "");
  const body = type === "project" ? absoluteDates(plain, noonOf(first.day), "UTC").text : plain;
  const name = firstWords(body, 50);
  const draft = { name, description: firstWords(body, 120), body };
  if (findSuspicions(draft, { type, author: first.author }).length > 0) return { reason: "suspicious" };
  if (judgeDerivable({ type, body }, instructions).kind === "derivable") return { reason: "derivable" };
  if (memories.some((memory) => isAlike(memory.body, body) || isAlike(memory.description, body)))
    return { reason: "known" };
  return {
    id: sha256(`${rule}\n${body}`).slice(0, 8),
    rule,
    type,
    ...draft,
    author: first.author,
    sources: group.map(({ source }) => source),
    needs: type === "feedback" ? missingParts(body) : [],
  };
}
