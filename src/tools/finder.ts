// Answers search, timeline and show requests that came over the socket or HTTP, or from the same process.
import type { z } from "zod";
import { isObject } from "../lib/index.ts";
import {
  type MemorySource,
  readSearchRequest,
  readShowRequest,
  readTimelineRequest,
  type SearchAnswer,
  type Shown,
  search,
  searchAnswerSchema,
  show,
  shownSchema,
  type Timeline,
  type TimelineParts,
  timeline,
  timelineSchema,
} from "../search/index.ts";

export interface FinderAnswers {
  readonly search: SearchAnswer;
  readonly timeline: Timeline;
  /** Asked with `{ refs: ["#12", "S3", "release-freeze.md"], folder }`. */
  readonly show: Shown;
}

/** For callers that get an answer from another process. */
export const finderAnswers: { readonly [K in keyof FinderAnswers]: z.ZodType<FinderAnswers[K]> } = {
  search: searchAnswerSchema,
  timeline: timelineSchema,
  show: shownSchema,
};

/** Checks the request; throws `usage` for an invalid one. */
export type Finder = {
  readonly [what in keyof FinderAnswers]: (request: unknown) => Promise<FinderAnswers[what]>;
};

interface FinderParts extends Omit<TimelineParts, "memories"> {
  /** The memories that a search from a folder of work finds, or from no folder. */
  readonly memoriesFrom?: (folder?: string) => MemorySource;
}

/** A request may name the folder of work that it comes from: there, its own memories go by their names alone. */
function withMemories({ memoriesFrom, ...parts }: FinderParts, request: unknown): TimelineParts {
  if (memoriesFrom === undefined) return parts;
  const folder = isObject(request) && typeof request.folder === "string" ? request.folder : "";
  return { ...parts, memories: folder === "" ? memoriesFrom() : memoriesFrom(folder) };
}

export function makeFinder(parts: FinderParts): Finder {
  return {
    search: async (request) => search(withMemories(parts, request), readSearchRequest(request)),
    timeline: async (request) => timeline(withMemories(parts, request), readTimelineRequest(request)),
    show: async (request) => show(withMemories(parts, request), readShowRequest(request)),
  };
}
