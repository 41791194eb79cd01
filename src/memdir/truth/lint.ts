// Reports what is wrong with a folder of memories, each finding with its fix. Changes nothing.

import type { TruthVerdict } from "../../claims/index.ts";
import { absoluteDates } from "../../dates/index.ts";
import { sha256 } from "../../lib/index.ts";
import { findInjected, redactText } from "../../redact/index.ts";
import { judgeDerivable } from "../admit/derivable.ts";
import { comparedBody, relationsOf } from "../admit/relations.ts";
import { isAbstract, missingParts } from "../admit/rules.ts";
import { indexBudget } from "../folder/indexFile.ts";
import { hasExpired, isActive, type StoredMemory } from "../folder/model.ts";
import { INDEX } from "../folder/safePaths.ts";
import type { Folder, OutsideChange } from "../folder/store.ts";

/** How serious a finding is. */
type LintSeverity = "error" | "warning" | "note";

/** The usual severity of each kind of finding. */
const lintSeverities = {
  schema: "error",
  unreadable: "error",
  unlisted: "error",
  "dead-line": "warning",
  "twice-listed": "warning",
  budget: "warning",
  duplicate: "warning",
  "near-duplicate": "warning",
  contradiction: "error",
  secret: "error",
  injected: "error",
  stale: "warning",
  expired: "warning",
  "relative-date": "warning",
  "feedback-shape": "warning",
  "abstract-description": "warning",
  derivable: "note",
  "changed-outside": "warning",
} as const satisfies Record<string, LintSeverity>;
type LintFindingKind = keyof typeof lintSeverities;

/** Something that is wrong with a memory directory. */
export interface LintFinding {
  readonly file: string;
  readonly kind: LintFindingKind;
  readonly severity: LintSeverity;
  readonly problem: string;
  readonly fix: string;
  /** Whether `--fix` does it. */
  readonly isFixable: boolean;
}

/** What `lintMemories` looks at. */
interface LintInput {
  readonly folder: Folder;
  /** The index as it is written. */
  readonly indexText: string;
  readonly outside: ReadonlyMap<string, OutsideChange>;
  readonly now: number;
  readonly timeZone?: string | undefined;
  /** By file. Without them references are not reported. */
  readonly verdicts?: ReadonlyMap<string, TruthVerdict> | undefined;
  readonly instructions?: readonly string[] | undefined;
  /** Hashes of bodies that a person has confirmed. */
  readonly confirmed?: ReadonlySet<string> | undefined;
}

type ReportFinding = (
  file: string,
  kind: LintFindingKind,
  problem: string,
  fix: string,
  more?: Partial<Pick<LintFinding, "severity" | "isFixable">>,
) => void;

const fixable = { isFixable: true } as const;

/** Lists what is wrong with a memory directory. Changes nothing. */
export function lintMemories(input: LintInput): LintFinding[] {
  const findings: LintFinding[] = [];
  const report: ReportFinding = (file, kind, problem, fix, more) =>
    findings.push({ file, kind, severity: lintSeverities[kind], problem, fix, isFixable: false, ...more });
  const { memories, unreadable } = input.folder;
  for (const { file, problem } of unreadable)
    report(file, "unreadable", problem, "put a plain text file there, or remove it");
  lintIndex(input, report);
  lintBudget(input, report);
  for (const memory of memories) lintMemory(memory, input, report);
  lintPairs(
    memories.filter((memory) => isActive(memory, input.now)),
    report,
  );
  for (const [file, change] of input.outside)
    report(
      file,
      "changed-outside",
      `it ${outsideWords[change]} by another program than Throughline`,
      "look at it if neither you nor your agent did that: throughline memory history",
      change === "new" ? { severity: "note" } : {},
    );
  return findings;
}

const outsideWords = { new: "was written", changed: "was changed", removed: "was removed" } as const;

function lintIndex({ folder, now }: LintInput, report: ReportFinding) {
  const known = new Map(folder.memories.map((memory) => [memory.file, memory]));
  const seen = new Set<string>();
  for (const { file, title } of folder.index) {
    const memory = known.get(file);
    if (seen.has(file)) report(file, "twice-listed", `${INDEX} lists it twice`, "keep one line", fixable);
    else if (!memory && !folder.unreadable.some((each) => each.file === file))
      report(
        file,
        "dead-line",
        `${INDEX} lists ${JSON.stringify(title)}, but there is no such file`,
        "take the line out, or bring the file back: throughline memory history",
        { severity: "error", isFixable: true },
      );
    else if (memory?.supersededBy !== undefined)
      report(
        file,
        "dead-line",
        `${INDEX} lists it, though ${memory.supersededBy} superseded it`,
        "take the line out",
        fixable,
      );
    seen.add(file);
  }
  for (const memory of folder.memories)
    if (!seen.has(memory.file) && isActive(memory, now))
      report(
        memory.file,
        "unlisted",
        `${INDEX} has no line for it, so no session knows of it`,
        "add the line",
        { isFixable: memory.problems.length === 0 },
      );
}

