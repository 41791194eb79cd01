// What is wrong with a folder of memories, in words, each with the way out. Nothing is changed here.
import { sha256 } from "../../lib/index.ts";
import { findInjected, redactText } from "../../redact/index.ts";
import { absoluteDates } from "../admit/dates.ts";
import { judgeDerivable } from "../admit/derivable.ts";
import { comparedBody, type MemoryRelation, relationsOf } from "../admit/relations.ts";
import { isAbstract, missingParts } from "../admit/rules.ts";
import { indexBudget } from "../folder/indexFile.ts";
import { hasExpired, isActive, type StoredMemory } from "../folder/model.ts";
import { INDEX } from "../folder/safePaths.ts";
import type { Folder, OutsideChange } from "../folder/store.ts";
import type { TruthVerdict } from "./truth.ts";

const findingKinds = [
  "schema",
  "unreadable",
  "unlisted",
  "dead-line",
  "twice-listed",
  "budget",
  "duplicate",
  "near-duplicate",
  "contradiction",
  "secret",
  "injected",
  "stale",
  "expired",
  "relative-date",
  "feedback-shape",
  "abstract-description",
  "derivable",
  "changed-outside",
] as const;
type LintFindingKind = (typeof findingKinds)[number];

export interface LintFinding {
  readonly file: string;
  readonly kind: LintFindingKind;
  readonly severity: "error" | "warning" | "note";
  readonly problem: string;
  readonly fix: string;
  /** Whether `--fix` does it. */
  readonly isFixable: boolean;
}

interface LintInput {
  readonly folder: Folder;
  /** The index as it is written. */
  readonly indexText: string;
  readonly outside: ReadonlyMap<string, OutsideChange>;
  readonly now: number;
  readonly timeZone?: string | undefined;
  /** By file. Without them nothing is said about references. */
  readonly verdicts?: ReadonlyMap<string, TruthVerdict> | undefined;
  readonly instructions?: readonly string[] | undefined;
  /** Hashes of bodies that a person has let through. */
  readonly confirmed?: ReadonlySet<string> | undefined;
}

type Report = (finding: Omit<LintFinding, "isFixable"> & { isFixable?: boolean }) => void;

export function lintMemories(input: LintInput): LintFinding[] {
  const findings: LintFinding[] = [];
  const report: Report = (finding) => findings.push({ isFixable: false, ...finding });
  for (const { file, problem } of input.folder.unreadable)
    report({
      file,
      kind: "unreadable",
      severity: "error",
      problem,
      fix: "put a plain text file there, or remove it",
    });
  lintIndex(input, report);
  lintBudget(input, report);
  for (const memory of input.folder.memories) lintMemory(memory, input, report);
  lintPairs(
    input.folder.memories.filter((memory) => isActive(memory, input.now)),
    report,
  );
  for (const [file, change] of input.outside) reportOutside(file, change, report);
  return findings;
}

function lintIndex({ folder, now }: LintInput, report: Report): void {
  const known = new Map(folder.memories.map((memory) => [memory.file, memory]));
  const seen = new Set<string>();
  for (const { file, title } of folder.index) {
    const memory = known.get(file);
    if (seen.has(file))
      report({
        file,
        kind: "twice-listed",
        severity: "warning",
        problem: `${INDEX} lists it twice`,
        fix: "keep one line",
        isFixable: true,
      });
    else if (memory === undefined && !folder.unreadable.some((each) => each.file === file))
      report({
        file,
        kind: "dead-line",
        severity: "error",
        problem: `${INDEX} lists ${JSON.stringify(title)}, but there is no such file`,
        fix: "take the line out, or bring the file back: throughline memory history",
        isFixable: true,
      });
    else if (memory !== undefined && memory.supersededBy !== undefined)
      report({
        file,
        kind: "dead-line",
        severity: "warning",
        problem: `${INDEX} lists it, though ${memory.supersededBy} superseded it`,
        fix: "take the line out",
        isFixable: true,
      });
    seen.add(file);
  }
  for (const memory of folder.memories)
    if (!seen.has(memory.file) && memory.supersededBy === undefined && isActive(memory, now))
      report({
        file: memory.file,
        kind: "unlisted",
        severity: "error",
        problem: `${INDEX} has no line for it, so no session knows of it`,
        fix: "add the line",
        isFixable: memory.problems.length === 0,
      });
}

function lintBudget({ folder, indexText }: LintInput, report: Report): void {
  const { lines, characters, state, unseen } = folder.size;
  if (state === "over")
    report({
      file: INDEX,
      kind: "budget",
      severity: "error",
      problem: `${lines} lines and ${characters} characters: ${unseen.length} memories are not loaded`,
      fix: `merge, supersede or remove memories, to below ${indexBudget.warnLines} lines`,
    });
  if (state === "near")
    report({
      file: INDEX,
      kind: "budget",
      severity: "warning",
      problem: `${lines} of ${indexBudget.lines} lines, ${characters} of ${indexBudget.characters} characters`,
      fix: `merge, supersede or remove memories, to below ${indexBudget.warnLines} lines`,
    });
  for (const { kind, evidence } of findInjected(indexText))
    report({
      file: INDEX,
      kind: "injected",
      severity: "error",
      problem: `${kind}: ${evidence}`,
      fix: "edit the line; every session reads it",
    });
}

