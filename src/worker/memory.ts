// What the worker answers to those who look for something: search, timeline and single items, requests checked.
import { isObject } from "../lib/index.ts";
import {
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
  /** Asked with `{ refs: ["#12", "S3"] }`. */
  readonly show: Shown;
}

/** Takes what came over a wire. Throws `usage` for a request that is none. */
export type Memory = {
  readonly [what in keyof MemoryAnswers]: (request: unknown) => Promise<MemoryAnswers[what]>;
};

export function makeMemory(parts: SearchParts & TimelineParts): Memory {
  return {
    search: async (request) => search(parts, readSearchRequest(request)),
    timeline: async (request) => timeline(parts, readTimelineRequest(request)),
    show: async (request) => {
      const refs = isObject(request) && Array.isArray(request.refs) ? request.refs.map(String) : [];
      return show(parts, refs);
    },
  };
}
