// Memories over HTTP: a project's shelf, one memory with its history, other words for it, undo, and what waits for a person.
import type { Context } from "hono";
import { isoTime, ThroughlineError } from "../../lib/index.ts";
import {
  type ApproveOutcome,
  type EditOutcome,
  indexBudget,
  type LintFinding,
  type MemoryOverview,
  type Quarantined,
  type RejectOutcome,
  readMemory,
  type UndoOutcome,
  type ViewedMemory,
} from "../../memdir/index.ts";
import type { Store } from "../../store/index.ts";
import type { MemoryHandlers } from "./memoryHandlers.ts";
import { workFolderOf } from "../overview/projects.ts";
import { type Handlers, namedIn, problem, textsOf, usage } from "../request.ts";
import type {
  MemoryDetail,
  MemoryFinding,
  MemoryItem,
  MemorySaved,
  MemoryShelf,
  MemoryUndone,
  QuarantinedMemory,
  Reviewed,
} from "../wire.ts";

interface MemoryRouteParts {
  readonly store: Pick<Store, "workFolders">;
  readonly memories: MemoryHandlers;
}

/** Throws where it is not known, or not true any more, where a project is worked on. */
async function folderOf({ store }: MemoryRouteParts, project: string): Promise<string> {
  const folder = await workFolderOf(store, project);
  if (folder !== undefined) return folder;
  throw new ThroughlineError("not-found", `no folder is known in which ${project} is worked on`, {
    fix: "start a session in its folder, then look again",
  });
}

function itemFrom(memory: Omit<ViewedMemory, "age" | "isListed" | "findings">): MemoryItem {
  const { file, name, description, type = "", standing = "unverifiable", evidence } = memory;
  const { author, created, lastVerified, modifiedAt } = memory;
  return {
    ...{ file, name, description, type, standing, evidence, isActive: memory.isActive },
    ...(author === undefined ? {} : { author }),
    ...(created === undefined ? {} : { createdAt: created }),
    ...(lastVerified === undefined ? {} : { verifiedAt: lastVerified }),
    changedAt: isoTime(modifiedAt),
  };
}

const findingFrom = ({ kind, file, severity, problem: message, fix }: LintFinding): MemoryFinding => ({
  kind,
  file,
  severity,
  message,
  fix,
});

const reasonsFrom = (suspicions: Quarantined["suspicions"]): string[] =>
  suspicions.map(({ kind, evidence }) => `${kind}: ${evidence}`);

/** Whole: whoever lets it through has to have read it. */
function waitingFrom({ id, at, request, suspicions }: Quarantined): QuarantinedMemory {
  const { name, description, body, surprising = "" } = request;
  const text = [description, body, surprising].filter((part) => part !== "").join("\n\n");
  return { id, at, name, text, reasons: reasonsFrom(suspicions) };
}

function memoryListFrom(overview: MemoryOverview, waiting: readonly Quarantined[]): MemoryShelf {
  const { folder, memories, findings, index } = overview;
  return {
    folder,
    items: memories.map(itemFrom),
    findings: [...memories.flatMap((memory) => memory.findings), ...findings].map(findingFrom),
    quarantine: waiting.map(waitingFrom),
    index: {
      lines: index.lines,
      characters: index.characters,
      maxLines: indexBudget.lines,
      maxCharacters: indexBudget.characters,
    },
  };
}

async function detailOf(
  desk: MemoryHandlers,
  folder: string,
  file: string,
): Promise<MemoryDetail | undefined> {
  const seen = await desk.show(folder, file);
  if (seen === undefined) return undefined;
  const { memory, verdict, history, isActive } = seen;
  const evidence = verdict?.checked.map(({ evidence: found }) => found) ?? [];
  const standing = verdict?.standing ?? "unverifiable";
  return {
    item: itemFrom({ ...memory, isActive, evidence, standing }),
    text: memory.text,
    hash: memory.hash,
    history: history.map(({ id, at, action, isKept, isUndone }) => ({
      ...{ id, at, what: action, canUndo: isKept && !isUndone },
    })),
  };
}

