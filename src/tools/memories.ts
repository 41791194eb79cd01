// A memory of a type, saved into the memory directory by its rules; what they refuse or put aside is told to the model.
import type { z } from "zod";
import { type IsExcluded, isPaused } from "../home/index.ts";
import { lineOf } from "../inject/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import { appendLog, fileNameFor, type MemoryType, readMemoryFile, saveMemory } from "../memdir/index.ts";
import { instructionsFor, type MemoryOwner, memoryFolderFor } from "./memoryFolder.ts";
import { waiting } from "./remember.ts";
import type { inputs, outputs } from "./schemas.ts";

interface TypedMemory extends z.output<typeof inputs.memory> {
  readonly type: MemoryType;
}

export interface MemoryContext extends MemoryOwner {
  readonly session?: string;
  /** Whether nothing is kept of work in a folder. */
  readonly isExcluded: IsExcluded;
}

interface Saved {
  readonly text: string;
  readonly data: z.output<typeof outputs.memory>;
}

const refuse = (message: string, fix: string): ThroughlineError =>
  new ThroughlineError("memory-refused", message, { fix });

function checkAllowed({ home, folder, isExcluded }: MemoryContext): void {
  if (isPaused(home)) throw refuse("nothing is kept while capturing is paused", "throughline resume");
  if (isExcluded(folder)) throw refuse(`nothing is kept in ${folder}`, "see capture.exclude");
}

/** Throws `memory-refused` for what is not saved, with the reason and the way out. */
export async function saveTyped(around: MemoryContext, input: TypedMemory): Promise<Saved> {
  checkAllowed(around);
  const { place, mode } = memoryFolderFor(around);
  const { type, text: body, title = "", name = title, description = "" } = input;
  const author = "assistant";
  const told = lineOf(name, "(a memory)");
  if (mode === "log") {
    const logged = appendLog(place, { text: `${name}: ${body}`, author, type });
    if (logged.outcome === "quarantined") throw waiting(logged);
    if (logged.outcome === "refused") throw refuse(logged.message, logged.fix);
    return { text: `Logged in ${logged.file}`, data: { id: logged.file, title: told, known: false } };
  }
  const there = name.trim() === "" ? undefined : readMemoryFile(place, fileNameFor(name));
  if (there?.type === type && there.body === body.trim())
    return { text: `Known already as ${there.file}`, data: { id: there.file, title: told, known: true } };
  const session = around.session === undefined ? {} : { session: around.session };
  const request = { name, description, type, body, author, ...session } as const;
  const saved = await saveMemory(place, request, { instructions: instructionsFor(around) });
  if (saved.outcome === "quarantined") throw waiting(saved);
  if (saved.outcome === "refused") throw refuse(saved.message, saved.fix);
  const notes = [
    ...saved.dates.map(({ from, to }) => `${from} is ${to}`),
    ...(saved.hidden.length === 0 ? [] : [`hidden: ${saved.hidden.join(", ")}`]),
    ...saved.warnings,
  ];
  return {
    text: [`Saved as ${saved.file}: ${told}`, ...notes].join("\n"),
    data: { id: saved.file, title: told, known: false, ...(notes.length === 0 ? {} : { notes }) },
  };
}
