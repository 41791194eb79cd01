// What the tools take and give, described once for clients and for the compiler.

import { z } from "zod";
import { observationTypes } from "../lib/index.ts";
import { memoryTypes } from "../memdir/index.ts";

const ids = z.array(z.string()).min(1).max(50);

export const inputs = {
  nothing: z.object({}),
  search: z.object({
    query: z.string(),
    types: z.array(z.enum(observationTypes)).optional(),
    file: z.string().optional(),
    from: z.string().optional().describe("day or time"),
    to: z.string().optional(),
    errors: z.boolean().optional().describe("only failed commands: class, cause, fix, times seen"),
    everywhere: z.boolean().optional().describe("all projects, not only this one"),
    limit: z.int().min(1).max(100).optional(),
    offset: z.int().min(0).optional(),
  }),
  timeline: z.object({
    around: z.string().describe("ID, time or words"),
    before: z.int().min(0).max(50).optional(),
    after: z.int().min(0).max(50).optional(),
  }),
  observations: z.object({ ids: ids.describe('such as ["#12","S3"]') }),
  memory: z.object({
    text: z.string().min(1),
    title: z.string().optional(),
    type: z.enum(memoryTypes).optional().describe("with name and description"),
    name: z.string().optional(),
    description: z.string().optional().describe("one specific line"),
  }),
  recall: z.object({
    handle: z.string(),
    lines: z.string().optional().describe("A-B"),
    pattern: z.string().optional().describe("regular expression"),
  }),
  snip: z.object({ ids: z.array(z.string()).optional(), reason: z.string().optional() }),
  unsnip: z.object({ ids }),
} as const;

const item = z.object({
  id: z.string(),
  kind: z.string(),
  at: z.string(),
  title: z.string(),
  tokens: z.number(),
  type: z.string().optional(),
  /** Of a memory: its age, its last check, its trust; and what no longer holds. */
  standing: z.string().optional(),
  stale: z.array(z.string()).optional(),
  files: z.array(z.string()).optional(),
  excerpt: z.string().optional(),
  text: z.string().optional(),
});

export const outputs = {
  workflow: z.object({ workflow: z.string() }),
  search: z.object({
    note: z.string(),
    items: z.array(item),
    /** Absent on the last page. */
    nextOffset: z.number().optional(),
    notes: z.array(z.string()),
  }),
  timeline: z.object({ note: z.string(), items: z.array(item), middle: z.string().optional() }),
  observations: z.object({
    note: z.string(),
    items: z.array(item),
    /** What to check before a memory is relied on; with memories. */
    advice: z.string().optional(),
    missing: z.array(z.string()),
    /** What did not fit into this answer. */
    remaining: z.array(z.string()),
  }),
  memory: z.object({
    id: z.string().optional(),
    title: z.string(),
    known: z.boolean(),
    notes: z.array(z.string()).optional(),
  }),
  recall: z.object({
    handle: z.string(),
    text: z.string(),
    totalLines: z.number(),
    totalBytes: z.number(),
    from: z.number().optional(),
    to: z.number().optional(),
    truncated: z.boolean(),
  }),
  snip: z.object({
    text: z.string(),
    turns: z.array(z.object({ id: z.string(), text: z.string() })).optional(),
  }),
} as const;
