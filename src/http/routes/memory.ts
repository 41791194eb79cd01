// Memories over HTTP: the list of a project, one memory with its history, saving, undo, and review of the quarantine.
import type { Context } from "hono";
import { z } from "zod";
import { defined, isoTime, notFoundError, ThroughlineError } from "../../lib/index.ts";
import {
  type EditOutcome,
  indexBudget,
  type LintFinding,
  type MemoryOverview,
  memoryTypes,
  type Obstacle,
  type Quarantined,
  type RemovedMemory,
  readMemory,
  type ViewedMemory,
} from "../../memdir/index.ts";
import type { EventStore } from "../../store/index.ts";
import { workFolderOf } from "../overview/projects.ts";
import { type Handlers, namedIn, problem, readBody } from "../request.ts";
import type {
  MemoryDetail,
  MemoryFinding,
  MemoryItem,
  MemoryList,
  MemoryRetired,
  MemorySaved,
  MemoryUndone,
  QuarantinedMemory,
  Reviewed,
} from "../wire.ts";
import type { MemoryHandlers } from "./memoryHandlers.ts";

interface MemoryRouteParts {
  readonly store: Pick<EventStore, "workFolders">;
  readonly memories: MemoryHandlers;
}

/** Throws where no folder is known in which the project is worked on, or the folder has become another project's. */
async function projectFolder({ store }: MemoryRouteParts, project: string) {
  const folder = await workFolderOf(store, project);
  if (folder !== undefined) return folder;
  throw notFoundError(
    `no folder is known in which ${project} is worked on`,
    "start a session in its folder, then look again",
  );
}

function itemFrom(memory: Omit<ViewedMemory, "age" | "isListed" | "findings">): MemoryItem {
  const { file, name, description, type = "", standing = "unverifiable", evidence, isActive } = memory;
  const { author, created: createdAt, lastVerified: verifiedAt, modifiedAt } = memory;
  return {
    ...{ file, name, description, type, standing, evidence, isActive },
    ...defined({ author, createdAt, verifiedAt }),
    changedAt: isoTime(modifiedAt),
  };
}

const findingFrom = ({ problem: message, ...finding }: LintFinding): MemoryFinding => ({
  ...finding,
  message,
});

const reasonsFrom = (suspicions: Quarantined["suspicions"]) =>
  suspicions.map(({ kind, evidence }) => `${kind}: ${evidence}`);

/** The whole text: it has to be read before it is let through. */
function waitingFrom({ id, at, request, suspicions }: Quarantined): QuarantinedMemory {
  const { name, description, body, surprising = "" } = request;
  const text = [description, body, surprising].filter((part) => part !== "").join("\n\n");
  return { id, at, name, text, reasons: reasonsFrom(suspicions) };
}

function memoryListFrom(
  overview: MemoryOverview,
  waiting: readonly Quarantined[],
  retired: readonly RemovedMemory[],
): MemoryList {
  const { folder, memories, findings, index } = overview;
  return {
    folder,
    items: memories.map(itemFrom),
    findings: [...memories.flatMap((memory) => memory.findings), ...findings].map(findingFrom),
    quarantine: waiting.map(waitingFrom),
    retired,
    index: { ...index, maxLines: indexBudget.lines, maxCharacters: indexBudget.characters },
  };
}

async function detailOf(memories: MemoryHandlers, folder: string, file: string): Promise<MemoryDetail> {
  const seen = await memories.show(folder, file);
  if (!seen) throw notFoundError(`There is no memory ${file}.`);
  const { memory, verdict, history, isActive } = seen;
  const evidence = verdict?.checked.map(({ evidence: found }) => found) ?? [];
  const standing = verdict?.standing ?? "unverifiable";
  return {
    item: itemFrom({ ...memory, isActive, evidence, standing }),
    text: memory.text,
    hash: memory.hash,
    history: history.map(({ id, at, action: what, isKept, isUndone }) => {
      return { id, at, what, canUndo: isKept && !isUndone };
    }),
  };
}

