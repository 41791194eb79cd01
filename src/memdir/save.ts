// Saving a memory as a person or an agent asks for it: judged, dated, cleaned, then written, refused or put aside.
import { type Clock, isoTime, systemClock } from "../lib/index.ts";
import type { DateChange } from "./dates.ts";
import { type Derivable, derivableKinds, judgeDerivable } from "./derivable.ts";
import { defined } from "./frontmatter.ts";
import { budget, type IndexSize } from "./indexFile.ts";
import type { Change } from "./journal.ts";
import { type Author, type MemoryContent, type MemoryPlace, type MemoryType, trustOf } from "./model.ts";
import { confirmBody, type Quarantined, quarantine } from "./quarantine.ts";
import { datedBody, isAbstract, rulesBroken } from "./rules.ts";
import { neutralised, type Suspicion, suspicions, withoutSecrets } from "./screen.ts";
import { writeMemory } from "./store.ts";

export interface SaveRequest {
  readonly name: string;
  readonly description: string;
  readonly type: MemoryType;
  readonly body: string;
  /** Whose words they are. */
  readonly author: Author;
  readonly session?: string;
  readonly turn?: string;
  readonly expires?: string;
  readonly supersedes?: readonly string[];
  /** What nobody could have looked up: the part to keep of something derivable. */
  readonly surprising?: string;
}

export interface SaveOptions {
  readonly clock?: Clock;
  readonly timeZone?: string;
  /** What CLAUDE.md and its kin say: no memory needs to say it again. */
  readonly instructions?: readonly string[];
  /** The file to replace, and the hash it had when it was read. */
  readonly replace?: { readonly file: string; readonly hash: string };
  /** Fields of the memory that is replaced and that stay. */
  readonly kept?: Pick<MemoryContent, "created" | "lastVerified" | "validUntil" | "supersededBy">;
}

export const QUESTION = "What was surprising about it?";

export type SaveOutcome =
  | {
      readonly outcome: "saved";
      readonly file: string;
      readonly change: Change;
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

/** Saves, refuses with the reason and the way out, or puts aside for a person to look at. Throws only what the disk throws. */
export async function saveMemory(
  place: MemoryPlace,
  request: SaveRequest,
  options: SaveOptions = {},
): Promise<SaveOutcome> {
  return await save(place, request, options);
}

/** Saves what was put aside: a person has read it. Marks that would speak for somebody else are made visible words. */
export async function confirmQuarantined(
  place: MemoryPlace,
  entry: Quarantined,
  options: SaveOptions = {},
): Promise<SaveOutcome> {
  const { request } = entry;
  const clean = {
    ...request,
    name: neutralised(request.name),
    description: neutralised(request.description),
    body: neutralised(request.body),
    ...(request.surprising === undefined ? {} : { surprising: neutralised(request.surprising) }),
  };
  const outcome = await save(place, clean, options, true);
  if (outcome.outcome === "saved") confirmBody(place, entry, outcome.memory.body);
  return outcome;
}

async function save(
  place: MemoryPlace,
  request: SaveRequest,
  { clock = systemClock, timeZone, instructions, replace, kept }: SaveOptions,
  isConfirmed = false,
): Promise<SaveOutcome> {
  const [broken] = rulesBroken(request);
  if (broken !== undefined)
    return { outcome: "refused", reason: broken.kind, message: broken.problem, fix: broken.fix };
  const { draft, hidden } = withoutSecrets(request);
  const found = isConfirmed ? [] : suspicions(draft, request);
  if (found.length > 0) {
    const { id } = quarantine(place, draft, found, clock);
    return { outcome: "quarantined", id, suspicions: found };
  }
  const judgement = judgeDerivable(draft, instructions);
  if (judgement.kind === "derivable") return refusal(judgement.found);
  const dated = datedBody({ ...draft, body: judgement.body }, clock.now(), timeZone);
  const memory = contentOf(request, { ...draft, ...dated }, clock.now(), kept);
  const written = await writeMemory(
    place,
    memory,
    replace === undefined ? { clock } : { clock, file: replace.file, expect: replace.hash },
  );
  const warnings = warningsFor(memory, written.size);
  return { outcome: "saved", ...written, memory, hidden, dates: dated.changes, warnings };
}

function contentOf(
  { type, author, session, turn, expires, supersedes }: SaveRequest,
  { name, description, body }: Pick<SaveRequest, "name" | "description" | "body">,
  now: number,
  kept: SaveOptions["kept"] = {},
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

function refusal(found: readonly Derivable[]): SaveOutcome {
  const kinds = [...new Set(found.map(({ kind }) => derivableKinds[kind]))];
  return {
    outcome: "refused",
    reason: "derivable",
    message: `this can be looked up (${kinds.join("; ")}). ${QUESTION}`,
    fix: "save that part alone (on the command line: --surprising TEXT)",
    found,
  };
}

function warningsFor({ description }: MemoryContent, size: IndexSize): string[] {
  const warnings: string[] = [];
  if (isAbstract(description))
    warnings.push("the description names nothing in particular; say what, where and when");
  if (size.state === "over")
    warnings.push(
      `the index has ${size.lines} lines and ${size.characters} characters; the last ${size.unseen.length} memories are not loaded`,
    );
  if (size.state === "near")
    warnings.push(`the index has ${size.lines} lines of ${budget.lines}; merge or supersede memories`);
  return warnings;
}
