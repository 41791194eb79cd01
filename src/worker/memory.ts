// What the worker answers to those who look for something: search, timeline and single items, requests checked.
import { isObject } from "../lib/index.ts";
import {
  type MemorySource,
  readSearchRequest,
  readTimelineRequest,
  type SearchAnswer,
  type SearchParts,
  type Shown,
  search,
  show,
  type Timeline,
  type TimelineParts,
  timeline,
} from "../search/index.ts";

export interface MemoryAnswers {
  readonly search: SearchAnswer;
  readonly timeline: Timeline;
  /** Asked with `{ refs: ["#12", "S3", "release-freeze.md"], folder }`. */
  readonly show: Shown;
}

/** Takes what came over a wire. Throws `usage` for a request that is none. */
export type Memory = {
  readonly [what in keyof MemoryAnswers]: (request: unknown) => Promise<MemoryAnswers[what]>;
};

export type MemoryParts = SearchParts &
  TimelineParts & {
    /** The memories of the project that a folder belongs to. */
    readonly memoriesIn?: (folder: string) => MemorySource;
  };

/** A request may name the folder of work that it comes from: then that project's memories are looked through too. */
function withMemories(parts: MemoryParts, request: unknown): SearchParts {
  const folder = isObject(request) ? request.folder : undefined;
  if (parts.memoriesIn === undefined || typeof folder !== "string" || folder === "") return parts;
  return { ...parts, memories: parts.memoriesIn(folder) };
}

export function makeMemory(parts: MemoryParts): Memory {
  return {
    search: async (request) => search(withMemories(parts, request), readSearchRequest(request)),
    timeline: async (request) => timeline(parts, readTimelineRequest(request)),
    show: async (request) => {
      const refs = isObject(request) && Array.isArray(request.refs) ? request.refs.map(String) : [];
      return show(withMemories(parts, request), refs);
    },
  };
}