type DoneOutcome<O> = Exclude<O, Obstacle>;

const obstacleErrorCodes = {
  conflict: "memory-changed",
  "not-found": "not-found",
  refused: "memory-refused",
} as const;

const isObstacle = (outcome: { readonly outcome: string }): outcome is Obstacle =>
  outcome.outcome in obstacleErrorCodes;

/** Throws for an action that was not carried out. */
function done<O extends { readonly outcome: string }>(outcome: O) {
  if (!isObstacle(outcome)) return outcome as DoneOutcome<O>;
  const { message, fix } = outcome;
  throw new ThroughlineError(obstacleErrorCodes[outcome.outcome], message, fix);
}

const text = z.string();
const bodies = {
  save: z.object({ project: text, file: text, text, hash: text }),
  add: z.object({
    project: text,
    name: text,
    description: text,
    type: z.enum(memoryTypes),
    body: text,
    surprising: text.optional(),
  }),
  retire: z.object({ project: text, file: text, hash: text }),
  undo: z.object({ project: text, id: text }),
  review: z.object({ project: text, id: text, verdict: z.enum(["approve", "reject"]) }),
};

/** Takes the whole file as a person wrote it; its author and dates stay as they are. */
async function saveText(c: Context, parts: MemoryRouteParts) {
  const { project, file, text: given, hash } = await readBody(c, bodies.save);
  const { name, description, type, body, expires = null, problems } = readMemory(given);
  if (problems.length > 0) {
    const fix =
      "put the lines between the dashes right; they are name, description, type and no more than that";
    return problem(c, 400, "memory-refused", `The text is no memory: ${problems.join("; ")}.`, fix);
  }
  const edit = { file, hash, name, description, type, body, expires };
  return savedAnswer(c, await parts.memories.edit(await projectFolder(parts, project), edit));
}

function savedAnswer(c: Context, given: EditOutcome) {
  const outcome = done(given);
  if (outcome.outcome === "quarantined") {
    const { id, suspicions } = outcome;
    return c.json(
      { outcome: "quarantined", id, reasons: reasonsFrom(suspicions) } satisfies MemorySaved,
      202,
    );
  }
  const { hidden, warnings } = outcome;
  return c.json({ outcome: "saved", file: outcome.file, hidden, warnings } satisfies MemorySaved);
}

export function memoryRoutes(parts: MemoryRouteParts) {
  const { memories } = parts;
  return {
    "GET /api/memories": async (c) => {
      const folder = await projectFolder(parts, namedIn(c, "project"));
      return memoryListFrom(
        await memories.list(folder),
        memories.quarantine(folder),
        memories.removed(folder),
      );
    },
    "GET /api/memory": async (c) => {
      const [project, file] = [namedIn(c, "project"), namedIn(c, "file")];
      return detailOf(memories, await projectFolder(parts, project), file);
    },
    "POST /api/memory": (c) => saveText(c, parts),
    "POST /api/memory/add": async (c) => {
      const { project, surprising, ...memory } = await readBody(c, bodies.add);
      const folder = await projectFolder(parts, project);
      return savedAnswer(c, await memories.add(folder, { ...memory, ...defined({ surprising }) }));
    },
    "POST /api/memory/retire": async (c): Promise<MemoryRetired> => {
      const { project, file, hash } = await readBody(c, bodies.retire);
      const { change } = done(await memories.remove(await projectFolder(parts, project), { file, hash }));
      return { file, id: change.id };
    },
    "POST /api/memory/undo": async (c): Promise<MemoryUndone> => {
      const { project, id } = await readBody(c, bodies.undo);
      const { change } = done(await memories.undo(await projectFolder(parts, project), id));
      return { files: change.steps.map(({ file }) => file) };
    },
    "POST /api/quarantine": async (c): Promise<Reviewed> => {
      const { project, id, verdict } = await readBody(c, bodies.review);
      const outcome = done(await memories[verdict](await projectFolder(parts, project), id));
      return "file" in outcome ? { file: outcome.file } : {};
    },
  } satisfies Partial<Handlers>;
}
