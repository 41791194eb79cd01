// Turns of the current conversation for snip: of its live window in the worker, or read from its transcript.
import { z } from "zod";
import { type Home, projectOf, sessionPlace, vaultFolder } from "../home/index.ts";
import { openMarks } from "../intake/index.ts";
import { defined, notFoundError, statIfThere, systemClock, usageError } from "../lib/index.ts";
import { adopt, listTurns, openSession, pin, type Session, snip, unpin, unsnip } from "../pipeline/index.ts";
import type { ModelOverrides } from "../tokens/index.ts";
import { readConversation, windowItems } from "../transcript/index.ts";

/**
 * Asks for the turns of a conversation; those with `ids` are pinned or not where that is said, else snipped for a reason, or brought
 * back without one.
 */
const turnsRequest = z.object({
  session: z.string().optional(),
  /** The folder that the agent works in. */
  folder: z.string(),
  ids: z.array(z.string()).optional(),
  reason: z.string().optional(),
  isPinned: z.boolean().optional(),
});

export type TurnsRequest = z.infer<typeof turnsRequest>;

/** Throws `usage` for anything else. */
export function readTurnsRequest(request: unknown): TurnsRequest {
  const read = turnsRequest.safeParse(request);
  if (read.success) return read.data;
  throw usageError("a request about turns names a folder, and turns by their tags");
}

/** The turns that can be named, or what became of those that were. */
export const turnsAnswer = z.object({
  turns: z.array(z.object({ tag: z.string(), text: z.string() })).optional(),
  answer: z.object({ text: z.string(), isError: z.boolean() }).optional(),
});

export type TurnsAnswer = z.infer<typeof turnsAnswer>;

export interface TurnsOptions {
  readonly home: Home;
  readonly folder: string;
  /** The agent's session, if it names one; otherwise the one that was written to last in this project. */
  readonly session?: string;
  /** Its transcript, if that is known. */
  readonly transcript?: string;
  /** The model to assume when the transcript names no known one. */
  readonly model: string;
  readonly models: ModelOverrides;
}

const timeOf = (file: string) => statIfThere(file)?.mtimeMs ?? 0;

async function ownTranscript(options: TurnsOptions) {
  const { home, session, transcript } = options;
  if (session !== undefined && transcript !== undefined && timeOf(transcript) > 0)
    return { session, file: transcript };
  const known = openMarks(home, systemClock.now())
    .named()
    .filter(({ file }) => !file.includes("subagents") && timeOf(file) > 0);
  const found =
    session === undefined
      ? known.sort((a, b) => timeOf(b.file) - timeOf(a.file))[0]
      : known.find((one) => one.session === session);
  if (found) return found;
  throw notFoundError(
    "this conversation is not known yet",
    "ask again after the next turn: its transcript is read when a turn ends",
  );
}

async function openTurns(options: TurnsOptions) {
  const { home, folder, model, models } = options;
  const { session: id, file } = await ownTranscript(options);
  const conversation = await readConversation(file);
  const history = windowItems(conversation).filter((item) => !item.isApiError);
  const place = sessionPlace(home, projectOf(conversation.cwd ?? folder).id, id);
  const session = openSession(place, { vault: vaultFolder(home), models });
  adopt(session, history);
  return { session, model: conversation.models.at(-1) ?? model };
}

/** What a request asks of a session's turns. */
export function answerTurns(
  session: Session,
  { ids, reason, isPinned }: Pick<TurnsRequest, "ids" | "reason" | "isPinned">,
  model: string,
): TurnsAnswer {
  if (!ids) return { turns: listTurns(session) };
  if (isPinned !== undefined) {
    (isPinned ? pin : unpin)(session, ids);
    return { answer: { text: `${isPinned ? "pinned" : "unpinned"}: ${ids.join(", ")}`, isError: false } };
  }
  const input = { ids, ...defined({ reason }) };
  return { answer: (reason === undefined ? unsnip : snip)(session, input, { model }) };
}

/** The turns as the transcript has them: for an agent that sends its own requests. */
export async function transcriptTurns(options: TurnsOptions, request: TurnsRequest): Promise<TurnsAnswer> {
  const { session, model } = await openTurns(options);
  return answerTurns(session, request, model);
}
