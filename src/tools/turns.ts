// Turns of the current conversation for snip: found by its session, read from its transcript, marked in its ledger.
import { type Home, projectOf, sessionPlace, vaultFolder } from "../home/index.ts";
import { openMarks } from "../intake/index.ts";
import { activeEntries } from "../ledger/index.ts";
import { statIfThere, systemClock, ThroughlineError } from "../lib/index.ts";
import { isUserInput, textOf } from "../messages/index.ts";
import { adopt, openSession, snip, turnTags, unsnip } from "../pipeline/index.ts";
import type { ModelOverrides } from "../tokens/index.ts";
import { readConversation, windowItems } from "../transcript/index.ts";

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

const SHOWN_TURNS = 30;
const SHOWN_WIDTH = 80;

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
  if (found !== undefined) return found;
  throw new ThroughlineError(
    "not-found",
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
  return { session, model: conversation.models.at(-1) ?? model, history };
}

/** Turns with the beginning of the user's words, newest last, without those that are removed or marked. */
export async function listTurns(options: TurnsOptions) {
  const { session, history } = await openTurns(options);
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

/** With a reason the turns are snipped, without one the snips are undone. */
export async function markTurns(options: TurnsOptions, ids: readonly string[], reason?: string) {
  const { session, model } = await openTurns(options);
  return reason === undefined
    ? unsnip(session, { ids }, { model })
    : snip(session, { ids, reason }, { model });
}
