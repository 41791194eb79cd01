// What the keeper of notes works with in a worker process: settings, redaction, pauses, and what was forgotten.
import { type Config, loadConfig } from "../config/index.ts";
import type { Home } from "../lib/index.ts";
import { redactValue } from "../redact/index.ts";
import { languageModel } from "./languageModel.ts";
import type { Logger } from "./log.ts";
import { makeNoteKeeper, type NoteKeeper, type NoteKeeperParts } from "./noteKeeper.ts";
import { pauses } from "./pause.ts";
import { neutralFolder } from "./settingsAccess.ts";
import type { TranscriptMarks } from "./transcriptMarks.ts";

type Environment = Readonly<Record<string, string | undefined>>;

function valuesFor(home: Home, cwd: string, env: Environment): Config | undefined {
  try {
    return loadConfig({ home, cwd, env }).values;
  } catch {
    // Told elsewhere: the worker logs what is wrong with the user's file, a command what is wrong with a project's.
    return undefined;
  }
}

/** Undefined where notes are not wanted, or the files cannot be read: then nothing is noted yet. */
function notesSettings(home: Home, env: Environment): NoteKeeperParts["settingsFor"] {
  return (cwd) => {
    const user = valuesFor(home, neutralFolder(home), env);
    if (user === undefined || valuesFor(home, cwd, env)?.notes.enabled !== true) return undefined;
    // A file in somebody's repository must not decide which server conversations are sent to.
    return { model: languageModel(user, { home, env }) };
  };
}

export interface KeepingParts {
  readonly home: Home;
  readonly env: Environment;
  readonly isExcluded: (cwd: string) => boolean;
  readonly log: Logger;
}

export function notesKeeping({ home, env, isExcluded, log }: KeepingParts) {
  return (marks: TranscriptMarks): NoteKeeper =>
    makeNoteKeeper({
      home,
      settingsFor: notesSettings(home, env),
      redact: (value) => redactValue(value).value,
      pauses: () => pauses(home),
      isExcluded,
      forgottenUpTo: (transcript) => marks.get(transcript)?.forgotten ?? 0,
      log,
    });
}