function lintBudget({ folder, indexText }: LintInput, report: ReportFinding) {
  const { lines, characters, state, unseen } = folder.size;
  if (state !== "fine")
    report(
      INDEX,
      "budget",
      state === "over"
        ? `${lines} lines and ${characters} characters: ${unseen.length} memories are not loaded`
        : `${lines} of ${indexBudget.lines} lines, ${characters} of ${indexBudget.characters} characters`,
      `merge, supersede or remove memories, to below ${indexBudget.warnLines} lines`,
      state === "over" ? { severity: "error" } : {},
    );
  for (const { kind, evidence } of findInjected(indexText))
    report(INDEX, "injected", `${kind}: ${evidence}`, "edit the line; every session reads it");
}

function lintMemory(memory: StoredMemory, input: LintInput, report: ReportFinding) {
  const { file, body, description, type } = memory;
  for (const problem of memory.problems) report(file, "schema", problem, `throughline memory edit ${file}`);
  if (!input.confirmed?.has(sha256(body)))
    for (const { kind, evidence } of findInjected(memory.text))
      report(file, "injected", `${kind}: ${evidence}`, "read it; --fix puts it into quarantine", fixable);
  for (const { kind } of redactText(memory.text).found)
    report(
      file,
      "secret",
      `it holds a ${kind}`,
      `take it out, and change it where it is used: throughline memory edit ${file}`,
    );
  if (!isActive(memory, input.now)) {
    // Without a line in the index it is not shown any more, and nothing has to be done.
    if (hasExpired(memory, input.now) && input.folder.index.some((line) => line.file === file))
      report(
        file,
        "expired",
        `it expired on ${memory.expires?.slice(0, 10)}, and ${INDEX} still lists it`,
        `give it a new date, or throughline memory rm ${file}; --fix takes the line out`,
        fixable,
      );
    return;
  }
  if (description !== "" && isAbstract(description))
    report(
      file,
      "abstract-description",
      `${JSON.stringify(description)} names nothing in particular`,
      "say what, where and when: a session decides by it whether to read on",
    );
  const missing = type === "feedback" ? missingParts(body) : [];
  if (missing.length > 0)
    report(
      file,
      "feedback-shape",
      `it lacks ${missing.join(" and ")}`,
      "say the rule, why it is one, and how to apply it",
    );
  lintTruth(memory, input, report);
}

function lintTruth(
  { file, description, body, type, created, modifiedAt }: StoredMemory,
  { verdicts, now, timeZone, instructions }: LintInput,
  report: ReportFinding,
) {
  if (type === "project") {
    const written = created === undefined ? modifiedAt : Date.parse(created);
    const base = Number.isNaN(written) ? now : written;
    for (const { from, to } of absoluteDates(`${description}\n${body}`, base, timeZone).changes)
      report(
        file,
        "relative-date",
        `${JSON.stringify(from)} was ${to} when it was written`,
        "write the date",
        fixable,
      );
  }
  const judged = type && judgeDerivable({ type, body }, instructions);
  if (judged?.kind === "derivable")
    report(
      file,
      "derivable",
      `it can be looked up: ${judged.found[0]?.evidence ?? ""}`,
      "keep what was surprising about it",
    );
  for (const { standing, evidence } of verdicts?.get(file)?.checked ?? [])
    if (standing === "stale")
      report(file, "stale", evidence, `what is there now is right: throughline memory edit ${file}, or rm`);
}

const relationFixes = {
  duplicate: "keep one of the two",
  "near-duplicate": "merge them, or supersede one",
  contradiction: "find out which holds; supersede the other",
} as const;

function lintPairs(memories: readonly StoredMemory[], report: ReportFinding) {
  const compared = memories.map(({ file, body }) => ({ file, body: comparedBody(body) }));
  for (const [at, a] of compared.entries())
    for (const b of compared.slice(at + 1))
      for (const { kind, words } of relationsOf(a.body, b.body))
        report(b.file, kind, words(a.file), relationFixes[kind]);
}
