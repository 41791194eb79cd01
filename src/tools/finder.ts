// Answers search, timeline, show and errors requests that came over the socket or HTTP, or from the same process. What was saved to be
// remembered is shown with its age, its trust and what no longer holds.
import type { z } from "zod";
import { type Errors, errorsSchema, findErrors } from "../errorBook/index.ts";
import { projectOf } from "../home/index.ts";
import { MEMORY_TOOL, projectLines } from "../inject/index.ts";
import { isObject, SECOND, systemClock } from "../lib/index.ts";
import { standingLine } from "../memdir/index.ts";
import {
  find,
  type Hit,
  type MemorySource,
  readSearchRequest,
  readShowRequest,
  readTimelineRequest,
  type SearchAnswer,
  type SearchRequest,
  type Shown,
  searchAnswerSchema,
  show,
  shownSchema,
  type Timeline,
  type TimelineParts,
  timeline,
  timelineSchema,
} from "../search/index.ts";
import type { Store } from "../store/index.ts";
import { findStale } from "./memorySource.ts";

export interface FinderAnswers {
  readonly search: SearchAnswer;
  readonly timeline: Timeline;
  /** Asked with `{ refs: ["#12", "S3", "release-freeze.md"], folder }`. */
  readonly show: Shown;
  readonly errors: Errors;
}

/** For callers that get an answer from another process. */
export const finderAnswers: { readonly [K in keyof FinderAnswers]: z.ZodType<FinderAnswers[K]> } = {
  search: searchAnswerSchema,
  timeline: timelineSchema,
  show: shownSchema,
  errors: errorsSchema,
};

/** Checks the request; throws `usage` for an invalid one. */
export type Finder = {
  readonly [what in keyof FinderAnswers]: (request: unknown) => Promise<FinderAnswers[what]>;
};

interface FinderParts extends Omit<TimelineParts, "memories"> {
  readonly store: TimelineParts["store"] & Pick<Store, "events" | "observations" | "projectDigests">;
  /** The memories that a search from a folder of work finds, or from no folder. */
  readonly memoriesFrom?: (folder?: string) => MemorySource;
}

/** The folder of work that a request comes from: there, its own memories go by their names alone. */
const requestFolder = (request: unknown) =>
  isObject(request) && typeof request.folder === "string" ? request.folder : "";

function withMemories({ memoriesFrom, ...parts }: FinderParts, request: unknown): TimelineParts {
  if (!memoriesFrom) return parts;
  const folder = requestFolder(request);
  return { ...parts, memories: folder === "" ? memoriesFrom() : memoriesFrom(folder) };
}

/** Files of the memory directory: what no longer holds is known once it was looked for. */
async function withStale(memories: MemorySource | undefined, hits: readonly Hit[]) {
  const names = hits.flatMap(({ kind, ref }) => (kind === "memory" ? [ref] : []));
  if (names.length === 0 || !memories?.check) return hits;
  await memories.check(names);
  const stale = new Map((await memories.memories()).map((one) => [one.name, one.stale]));
  return hits.map((hit) => {
    const found = hit.kind === "memory" ? stale.get(hit.ref) : undefined;
    return found ? { ...hit, stale: found } : hit;
  });
}

const MEMORY_CHECK_MS = 2 * SECOND;

/** What `save_memory` keeps without a type is an observation; a model wrote it, and it is checked where its whole text is shown. */
async function withSaved({ store }: Pick<FinderParts, "store">, hits: readonly Hit[], folder: string) {
  const ids = hits.flatMap(({ kind, ref }) => (kind === "observation" ? [Number(ref.slice(1))] : []));
  const rows = ids.length === 0 ? [] : await store.observationsById(ids);
  const saved = new Set(rows.filter((row) => row.toolName === MEMORY_TOOL).map(({ id }) => `#${id}`));
  if (saved.size === 0) return hits;
  const { id: project, root } = folder === "" ? { id: undefined, root: "" } : projectOf(folder);
  const claims = hits.flatMap(({ ref, title, text, project: from }) =>
    saved.has(ref) && text !== undefined && from === project
      ? [{ hash: ref, description: title, body: text }]
      : [],
  );
  const stale = (await findStale(claims, root, MEMORY_CHECK_MS)) ?? {};
  return hits.map((hit) => {
    if (!saved.has(hit.ref)) return hit;
    const written = { modifiedAt: Date.parse(hit.at), trust: "medium" } as const;
    const found = stale[hit.ref];
    const standing = standingLine(written, systemClock.now(), "en");
    return { ...hit, standing, ...(found && { stale: found }) };
  });
}

const OTHER_PROJECTS = 3;

/** Where a project has nothing, the others that were worked on last, each in a line. */
async function withOtherProjects(store: FinderParts["store"], asked: SearchRequest, answer: SearchAnswer) {
  const { projects, query, typed } = asked;
  if (answer.hits.length > 0 || projects === undefined || query.trim() === "" || typed === true)
    return answer;
  const lines = await projectLines(store, (id) => !projects.includes(id), OTHER_PROJECTS, "en");
  return { ...answer, notes: [...answer.notes, ...lines] };
}

export function makeFinder(parts: FinderParts): Finder {
  const standing = async (memories: MemorySource | undefined, hits: readonly Hit[], request: unknown) =>
    withSaved(parts, await withStale(memories, hits), requestFolder(request));
  return {
    search: async (request) => {
      const [all, asked] = [withMemories(parts, request), readSearchRequest(request)];
      const answer = await withOtherProjects(parts.store, asked, await find(all, asked));
      // While the query is still being typed, no check is waited for.
      const source = asked.typed === true ? undefined : all.memories;
      return { ...answer, hits: await standing(source, answer.hits, request) };
    },
    timeline: async (request) => {
      const answer = await timeline(withMemories(parts, request), readTimelineRequest(request));
      return { ...answer, items: await standing(undefined, answer.items, request) };
    },
    show: async (request) => {
      const all = withMemories(parts, request);
      const answer = await show(all, readShowRequest(request));
      return { ...answer, items: await standing(all.memories, answer.items, request) };
    },
    errors: (request) => findErrors(parts.store, request),
  };
}
