// Keeps what somebody asked to be remembered: free text, redacted, found again like everything else.

import { projectOf } from "../home/index.ts";
import { lineOf, MEMORY_TOOL } from "../inject/index.ts";
import type { RedactPayload } from "../intake/index.ts";
import { type Clock, isObject, sha256, ThroughlineError } from "../lib/index.ts";
import { type MemoryPlace, type Quarantined, screenFreeText } from "../memdir/index.ts";
import { refOf } from "../search/index.ts";
import type { KnowledgeStore } from "../store/index.ts";

export interface RememberParts {
  readonly store: Pick<KnowledgeStore, "addObservations" | "observations">;
  readonly redact: RedactPayload;
  readonly isExcluded: (folder: string) => boolean;
  readonly isPaused: () => boolean;
  /** The memories of the project that a folder belongs to. */
  readonly placeOf: (folder: string) => MemoryPlace;
  readonly clock: Clock;
}

export interface Remembered {
  /** `#12`; absent for one that was known already. */
  readonly ref?: string;
  readonly title: string;
  /** The very same was kept before. */
  readonly known: boolean;
}

const LONGEST = 20_000;
const TITLE_LENGTH = 100;
/** Memories that belong to no session of an agent. */
const NO_SESSION = "memories";

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

function titleFrom(text: string): string {
  const line = text.split("\n", 1)[0]?.replace(/^#+\s*/, "") ?? "";
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH).replace(/[\ud800-\udbff]$/, "");
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), TITLE_LENGTH * 0.6))}…`;
}

function refuse(message: string, fix: string): ThroughlineError {
  return new ThroughlineError("memory-refused", message, { fix });
}

/** How it is let through stands nowhere here: that is for a person to do. */
export function waiting({ id, suspicions }: Pick<Quarantined, "id" | "suspicions">): ThroughlineError {
  const reasons = suspicions.map(({ kind, evidence }) => `${kind}: ${lineOf(evidence, "withheld")}`);
  return refuse(
    `not saved: it waits in quarantine as ${id} until a person has read it (${reasons.join("; ")})`,
    "tell the user; `throughline memory list --quarantine` shows it",
  );
}

/** Takes `{ text, title?, folder, session? }` from a wire. Throws `usage` or `memory-refused`, and has kept nothing then. */
export async function remember(parts: RememberParts, request: unknown): Promise<Remembered> {
  const given = isObject(request) ? request : {};
  const [wanted, folder] = [textOf(given.text), textOf(given.folder)];
  if (wanted === "" || folder === "") throw new ThroughlineError("usage", "a memory has a text and a folder");
  if (wanted.length > LONGEST) throw refuse(`a memory has at most ${LONGEST} characters`, "keep its gist");
  if (parts.isPaused()) throw refuse("nothing is kept while capturing is paused", "throughline resume");
  if (parts.isExcluded(folder)) throw refuse(`nothing is kept in ${folder}`, "see capture.exclude");
  const { id: project } = projectOf(folder);
  const redacted = await parts.redact({ text: wanted, title: textOf(given.title) || titleFrom(wanted) });
  const [text, title] = [String(redacted.text), String(redacted.title)];
  const session = textOf(given.session);
  const free = { text, title, ...(session === "" ? {} : { session }) };
  const aside = screenFreeText(parts.placeOf(folder), free, parts.clock);
  if (aside !== undefined) throw waiting(aside);
  const uid = `me_${sha256(`${project}\n${text}`).slice(0, 24)}`;
  const at = new Date(parts.clock.now()).toISOString();
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
  return { title, known: false, ...(row === undefined ? {} : { ref: refOf("observation", row.id) }) };
}
