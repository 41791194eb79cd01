// Puts right what lint found and what can be put right without a decision; every step is in the history.

import { absoluteDates } from "../../dates/index.ts";
import { type Clock, systemClock, ThroughlineError } from "../../lib/index.ts";
import { findInjected } from "../../redact/index.ts";
import { dropQuarantined, quarantine } from "../admit/quarantine.ts";
import { redactDraft } from "../admit/screen.ts";
import { commitEdits } from "../folder/commit.ts";
import { indexLine, withIndexLine } from "../folder/indexFile.ts";
import type { MemoryPlace, StoredMemory } from "../folder/model.ts";
import { INDEX, readInside } from "../folder/safePaths.ts";
import type { Folder } from "../folder/store.ts";
import type { LintFinding } from "./lint.ts";

/** Options of `applyFixes`. */
interface MendOptions {
  readonly clock?: Clock;
  readonly timeZone?: string | undefined;
}

/** Carries out what is fixable; gives the findings that are gone. */
export async function applyFixes(
  place: MemoryPlace,
  folder: Folder,
  findings: readonly LintFinding[],
  { clock = systemClock, timeZone }: MendOptions = {},
): Promise<LintFinding[]> {
  const known = new Map(folder.memories.map((memory) => [memory.file, memory]));
  const mended: LintFinding[] = [];
  const files = new Set(findings.filter(({ isFixable }) => isFixable).map(({ file }) => file));
  for (const file of files) {
    const own = findings.filter((finding) => finding.isFixable && finding.file === file);
    const memory = known.get(file);
    const edit = memory ? editFor(file, memory, own, timeZone) : removeDeadLine(place, file, own);
    if (!edit) continue;
    // Aside before it goes, so that it is never in neither place.
    const aside =
      own.some(({ kind }) => kind === "injected") && memory
        ? quarantineFile(place, memory, clock)
        : undefined;
    try {
      await commitEdits(place, "fix", () => [edit], clock);
      mended.push(...own);
    } catch (error) {
      if (aside) dropQuarantined(place, aside);
      // Changed meanwhile, or no file of this folder at all: the finding stays, and the others are still put right.
      if (!(error instanceof ThroughlineError)) throw error;
    }
  }
  return mended;
}

function quarantineFile(place: MemoryPlace, memory: StoredMemory, clock: Clock) {
  const { file, name, description, text, type = "reference", author = "tool" } = memory;
  const suspicions = findInjected(text).map(({ kind, evidence }) => ({ kind, evidence }));
  const { draft } = redactDraft({ name: name || file, description: description || file, body: text });
  const destination = { kind: "file", file, hash: null } as const;
  return quarantine(place, { ...draft, type, author }, suspicions, { clock, destination });
}

/** The index without a line that names no file: whatever the line says, it is the index that is written. */
function removeDeadLine(place: MemoryPlace, file: string, findings: readonly LintFinding[]) {
  if (!findings.some(({ kind }) => kind === "dead-line")) return undefined;
  const index = readInside(place.folder, INDEX);
  return index && { file: INDEX, text: withIndexLine(index.text, file, undefined), expect: index.hash };
}

function editFor(
  file: string,
  memory: StoredMemory,
  findings: readonly LintFinding[],
  timeZone: string | undefined,
) {
  const has = (kind: LintFinding["kind"]) => findings.some((finding) => finding.kind === kind);
  const base = { file, text: memory.text, expect: memory.hash };
  if (has("injected")) return { ...base, text: undefined, line: null };
  const dated = has("relative-date") ? datedText(memory, timeZone) : memory.text;
  if (has("dead-line") || has("expired")) return { ...base, text: dated, line: null };
  if (has("unlisted") || has("twice-listed")) return { ...base, text: dated, line: indexLine(memory) };
  return dated === memory.text ? undefined : { ...base, text: dated };
}

/** Only the body: the words of the index are its author's. */
function datedText({ text, body, created, modifiedAt }: StoredMemory, timeZone: string | undefined) {
  const base = created === undefined ? modifiedAt : Date.parse(created);
  const at = text.lastIndexOf(body);
  if (at === -1 || Number.isNaN(base)) return text;
  return text.slice(0, at) + absoluteDates(body, base, timeZone).text + text.slice(at + body.length);
}
