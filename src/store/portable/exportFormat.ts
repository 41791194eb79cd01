// The lines of an export: one JSON object each, a header first and the counts last.

import { z } from "zod";
import { observationTypes } from "../../lib/index.ts";

export const EXPORT_VERSION = 1;

export const headerLine = z.object({
  throughline: z.literal("export"),
  version: z.int(),
});

const text = z.string();
const time = z.iso.datetime({ offset: true });
const texts = z.array(text).exactOptional();
const optional = text.exactOptional();
const count = z.int().min(0);

const row = { session: text.min(1), project: text, at: time };
const made = { ...row, uid: text.min(1), promptNumber: count };

/** Every kind of line; fields that are not known here are dropped. */
export const dataLine = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("session"),
    ...row,
    sdkSessionId: optional,
    promptCounter: count,
    status: z.enum(["active", "completed"]),
    lastActivityAt: time,
    completedAt: time.exactOptional(),
  }),
  z.object({
    type: z.literal("event"),
    ...row,
    id: text.min(1),
    kind: text.min(1),
    promptNumber: count,
    agent: optional,
    cwd: optional,
    transcript: optional,
    lane: text,
    writer: text,
    payload: z.record(text, z.unknown()),
  }),
  z.object({ type: z.literal("prompt"), ...made, promptText: text }),
  z.object({
    type: z.literal("observation"),
    ...made,
    observationType: z.enum(observationTypes),
    title: text,
    subtitle: optional,
    narrative: optional,
    text: optional,
    facts: texts,
    concepts: texts,
    filesRead: texts,
    filesModified: texts,
    toolName: optional,
    correlationId: optional,
    evidence: texts,
  }),
  z.object({
    type: z.literal("summary"),
    ...made,
    request: optional,
    investigated: optional,
    learned: optional,
    completed: optional,
    nextSteps: optional,
    notes: optional,
  }),
  z.object({ type: z.literal("message"), ...row, uuid: text.min(1), role: text, text, agent: optional }),
  z.object({
    type: z.literal("job"),
    kind: text.min(1),
    key: text.min(1),
    session: optional,
    project: optional,
    payload: z.record(text, z.unknown()),
  }),
  z.object({ type: z.literal("end"), lines: count }),
]);

export type DataLine = z.output<typeof dataLine>;
export type LineOf<T extends DataLine["type"]> = Extract<DataLine, { type: T }>;