type Outcome = EditOutcome | UndoOutcome | ApproveOutcome | RejectOutcome;

const codes = {
  conflict: [409, "memory-changed"],
  "not-found": [404, "not-found"],
  refused: [400, "memory-refused"],
} as const;

/** The answer to what was not done; undefined for what was. */
function obstacle(c: Context, outcome: Outcome): Response | undefined {
  if (outcome.outcome !== "conflict" && outcome.outcome !== "not-found" && outcome.outcome !== "refused")
    return undefined;
  const [status, code] = codes[outcome.outcome];
  return problem(c, status, code, outcome.message, outcome.fix);
}

/** Whole text in: what a person wrote between the dashes and below them. Where it came from stays as it is. */
async function save(c: Context, parts: MemoryRouteParts): Promise<Response> {
  const body = await textsOf(c, "project", "file", "text", "hash");
  if (body instanceof Response) return body;
  const { project, file, text, hash } = body;
  const { name, description, type, body: words, expires, problems } = readMemory(text);
  if (problems.length > 0) {
    const fix =
      "put the lines between the dashes right; they are name, description, type and no more than that";
    return problem(c, 400, "memory-refused", `The text is no memory: ${problems.join("; ")}.`, fix);
  }
  const edit = { file, hash, name, description, type, body: words, expires: expires ?? null };
  const outcome = await parts.memories.edit(await folderOf(parts, project), edit);
  const refusal = obstacle(c, outcome);
  if (refusal !== undefined) return refusal;
  if (outcome.outcome === "quarantined") {
    const { id, suspicions } = outcome;
    return c.json(
      { outcome: "quarantined", id, reasons: reasonsFrom(suspicions) } satisfies MemorySaved,
      202,
    );
  }
  if (outcome.outcome !== "saved") throw usage("nothing was saved");
  const { hidden, warnings } = outcome;
  return c.json({ outcome: "saved", file: outcome.file, hidden, warnings } satisfies MemorySaved);
}

async function undo(c: Context, parts: MemoryRouteParts): Promise<Response> {
  const body = await textsOf(c, "project", "id");
  if (body instanceof Response) return body;
  const outcome = await parts.memories.undo(await folderOf(parts, body.project), body.id);
  const refusal = obstacle(c, outcome);
  if (refusal !== undefined || outcome.outcome !== "undone") return refusal ?? c.json({ files: [] });
  return c.json({ files: outcome.change.steps.map(({ file }) => file) } satisfies MemoryUndone);
}

async function review(c: Context, parts: MemoryRouteParts): Promise<Response> {
  const body = await textsOf(c, "project", "id", "verdict");
  if (body instanceof Response) return body;
  const { id, verdict } = body;
  if (verdict !== "approve" && verdict !== "reject") throw usage("verdict is approve or reject");
  const folder = await folderOf(parts, body.project);
  const outcome = await parts.memories[verdict](folder, id);
  const refusal = obstacle(c, outcome);
  if (refusal !== undefined) return refusal;
  return c.json(("file" in outcome ? { file: outcome.file } : {}) satisfies Reviewed);
}

export function memoryRoutes(
  parts: MemoryRouteParts,
): Handlers<
  | "GET /api/memories"
  | "GET /api/memory"
  | "POST /api/memory"
  | "POST /api/memory/undo"
  | "POST /api/quarantine"
> {
  const { memories } = parts;
  return {
    "GET /api/memories": async (c) => {
      const folder = await folderOf(parts, namedIn(c, "project"));
      return c.json(memoryListFrom(await memories.list(folder), memories.quarantine(folder)));
    },
    "GET /api/memory": async (c) => {
      const [project, file] = [namedIn(c, "project"), namedIn(c, "file")];
      const detail = await detailOf(memories, await folderOf(parts, project), file);
      if (detail !== undefined) return c.json(detail);
      return problem(c, 404, "not-found", `There is no memory ${file}.`);
    },
    "POST /api/memory": (c) => save(c, parts),
    "POST /api/memory/undo": (c) => undo(c, parts),
    "POST /api/quarantine": (c) => review(c, parts),
  };
}
