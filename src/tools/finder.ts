// What the worker answers to those who look for something: search, timeline and single items, requests checked.
import { isObject } from "../lib/index.ts";
import {
  type MemorySource,
  readSearchRequest,
  readShowRequest,
  readTimelineRequest,
  type SearchAnswer,
  type Shown,
  search,
  show,
  type Timeline,
  type TimelineParts,
  timeline,
} from "../search/index.ts";

export interface FinderAnswers {
  readonly search: SearchAnswer;
  readonly timeline: Timeline;
  /** Asked with `{ refs: ["#12", "S3", "release-freeze.md"], folder }`. */
  readonly show: Shown;
}

/** Takes what came over a wire. Throws `usage` for a request that is none. */
export type Finder = {
  readonly [what in keyof FinderAnswers]: (request: unknown) => Promise<FinderAnswers[what]>;
};

interface FinderParts extends Omit<TimelineParts, "memories"> {
  /** The memories that somebody finds who asks from a folder of work, or from nowhere. */
  readonly memoriesFrom?: (folder?: string) => MemorySource;
}

/** A request may name the folder of work that it comes from: there, its own memories go by their names alone. */
function withMemories({ memoriesFrom, ...parts }: FinderParts, request: unknown): TimelineParts {
  const folder = isObject(request) && typeof request.folder === "string" ? request.folder : "";
  if (memoriesFrom === undefined) return parts;
  return { ...parts, memories: folder === "" ? memoriesFrom() : memoriesFrom(folder) };
}

export function makeFinder(parts: FinderParts): Finder {
  return {
    search: async (request) => search(withMemories(parts, request), readSearchRequest(request)),
    timeline: async (request) => timeline(withMemories(parts, request), readTimelineRequest(request)),
    show: async (request) => show(withMemories(parts, request), readShowRequest(request)),
  };
}
