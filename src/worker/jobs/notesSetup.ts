// What the keeper of notes works with in a worker process: settings, redaction, pauses, and what was forgotten.
import type { NotesUpdated } from "../../compact/index.ts";
import { type Environment, type Home, type IsExcluded, pauses } from "../../home/index.ts";
import { beginning, openMarks, type TranscriptMarks } from "../../intake/index.ts";
import { systemClock } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import { redactValue } from "../../redact/index.ts";
import { languageModel, readableSettings } from "../../settings/index.ts";
import type { EventStore } from "../../store/index.ts";
import { bringUpToDate, makeNotesJob, type NotesJob, type NotesJobParts } from "./notes.ts";

/** Undefined where notes are not wanted, or the files cannot be read: then nothing is noted yet. */
function notesSettings(home: Home, env: Environment): NotesJobParts["settingsFor"] {
  return (cwd) => {
    const user = readableSettings({ home, env });
    if (user === undefined || readableSettings({ home, cwd, env })?.notes.enabled !== true) return undefined;
    // A file in somebody's repository must not decide which server conversations are sent to.
    return { model: languageModel(user, { home, env }) };
  };
}

interface KeepingParts {
  readonly home: Home;
  readonly env: Environment;
  readonly isExcluded: IsExcluded;
}

type SharedParts = Omit<NotesJobParts, "settingsFor" | "since" | "log">;

function sharedParts({ home, isExcluded }: KeepingParts, marks: TranscriptMarks): SharedParts {
  return {
    home,
    redact: (value) => redactValue(value).value,
    pauses: () => pauses(home),
    isExcluded,
    forgottenUpTo: (transcript) => marks.get(transcript)?.forgotten ?? 0,
  };
}

export function notesJob(
  parts: KeepingParts & { readonly log: Logger },
): (marks: TranscriptMarks, store: Pick<EventStore, "events">) => NotesJob {
  const { home, env, log } = parts;
  const settingsFor = notesSettings(home, env);
  return (marks, store) =>
    makeNotesJob({
      ...sharedParts(parts, marks),
      settingsFor,
      since: (session) => beginning(store, session),
      log,
    });
}

/** Brings the notes of one session up to date because somebody asked for it, whether they are due or not. */
export function updateNotesNow(
  parts: KeepingParts & { readonly model: LanguageModel | undefined },
  noted: { readonly session: string; readonly transcript: string },
): Promise<NotesUpdated | undefined> {
  const { home, model } = parts;
  const silent = { info: () => undefined, warn: () => undefined };
  const keeper = {
    ...sharedParts(parts, openMarks(home, systemClock.now())),
    settingsFor: () => ({ model }),
    // Whoever names a session means all of it.
    since: () => Promise.resolve(0),
    log: silent,
  };
  // Nobody interrupts a command but its user, and then it is gone.
  const { signal } = new AbortController();
  return bringUpToDate(keeper, { ...noted, gauge: undefined }, { signal, asked: true });
}
