// The conversation that snip is asked about: found by its session, read from its transcript, marked in its ledger.
import { statSync } from "node:fs";
import { type Home, projectOf, sessionPlace, vaultFolder } from "../home/index.ts";
import { openMarks } from "../intake/index.ts";
import { activeEntries } from "../ledger/index.ts";
import { systemClock, ThroughlineError } from "../lib/index.ts";
import { isUserInput, textOf } from "../messages/index.ts";
import {
  adopt,
  openSession,
  type Session,
  snip,
  type ToolAnswer,
  turnTags,
  unsnip,
} from "../pipeline/index.ts";
import type { ModelOverrides } from "../tokens/index.ts";
import { readConversation, windowItems } from "../transcript/index.ts";

export interface TurnsOptions {
  readonly home: Home;
  readonly folder: string;
  /** The agent's session, where it says so; else the one that was written to last in this project. */
  readonly session?: string;
  /** Its transcript, where that is known. */
  readonly transcript?: string;
  /** The model that is assumed where the transcript names none that is known. */
  readonly model: string;
  readonly models: ModelOverrides;
}

interface Turn {
  readonly id: string;
  /** The beginning of the user's words. */
  readonly text: string;
}

const SHOWN_TURNS = 30;
const SHOWN_WIDTH = 80;

const timeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

async function transcriptOf(options: TurnsOptions): Promise<{ session: string; file: string }> {
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
  if (found !== undefined) return found;
  throw new ThroughlineError(
    "not-found",
    "this conversation is not known yet",
    "ask again after the next turn: its transcript is read when a turn ends",
  );
}

interface Open {
  readonly session: Session;
  readonly model: string;
  readonly history: ReturnType<typeof windowItems>;
}

async function open(options: TurnsOptions): Promise<Open> {
  const { home, folder, model, models } = options;
  const { session: id, file } = await transcriptOf(options);
  const conversation = await readConversation(file);
  const history = windowItems(conversation).filter((item) => !item.isApiError);
  const place = sessionPlace(home, projectOf(conversation.cwd ?? folder).id, id);
  const session = openSession(place, { vault: vaultFolder(home), models });
  adopt(session, history);
  return { session, model: conversation.models.at(-1) ?? model, history };
}

/** Newest last; those that are removed or marked are left out. */
export async function listTurns(options: TurnsOptions): Promise<Turn[]> {
  const { session, history } = await open(options);
  const gone = new Set(
    activeEntries(session.ledger.entries()).flatMap(({ edit }) =>
      edit.kind === "remove-turn" ? edit.turn : edit.kind === "mark" ? String(edit.wanted.turn) : [],
    ),
  );
  const texts = new Map(history.filter(isUserInput).map(({ id, message }) => [id, textOf(message.content)]));
  return turnTags(history)
    .filter(({ item }) => !gone.has(item))
    .slice(-SHOWN_TURNS)
    .map(({ tag, item }) => ({
      id: tag,
      text: (texts.get(item) ?? "").replace(/\s+/g, " ").slice(0, SHOWN_WIDTH),
    }));
}

export async function snipTurns(
  options: TurnsOptions,
  ids: readonly string[],
  reason: string,
): Promise<ToolAnswer> {
  const { session, model } = await open(options);
  return snip(session, { ids, reason }, { model });
}

export async function unsnipTurns(options: TurnsOptions, ids: readonly string[]): Promise<ToolAnswer> {
  const { session, model } = await open(options);
  return unsnip(session, { ids }, { model });
}
