// What machines and the server send each other, version 1: the one source of checks and types.
import { z } from "zod";
import { observationTypes } from "../lib/index.ts";

const text = z.string();
/** Times are those of the agent's machine; nothing is ordered by them. */
const time = z.iso.datetime({ offset: true });
const texts = z.array(text).exactOptional();
const name = text.min(1).max(400);

const event = z.object({
  v: z.literal(1),
  id: name,
  kind: name,
  at: time,
  session: name,
  agent: text.exactOptional(),
  cwd: text.exactOptional(),
  transcript: text.exactOptional(),
  lane: text,
  writer: text,
  payload: z.record(text, z.unknown()),
  project: name,
  promptNumber: z.int().min(0).exactOptional(),
});

const made = { uid: name, session: name, project: name, promptNumber: z.int().min(0), at: time };

const observation = z.object({
  ...made,
  type: z.enum(observationTypes),
  title: text,
  subtitle: text.exactOptional(),
  narrative: text.exactOptional(),
  text: text.exactOptional(),
  facts: texts,
  concepts: texts,
  filesRead: texts,
  filesModified: texts,
  toolName: text.exactOptional(),
  correlationId: text.exactOptional(),
  evidence: texts,
});

const summary = z.object({
  ...made,
  request: text.exactOptional(),
  investigated: text.exactOptional(),
  learned: text.exactOptional(),
  completed: text.exactOptional(),
  nextSteps: text.exactOptional(),
  notes: text.exactOptional(),
});

const mark = z.object({
  sessionHash: text.exactOptional(),
  projectHash: text.exactOptional(),
  from: z.int().exactOptional(),
  to: z.int(),
});

const kindOfRow = z.enum(["observation", "summary"]);
const origin = z.object({ machine: text, person: text.exactOptional() }).exactOptional();

const change = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("event"), row: event, origin }),
  z.object({ kind: z.literal("observation"), row: observation, origin }),
  z.object({ kind: z.literal("summary"), row: summary, origin }),
  z.object({ kind: z.literal("withdrawn"), of: kindOfRow, uid: name, origin }),
  z.object({ kind: z.literal("forgotten"), mark, origin }),
]);

const MOST_CHANGES = 500;

const machine = text.regex(/^[A-Za-z0-9_-]{8,64}$/, "is the id of a machine");

export const pushRequest = z.object({ machine, changes: z.array(change).max(MOST_CHANGES) });
export const pushAnswer = z.object({ added: z.int(), changed: z.int(), removed: z.int() });

export const pullRequest = z.object({
  machine,
  cursor: z.coerce.number().int().min(0),
  limit: z.coerce.number().int().min(1).max(MOST_CHANGES),
});
/** `head` is the newest cursor there ever was: one that lies beyond it comes from a server that was set back. */
export const pullAnswer = z.object({
  changes: z.array(change),
  cursor: z.int(),
  more: z.boolean(),
  head: z.int(),
});

/** Files of one request or answer. */
export const MOST_FILES = 100;
const MOST_MEMORY_CHARACTERS = 1_000_000;

const file = text.min(1).max(400);
const revision = z.int().min(0);
const body = text.max(MOST_MEMORY_CHARACTERS).nullable();
/** Files of another revision; or what was taken, as it was stored: what is missing has to be merged with a newer text first. */
export const memoriesAnswer = z.object({ memories: z.array(z.object({ file, revision, body })) });

/** The revisions that a machine knows. */
export const memoriesRequest = z.object({ project: name, known: z.record(file, revision) });
export const keepMemoriesRequest = z.object({
  project: name,
  changes: z.array(z.object({ file, from: revision, body })).max(MOST_FILES),
});

const visibility = z.enum(["private", "project", "team"]);

export const shareRequest = z.object({
  kind: kindOfRow,
  uids: z.array(name).min(1).max(MOST_CHANGES),
  visibility,
});
export const shareAnswer = z.object({ changed: z.int() });

export const readersRequest = z.object({ visibility, project: text.optional() });
export const readersAnswer = z.object({ readers: z.array(text) });

export const whoAnswer = z.object({
  team: text,
  person: text,
  scopes: z.array(text),
  projects: z.array(text),
  expiresAt: z.int(),
  version: text,
});

export const errorAnswer = z.object({
  error: z.object({ code: text, message: text, fix: text.optional() }),
});

export type WhoAnswer = z.output<typeof whoAnswer>;
export type SharedVisibility = z.output<typeof visibility>;
