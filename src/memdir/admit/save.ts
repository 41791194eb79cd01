// Saves a memory for a person or an agent: checks its rules, redacts and screens it, makes dates absolute, writes it.

import { readPlaces } from "../../claims/index.ts";
import type { DateChange } from "../../dates/index.ts";
import { type Clock, defined, isoTime, SECOND, sha256, systemClock } from "../../lib/index.ts";
import { type IndexSize, indexBudget } from "../folder/indexFile.ts";
import type { MemoryChange } from "../folder/journal.ts";
import {
  type Author,
  isGuidance,
  type KeptFields,
  type MemoryContent,
  type MemoryPlace,
  trustOf,
} from "../folder/model.ts";
import { readFolder, writeMemory } from "../folder/store.ts";
import { type Derivable, derivableKinds, judgeDerivable } from "./derivable.ts";
import { confirmedBodies, quarantine } from "./quarantine.ts";
import { describeRelations } from "./relations.ts";
import { datedBody, isAbstract, type MemoryDraft, rulesBroken } from "./rules.ts";
import { findSuspicions, redactDraft, type Suspicion } from "./screen.ts";

/** A memory to be saved. */
export interface SaveRequest extends MemoryDraft {
  /** Whose words they are. */
  readonly author: Author;
  readonly supersedes?: readonly string[];
  /** The part of a derivable memory that cannot be looked up. */
  readonly surprising?: string;
}

/** Options of `saveMemory`. */
export interface SaveMemoryOptions {
  readonly clock?: Clock;
  readonly timeZone?: string;
  /** Texts of CLAUDE.md and the like; a memory that repeats them is refused. */
  readonly instructions?: readonly string[];
  /** The repository that the memory is about: what can be looked up there is refused. */
  readonly root?: string | undefined;
  /** The file to replace, and the hash it had when it was read. */
  readonly replace?: { readonly file: string; readonly hash: string };
  /** Fields of the replaced memory that stay. */
  readonly kept?: KeptFields;
}

/** What came of saving a memory. */
export type SaveOutcome =
  | {
      readonly outcome: "saved";
      readonly file: string;
      readonly change: MemoryChange;
      readonly memory: MemoryContent;
      readonly size: IndexSize;
      readonly hidden: readonly string[];
      readonly dates: readonly DateChange[];
      readonly warnings: readonly string[];
    }
  | { readonly outcome: "quarantined"; readonly id: string; readonly suspicions: readonly Suspicion[] }
  | {
      readonly outcome: "refused";
      readonly reason: "schema" | "feedback-shape" | "derivable";
      readonly message: string;
      readonly fix: string;
      readonly found?: readonly Derivable[];
    };

/** How long a save may look for its words. */
const REPOSITORY_LOOK_MS = 2 * SECOND;

/** Saves a memory, refuses it with the reason and the fix, or quarantines it. Throws only what the disk throws. */
export async function saveMemory(
  place: MemoryPlace,
  request: SaveRequest,
  options: SaveMemoryOptions = {},
): Promise<SaveOutcome> {
  return await screenAndSave(place, request, options, false);
}

/** The same; words that a person has confirmed are not screened again. */
export async function screenAndSave(
  place: MemoryPlace,
  request: SaveRequest,
  { clock = systemClock, timeZone, instructions, root, replace, kept }: SaveMemoryOptions,
  isConfirmed: boolean,
): Promise<SaveOutcome> {
  const [broken] = rulesBroken(request);
  if (broken) return { outcome: "refused", reason: broken.kind, message: broken.problem, fix: broken.fix };
  const { draft, hidden } = redactDraft(request);
  const found = isConfirmed ? [] : unconfirmedSuspicions(place, draft);
  if (found.length > 0) {
    const destination = replace && { kind: "edit" as const, ...replace, ...defined({ kept }) };
    const { id } = quarantine(place, draft, found, { clock, destination });
    return { outcome: "quarantined", id, suspicions: found };
  }
  const places =
    root === undefined || isGuidance(draft.type) ? [] : await readPlaces(root, REPOSITORY_LOOK_MS);
  const judgement = judgeDerivable(draft, instructions, places);
  if (judgement.kind === "derivable") return derivableRefusal(judgement.found);
  const dated = datedBody({ ...draft, body: judgement.body }, clock.now(), timeZone);
  const memory = memoryContent(request, { ...draft, ...dated }, clock.now(), kept);
  const written = await writeMemory(
    place,
    memory,
    replace ? { clock, file: replace.file, expect: replace.hash } : { clock },
  );
  const except = [written.file, ...(memory.supersedes ?? [])];
  const related = describeRelations(memory.body, readFolder(place).memories, { now: clock.now(), except });
  const warnings = [
    ...related.map((words) => `${words}; supersede one of the two`),
    ...warningsFor(memory, written.size),
  ];
  return { outcome: "saved", ...written, memory, hidden, dates: dated.changes, warnings };
}

/** A confirmed body is not screened again; its name and description are. */
function unconfirmedSuspicions(place: MemoryPlace, draft: SaveRequest) {
  const found = findSuspicions(draft, draft);
  if (found.length === 0 || !confirmedBodies(place).has(sha256(draft.body.trim()))) return found;
  return findSuspicions({ ...draft, body: "" }, { ...draft, author: "user" });
}

function memoryContent(
  { type, author, session, turn, expires, supersedes }: SaveRequest,
  { name, description, body }: Pick<SaveRequest, "name" | "description" | "body">,
  now: number,
  kept: KeptFields = {},
): MemoryContent {
  const provenance = { author, trust: trustOf[author], session, turn, expires, supersedes, ...kept };
  return {
    name: name.trim(),
    description: description.trim(),
    type,
    body: body.trim(),
    ...defined({ ...provenance, created: kept.created ?? isoTime(now) }),
  };
}

function derivableRefusal(found: readonly Derivable[]): SaveOutcome {
  const kinds = [...new Set(found.map(({ kind }) => derivableKinds[kind]))];
  return {
    outcome: "refused",
    reason: "derivable",
    message: `this can be looked up (${kinds.join("; ")}). What was surprising about it?`,
    fix: "save that part alone (on the command line: --surprising TEXT)",
    found,
  };
}

function warningsFor({ description }: MemoryContent, size: IndexSize) {
  const warnings: string[] = [];
  if (isAbstract(description))
    warnings.push("the description names nothing in particular; say what, where and when");
  if (size.state === "over")
    warnings.push(
      `the index has ${size.lines} lines and ${size.characters} characters; the last ${size.unseen.length} memories are not loaded`,
    );
  if (size.state === "near")
    warnings.push(`the index has ${size.lines} lines of ${indexBudget.lines}; merge or supersede memories`);
  return warnings;
}
