// `throughline notes`: the notes of a session, updated on request.

import path from "node:path";
import { transcriptFacts } from "../../archive/index.ts";
import { notesFile, notesFolder, parseNotes, readNotes, readNotesState } from "../../compact/index.ts";
import {
  chooseByBeginning,
  currentExclusion,
  findSession,
  projectOf,
  type SessionPlace,
  sessionPlace,
} from "../../home/index.ts";
import { notFoundError, statIfThere } from "../../lib/index.ts";
import { languageModel } from "../../settings/index.ts";
import { knownTranscripts, updateNotesInProcess } from "../../worker/index.ts";
import { defineCommand, flag, operand } from "../command.ts";
import { commandContext, ownConfig } from "../context.ts";
import { paint } from "../terminal.ts";

/** The session whose notes are requested. Its transcript is known if it was named, or if hooks reported it. */
interface NotesTarget {
  readonly place: SessionPlace;
  readonly session: string;
  readonly transcript?: string;
}

async function targetOfTranscript(transcript: string, named?: string): Promise<NotesTarget> {
  const facts = await transcriptFacts(transcript);
  const session = named ?? facts.session;
  const place = sessionPlace(commandContext().home, projectOf(facts.cwd ?? commandContext().cwd).id, session);
  return { place, session, transcript };
}

const isFile = (file: string) => statIfThere(file)?.isFile() ?? false;

async function findTarget(wanted: string): Promise<NotesTarget> {
  const { home, cwd } = commandContext();
  const file = path.resolve(cwd, wanted);
  if (isFile(file)) return targetOfTranscript(file);
  if (wanted.endsWith(".jsonl")) {
    throw notFoundError(
      `${wanted} does not exist`,
      "check the path; Claude Code keeps transcripts in ~/.claude/projects",
    );
  }
  const known = (await knownTranscripts(home)).filter(
    (one) => isFile(one.file) && path.basename(path.dirname(one.file)) !== "subagents",
  );
  const session = chooseByBeginning(
    known.map((one) => one.session),
    wanted,
  );
  const transcript = known.find((one) => one.session === session)?.file;
  if (session !== undefined && transcript !== undefined) return targetOfTranscript(transcript, session);
  const place = findSession(home, wanted);
  return { place, session: place.session };
}

async function updated({ session, transcript }: NotesTarget) {
  if (transcript === undefined) {
    throw notFoundError(
      `the transcript of ${session} is not known`,
      "name the file: throughline notes FILE.jsonl --update",
    );
  }
  const { home, env } = commandContext();
  // Only the user's own file decides which server conversations are sent to.
  const { values } = ownConfig();
  const isExcluded = currentExclusion(home, env);
  const model = languageModel(values, { home, env });
  const result = await updateNotesInProcess({ home, isExcluded, model }, { session, transcript });
  if (result) return result;
  throw notFoundError(
    `${transcript} has nothing for notes`,
    "pauses and folders in capture.exclude are skipped",
  );
}

function notesReport({ place, session, transcript }: NotesTarget, problem: string | undefined) {
  const folder = notesFolder(place);
  const notes = readNotes(folder);
  if (!notes) {
    throw notFoundError(
      `there are no notes of ${session} yet`,
      `they start at 10,000 tokens; \`throughline notes ${transcript ?? session} --update\` writes them now`,
    );
  }
  const state = readNotesState(folder);
  const data = {
    session,
    project: place.project,
    file: notesFile(folder),
    by: state?.by ?? null,
    updated_at: state?.updatedAt ?? null,
    last_summarized_id: notes.lastSummarizedId ?? null,
    size: state?.size ?? null,
    problem: problem ?? null,
    sections: parseNotes(notes.text),
    text: notes.text,
  };
  const heading = (line: string) => (/^# /.test(line) ? paint("bold", line) : line);
  const trouble = problem && paint("yellow", `(not improved by a model: ${problem})`);
  return { data, text: [...notes.text.trimEnd().split("\n").map(heading), trouble] };
}

const notes = defineCommand({
  args: {
    session: operand("a session id, the start of one, or a transcript"),
    update: flag("update the notes first"),
  },
  examples: {
    "throughline notes 5f1c": "the notes of the session whose id starts with 5f1c",
    "throughline notes session.jsonl --update": "notes of a recorded session, written now",
    "throughline notes 5f1c --json": "by section, with the last message they cover",
  },
  async run({ args }) {
    const target = await findTarget(args.session);
    const problem = args.update ? (await updated(target)).problem : undefined;
    return notesReport(target, problem);
  },
});

export default { notes };
