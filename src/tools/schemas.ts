// What the tools take and give, described once for clients and for the compiler.

import { z } from "zod";
import { observationTypes } from "../lib/index.ts";
import { memoryTypes } from "../memdir/index.ts";

const text = z.string();
const optional = text.optional();
const texts = z.array(text);
const number = z.number();
const ids = texts.min(1).max(50);
/** `12` is `#12`. */
const ref = z.union([text, number]);

export const inputs = {
  nothing: z.object({}),
  search: z.object({
    query: text,
    types: z.array(z.enum(observationTypes)).optional(),
    file: optional,
    from: optional.describe("day, time, or yesterday, 2d"),
    to: optional,
    errors: z.boolean().optional().describe("only failed commands: class, cause, fix, times seen"),
    everywhere: z.boolean().optional().describe("all projects, not only this one"),
    limit: z.int().min(1).max(100).optional(),
    offset: z.int().min(0).optional(),
  }),
  timeline: z.object({
    around: ref.optional().describe("ID, time or words"),
    before: z.int().min(0).max(50).optional(),
    after: z.int().min(0).max(50).optional(),
  }),
  observations: z.object({ ids: z.array(ref).min(1).max(50).describe('such as ["#12","S3"]') }),
  memory: z.object({
    text: text.min(1),
    title: optional,
    type: z.enum(memoryTypes).optional().describe("with name and description"),
    name: optional,
    description: optional.describe("one specific line"),
  }),
  recall: z.object({
    handle: text,
    lines: optional.describe("A-B"),
    pattern: optional.describe("regular expression"),
  }),
  snip: z.object({ ids: texts.optional(), reason: optional }),
  unsnip: z.object({ ids }),
} as const;

/** Of an index: an item as its values, in the order of `columns`. */
const row = z.array(z.union([text, number]));

const item = z.object({
  id: text,
  kind: text,
  at: text,
  title: text,
  tokens: number,
  type: optional,
  /** Of a memory: its age, its last check, its trust; and what no longer holds. */
  standing: optional,
  stale: texts.optional(),
  files: texts.optional(),
  excerpt: optional,
  text: optional,
  /** What stands before and after it in its session; of what is shown whole. */
  neighbours: texts.optional(),
});

export const outputs = {
  workflow: z.object({ workflow: text }),
  search: z.object({
    note: text,
    /** Names the values of rows. */
    columns: texts.optional(),
    /** Rows of the index; entries of the error book, which have fields. */
    items: z.array(z.union([row, item])),
    /** Absent on the last page. */
    nextOffset: number.optional(),
    notes: texts,
  }),
  timeline: z.object({ note: text, columns: texts, items: z.array(row), middle: optional }),
  observations: z.object({
    note: text,
    items: z.array(item),
    /** What to check before a memory is relied on; with memories. */
    advice: optional,
    missing: texts,
    /** What did not fit into this answer. */
    remaining: texts,
  }),
  memory: z.object({
    id: optional,
    title: text,
    known: z.boolean(),
    notes: texts.optional(),
  }),
  recall: z.object({
    handle: text,
    text: text,
    totalLines: number,
    totalBytes: number,
    from: number.optional(),
    to: number.optional(),
    truncated: z.boolean(),
  }),
  snip: z.object({
    text: text,
    turns: z.array(z.object({ id: text, text: text })).optional(),
  }),
} as const;
