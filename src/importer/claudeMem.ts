// Converts rows of claude-mem into ours: sessions, prompts, observations and summaries have other names there.

import type { SeenEvent } from "../intake/index.ts";
import { defined, type ObservationType, observationTypes, parseJson, sha256 } from "../lib/index.ts";
import type { ForeignRow, NewObservation, NewSummary } from "../store/index.ts";
import { CLAUDE_MEM } from "./duplicatePrompts.ts";

/** Where a row belongs. */
interface Belonging {
  readonly session: string;
  readonly project: string;
}

const UID_DIGITS = 24;
const TITLE_LENGTH = 100;

const trimmedText = (value: unknown) => (typeof value === "string" ? value.trim() : "");
const optionalTrimmed = (value: unknown) => trimmedText(value) || undefined;

/** The first of the columns that the row has: they were renamed over the years. */
function column(row: ForeignRow, ...names: readonly string[]) {
  return names.map((name) => row[name]).find((value) => value !== undefined && value !== null);
}

/** When it happened, in milliseconds; undefined for a row that does not say. */
function foreignTime(row: ForeignRow) {
  const epoch = Number(column(row, "created_at_epoch", "started_at_epoch") ?? Number.NaN);
  // Seconds, in the oldest ones.
  if (epoch > 0) return epoch < 1e11 ? epoch * 1_000 : epoch;
  const time = Date.parse(trimmedText(column(row, "created_at", "started_at")));
  return Number.isNaN(time) ? undefined : time;
}

/** A list that was kept as JSON or as lines; undefined for an empty one. */
function listedTexts(value: unknown, ...more: readonly string[]) {
  const text = trimmedText(value);
  const parsed = parseJson(text);
  const items: readonly unknown[] = Array.isArray(parsed) ? parsed : text.split("\n");
  const list = [...items.map(trimmedText), ...more].filter(Boolean);
  return list.length === 0 ? undefined : list;
}

const isObservationType = (type: string): type is ObservationType =>
  (observationTypes as readonly string[]).includes(type);

/** The same row gives the same name, in whatever copy of the database it stands. */
const uidOf = (prefix: string, parts: readonly unknown[]) =>
  `${prefix}_${sha256(JSON.stringify([CLAUDE_MEM, ...parts])).slice(0, UID_DIGITS)}`;

function observationTitle(row: ForeignRow) {
  const title =
    trimmedText(row.title) || trimmedText(row.text).split("\n", 1)[0] || trimmedText(row.narrative);
  return title.length <= TITLE_LENGTH || trimmedText(row.title) !== ""
    ? title
    : `${title.slice(0, TITLE_LENGTH)}…`;
}

const rowPlace = (row: ForeignRow, { session, project }: Belonging, at: number) => ({
  session,
  project,
  promptNumber: Number(row.prompt_number ?? 0) || 0,
  at: new Date(at).toISOString(),
});

/** Undefined for a row that says nothing. */
export function foreignObservation(row: ForeignRow, belonging: Belonging): NewObservation | undefined {
  const at = foreignTime(row);
  const title = observationTitle(row);
  if (at === undefined || title === "") return undefined;
  const type = trimmedText(row.type);
  const text = trimmedText(row.text);
  return {
    ...rowPlace(row, belonging, at),
    uid: uidOf("ob", [belonging.session, at, type, row.title, row.narrative, row.text]),
    // Modes bring types of their own; what they said is kept as a concept.
    type: isObservationType(type) ? type : "discovery",
    title,
    ...defined({
      subtitle: optionalTrimmed(row.subtitle),
      narrative: optionalTrimmed(row.narrative),
      text: text === title ? undefined : optionalTrimmed(text),
      facts: listedTexts(row.facts),
      concepts: listedTexts(row.concepts, isObservationType(type) ? "" : type),
      filesRead: listedTexts(row.files_read),
      filesModified: listedTexts(row.files_modified),
    }),
    correlationId: `${CLAUDE_MEM}:${String(row.id)}`,
  };
}

export function foreignSummary(row: ForeignRow, belonging: Belonging): NewSummary | undefined {
  const at = foreignTime(row);
  if (at === undefined) return undefined;
  const files = listedTexts(row.files_edited);
  const notes = [trimmedText(row.notes), files && `Edited: ${files.join(", ")}`];
  const said = defined({
    request: optionalTrimmed(row.request),
    investigated: optionalTrimmed(row.investigated),
    learned: optionalTrimmed(row.learned),
    completed: optionalTrimmed(row.completed),
    nextSteps: optionalTrimmed(row.next_steps),
    notes: optionalTrimmed(notes.filter(Boolean).join("\n")),
  });
  if (Object.keys(said).length === 0) return undefined;
  const uid = uidOf("su", [belonging.session, at, row.request, row.learned, row.completed]);
  return { ...rowPlace(row, belonging, at), uid, ...said };
}

/** A prompt as a hook would have handed it over. */
export function foreignPrompt(row: ForeignRow, session: string): SeenEvent | undefined {
  const at = foreignTime(row);
  const prompt = trimmedText(row.prompt_text);
  if (at === undefined || prompt === "") return undefined;
  const payload = {
    hook_event_name: "UserPromptSubmit",
    session_id: session,
    prompt,
    // Unlike any that an agent gives.
    prompt_id: `${CLAUDE_MEM}/${Number(row.prompt_number ?? 0)}/${sha256(prompt).slice(0, 8)}`,
    origin: CLAUDE_MEM,
  };
  return { payload, at };
}

/** Columns were renamed once; both names mean the same. */
export const sessionColumns = ["content_session_id", "claude_session_id"];
export const memoryColumns = ["memory_session_id", "sdk_session_id"];

/** A session, and what claude-mem calls it. */
export interface ForeignSession {
  /** The agent's. */
  readonly session: string;
  /** Under which its observations and summaries stand. */
  readonly memory: string | undefined;
  /** The name of a folder. */
  readonly project: string;
}

export function foreignSession(row: ForeignRow): ForeignSession | undefined {
  const session = trimmedText(column(row, ...sessionColumns));
  if (session === "") return undefined;
  const memory = optionalTrimmed(column(row, ...memoryColumns));
  return { session, memory, project: trimmedText(row.project) || "unknown" };
}
