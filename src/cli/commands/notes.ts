// `throughline notes`: what a session's notes say, and bringing them up to date now.
import { statSync } from "node:fs";
import path from "node:path";
import { transcriptFacts } from "../../archive/index.ts";
import {
  type NotesUpdated,
  notesFile,
  notesFolder,
  parseNotes,
  readNotes,
  readNotesState,
} from "../../compact/index.ts";
import {
  chooseByBeginning,
  currentExclusion,
  findSession,
  projectOf,
  type SessionPlace,
  sessionPlace,
} from "../../home/index.ts";
import { ThroughlineError } from "../../lib/index.ts";
import { languageModel } from "../../settings/index.ts";
import { knownTranscripts, updateNotesInProcess } from "../../worker/index.ts";
import { defineCommand, type Report } from "../command.ts";
import { ownConfig, surroundings } from "../surroundings.ts";
import { paint } from "../terminal.ts";

/** A session whose notes are meant. The transcript is known where one was named, or where hooks have told of it. */
interface Meant {
  readonly place: SessionPlace;
  readonly session: string;
  readonly transcript?: string;
}

async function ofTranscript(transcript: string, named?: string): Promise<Meant> {
  const facts = await transcriptFacts(transcript);
  const session = named ?? facts.session;
  const place = sessionPlace(surroundings().home, projectOf(facts.cwd ?? surroundings().cwd).id, session);
  return { place, session, transcript };
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;

async function meantBy(wanted: string): Promise<Meant> {
  const { home, cwd } = surroundings();
  const file = path.resolve(cwd, wanted);
  if (isFile(file)) return ofTranscript(file);
  if (wanted.endsWith(".jsonl")) {
    throw new ThroughlineError("not-found", `${wanted} does not exist`, {
      fix: "check the path; Claude Code keeps transcripts in ~/.claude/projects/",
    });
  }
  const known = (await knownTranscripts(home)).filter(
    (one) => isFile(one.file) && path.basename(path.dirname(one.file)) !== "subagents",
  );
  const session = chooseByBeginning(
    known.map((one) => one.session),
    wanted,
  );
  const transcript = known.find((one) => one.session === session)?.file;
  if (session !== undefined && transcript !== undefined) return ofTranscript(transcript, session);
  const place = findSession(home, wanted);
  return { place, session: place.session };
}

async function updated({ session, transcript }: Meant): Promise<NotesUpdated> {
  if (transcript === undefined) {
    throw new ThroughlineError("not-found", `the transcript of ${session} is not known`, {
      fix: "name the file: throughline notes FILE.jsonl --update",
    });
  }
  const { home, env } = surroundings();
  // Only the user's own file says which server conversations are sent to.
  const { values } = ownConfig();
  const isExcluded = currentExclusion(home, env);
  const model = languageModel(values, { home, env });
  const result = await updateNotesInProcess({ home, isExcluded, model }, { session, transcript });
  if (result !== undefined) return result;
  throw new ThroughlineError("not-found", `${transcript} holds nothing that may be noted`, {
    fix: "pauses and folders in capture.exclude are left out",
  });
}

function report({ place, session, transcript }: Meant, problem: string | undefined): Report {
  const folder = notesFolder(place);
  const notes = readNotes(folder);
  if (notes === undefined) {
    throw new ThroughlineError("not-found", `there are no notes of ${session} yet`, {
      fix: `they begin at 10,000 tokens; \`throughline notes ${transcript ?? session} --update\` writes them now`,
    });
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
  const heading = (line: string): string => (/^# /.test(line) ? paint("bold", line) : line);
  const trouble = problem === undefined ? [] : [paint("yellow", `(no model's words: ${problem})`)];
  return { data, text: [...notes.text.trimEnd().split("\n").map(heading), ...trouble].join("\n") };
}

export default defineCommand({
  args: {
    session: {
      type: "positional",
      required: true,
      description: "a session, the beginning of its id, or a transcript",
    },
    update: { type: "boolean", description: "bring the notes up to date first" },
  },
  examples: [
    { line: "throughline notes 5f1c", does: "the notes of the session whose id begins so" },
    { line: "throughline notes session.jsonl --update", does: "notes of a recorded session, written now" },
    { line: "throughline notes 5f1c --json", does: "section by section, with how far they reach" },
  ],
  async run({ args }) {
    const meant = await meantBy(args.session);
    const problem = args.update ? (await updated(meant)).problem : undefined;
    return report(meant, problem);
  },
});
