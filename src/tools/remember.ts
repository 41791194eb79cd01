// Stores what a model or a user wants remembered: free text as an observation, or a typed memory in the memory directory.
import { z } from "zod";
import { type IsExcluded, isPaused, projectOf } from "../home/index.ts";
import { lineOf, MEMORY_TOOL } from "../inject/index.ts";
import type { RedactPayload } from "../intake/index.ts";
import {
  type Clock,
  defined,
  isObject,
  isoTime,
  present,
  sha256,
  ThroughlineError,
  usageError,
} from "../lib/index.ts";
import {
  appendLog,
  fileNameFor,
  type MemoryPlace,
  type MemoryType,
  memoryFromWords,
  type Quarantined,
  readMemoryFile,
  saveMemory,
  screenFreeText,
} from "../memdir/index.ts";
import { refOf } from "../search/index.ts";
import type { KnowledgeStore } from "../store/index.ts";
import { instructionsFor, type MemoryOwner, memoryFolderFor } from "./memoryFolder.ts";
import type { inputs, outputs } from "./schemas.ts";

export interface RememberParts {
  readonly store: Pick<KnowledgeStore, "addObservations" | "observations">;
  readonly redact: RedactPayload;
  readonly isExcluded: IsExcluded;
  readonly isPaused: () => boolean;
  /** The memories of the project that a folder belongs to. */
  readonly placeOf: (folder: string) => MemoryPlace;
  readonly clock: Clock;
}

export const rememberedSchema = z.object({
  /** `#12`; absent for one that was known already. */
  ref: z.string().exactOptional(),
  title: z.string(),
  /** The very same was kept before. */
  known: z.boolean(),
});

export type Remembered = Readonly<z.output<typeof rememberedSchema>>;

const LONGEST_MEMORY = 20_000;
const TITLE_LENGTH = 100;
/** Memories that belong to no session of an agent. */
const NO_SESSION = "memories";

const trimmedString = (value: unknown) => (typeof value === "string" ? value.trim() : "");

function titleFrom(text: string) {
  const line = text.split("\n", 1)[0]?.replace(/^#+\s*/, "") ?? "";
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH).replace(/[\ud800-\udbff]$/, "");
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), TITLE_LENGTH * 0.6))}…`;
}

function memoryRefused(message: string, fix: string) {
  return new ThroughlineError("memory-refused", message, fix);
}

function checkAllowed(folder: string, paused: boolean, isExcluded: IsExcluded) {
  if (paused) throw memoryRefused("nothing is kept while capturing is paused", "throughline resume");
  if (isExcluded(folder)) throw memoryRefused(`nothing is kept in ${folder}`, "see capture.exclude");
}

/** Does not name the command that approves it: only a person may do that. */
function waiting({ id, suspicions }: Pick<Quarantined, "id" | "suspicions">) {
  const reasons = suspicions.map(({ kind, evidence }) => `${kind}: ${lineOf(evidence, "withheld")}`);
  return memoryRefused(
    `not saved: it waits in quarantine as ${id} until a person has read it (${reasons.join("; ")})`,
    "tell the user; `throughline memory list --quarantine` shows it",
  );
}

/** Takes an unchecked `{ text, title?, folder, session? }`. Throws `usage` or `memory-refused`; then nothing was stored. */
export async function remember(parts: RememberParts, request: unknown): Promise<Remembered> {
  const given = isObject(request) ? request : {};
  const [wanted, folder] = [trimmedString(given.text), trimmedString(given.folder)];
  if (wanted === "" || folder === "") throw usageError("a memory has a text and a folder");
  if (wanted.length > LONGEST_MEMORY)
    throw memoryRefused(`a memory has at most ${LONGEST_MEMORY} characters`, "keep its gist");
  checkAllowed(folder, parts.isPaused(), parts.isExcluded);
  const { id: project } = projectOf(folder);
  const redacted = await parts.redact({
    text: wanted,
    title: trimmedString(given.title) || titleFrom(wanted),
  });
  const [text, title] = [String(redacted.text), String(redacted.title)];
  const session = trimmedString(given.session);
  const free = { text, title, ...defined({ session: session || undefined }) };
  const aside = screenFreeText(parts.placeOf(folder), free, parts.clock);
  if (aside) throw waiting(aside);
  const uid = `me_${sha256(`${project}\n${text}`).slice(0, 24)}`;
  const at = isoTime(parts.clock.now());
  const { added } = await parts.store.addObservations([
    {
      uid,
      session: session || NO_SESSION,
      project,
      promptNumber: 0,
      at,
      type: "discovery",
      title,
      ...(text === title ? {} : { text }),
      concepts: ["memory"],
      toolName: MEMORY_TOOL,
    },
  ]);
  if (added.length === 0) return { title, known: true };
  const { items } = await parts.store.observations({ project, from: at });
  const row = items.find((item) => item.uid === uid);
  return { title, known: false, ...(row && { ref: refOf("observation", row.id) }) };
}

interface TypedMemory extends z.output<typeof inputs.memory> {
  readonly type: MemoryType;
}

export interface MemoryContext extends MemoryOwner {
  readonly session?: string;
  /** Whether nothing is kept of work in a folder. */
  readonly isExcluded: IsExcluded;
}

/** Throws `memory-refused` with the reason and the fix when it is not saved. */
export async function saveTyped(
  context: MemoryContext,
  input: TypedMemory,
): Promise<{ text: string; data: z.output<typeof outputs.memory> }> {
  checkAllowed(context.folder, isPaused(context.home), context.isExcluded);
  const { place, mode } = memoryFolderFor(context);
  const { text, title, name: named = title, description: described } = input;
  const { type } = input;
  // Feedback without its reason is refused below, so that the model asks for it.
  const { body, name, description } = memoryFromWords(text, { type, name: named, description: described });
  const author = "assistant";
  const shownName = lineOf(name, "(a memory)");
  if (mode === "log") {
    const logged = appendLog(place, { text: `${name}: ${body}`, author, type });
    if (logged.outcome === "quarantined") throw waiting(logged);
    if (logged.outcome === "refused") throw memoryRefused(logged.message, logged.fix);
    return { text: `Logged in ${logged.file}`, data: { id: logged.file, title: shownName, known: false } };
  }
  const there = name.trim() === "" ? undefined : readMemoryFile(place, fileNameFor(name));
  if (there?.type === type && there.body === body.trim())
    return {
      text: `Known already as ${there.file}`,
      data: { id: there.file, title: shownName, known: true },
    };
  const request = defined({ name, description, type, body, author, session: context.session } as const);
  const saved = await saveMemory(place, request, {
    instructions: instructionsFor(context),
    root: projectOf(context.folder).root,
  });
  if (saved.outcome === "quarantined") throw waiting(saved);
  if (saved.outcome === "refused") throw memoryRefused(saved.message, saved.fix);
  const notes = present([
    ...saved.dates.map(({ from, to }) => `${from} is ${to}`),
    saved.hidden.length > 0 && `hidden: ${saved.hidden.join(", ")}`,
    ...saved.warnings,
  ]);
  return {
    text: [`Saved as ${saved.file}: ${shownName}`, ...notes].join("\n"),
    data: { id: saved.file, title: shownName, known: false, ...(notes.length > 0 && { notes }) },
  };
}