function lintMemory(memory: StoredMemory, input: LintInput, report: Report): void {
  const { file, body, description, type } = memory;
  for (const problem of memory.problems)
    report({ file, kind: "schema", severity: "error", problem, fix: `throughline memory edit ${file}` });
  if (!input.confirmed?.has(sha256(body)))
    for (const { kind, evidence } of findInjected(memory.text))
      report({
        file,
        kind: "injected",
        severity: "error",
        problem: `${kind}: ${evidence}`,
        fix: "read it; --fix puts it into quarantine",
        isFixable: true,
      });
  for (const { kind } of redactText(memory.text).found)
    report({
      file,
      kind: "secret",
      severity: "error",
      problem: `it holds a ${kind}`,
      fix: `take it out, and change it where it is used: throughline memory edit ${file}`,
    });
  if (!isActive(memory, input.now)) {
    // Once it has no line any more, nobody is told it, and nothing has to be done.
    if (hasExpired(memory, input.now) && input.folder.index.some((line) => line.file === file))
      report({
        file,
        kind: "expired",
        severity: "warning",
        problem: `it expired on ${memory.expires?.slice(0, 10)}, and ${INDEX} still lists it`,
        fix: `give it a new date, or throughline memory rm ${file}; --fix takes the line out`,
        isFixable: true,
      });
    return;
  }
  if (description !== "" && isAbstract(description))
    report({
      file,
      kind: "abstract-description",
      severity: "warning",
      problem: `${JSON.stringify(description)} names nothing in particular`,
      fix: "say what, where and when: a session decides by it whether to read on",
    });
  const missing = type === "feedback" ? missingParts(body) : [];
  if (missing.length > 0)
    report({
      file,
      kind: "feedback-shape",
      severity: "warning",
      problem: `it lacks ${missing.join(" and ")}`,
      fix: "say the rule, why it is one, and how to apply it",
    });
  lintTruth(memory, input, report);
}

function lintTruth(
  memory: StoredMemory,
  { verdicts, now, timeZone, instructions }: LintInput,
  report: Report,
): void {
  const { file, body, type, created, modifiedAt } = memory;
  if (type === "project") {
    const base = created === undefined ? modifiedAt : Date.parse(created);
    for (const { from, to } of absoluteDates(
      `${memory.description}\n${body}`,
      Number.isNaN(base) ? now : base,
      timeZone,
    ).changes)
      report({
        file,
        kind: "relative-date",
        severity: "warning",
        problem: `${JSON.stringify(from)} was ${to} when it was written`,
        fix: "write the date",
        isFixable: true,
      });
  }
  if (type !== undefined) {
    const judged = judgeDerivable({ type, body }, instructions);
    if (judged.kind === "derivable")
      report({
        file,
        kind: "derivable",
        severity: "note",
        problem: `it can be looked up: ${judged.found[0]?.evidence ?? ""}`,
        fix: "keep what was surprising about it",
      });
  }
  for (const { standing, evidence } of verdicts?.get(file)?.checked ?? [])
    if (standing === "stale")
      report({
        file,
        kind: "stale",
        severity: "warning",
        problem: evidence,
        fix: `what is there now is right: throughline memory edit ${file}, or rm`,
      });
}

const relations: Readonly<Record<MemoryRelation["kind"], Pick<LintFinding, "severity" | "fix">>> = {
  duplicate: { severity: "warning", fix: "keep one of the two" },
  "near-duplicate": { severity: "warning", fix: "merge them, or supersede one" },
  contradiction: { severity: "error", fix: "find out which holds; supersede the other" },
};

function lintPairs(memories: readonly StoredMemory[], report: Report): void {
  const made = memories.map(({ file, body }) => ({ file, said: comparedBody(body) }));
  for (const [at, a] of made.entries())
    for (const b of made.slice(at + 1))
      for (const { kind, words } of relationsOf(a.said, b.said))
        report({ file: b.file, kind, problem: words(a.file), ...relations[kind] });
}

function reportOutside(file: string, change: OutsideChange, report: Report): void {
  const words = { new: "was written", changed: "was changed", removed: "was removed" }[change];
  report({
    file,
    kind: "changed-outside",
    severity: change === "new" ? "note" : "warning",
    problem: `it ${words} by somebody else than Throughline`,
    fix: "look at it if neither you nor your agent did that: throughline memory history",
  });
}
