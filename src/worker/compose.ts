// The rooms that work in a worker process, each with what it needs: what is observed, archived, noted, kept ready and told.
import { type Environment, type Home, type IsExcluded, vaultFolder } from "../home/index.ts";
import { systemClock } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { damageNotice } from "../recovery/index.ts";
import { redactText } from "../redact/index.ts";
import { projectNotices, snapshotSettings } from "../settings/index.ts";
import { projectStateReaders } from "../snapshot/index.ts";
import type { Store } from "../store/index.ts";
import { memorySources } from "../tools/index.ts";
import { makeAnswers } from "./answers.ts";
import type { EngineOptions } from "./engine.ts";
import { injectSettings } from "./injectSettings.ts";
import { makeArchiver } from "./jobs/archive.ts";
import { makeBlockExpiry } from "./jobs/blockExpiry.ts";
import { embeddingWork } from "./jobs/embedSetup.ts";
import { notesJob } from "./jobs/notesSetup.ts";
import { observationWork } from "./jobs/observeSetup.ts";
import { makeSnapshots } from "./jobs/snapshot.ts";
import { makeMemoryText } from "./memoryText.ts";

interface RoomParts {
  readonly home: Home;
  readonly env: Environment;
  readonly store: Store;
  readonly isExcluded: IsExcluded;
  readonly log: Logger;
}

type Rooms = Pick<
  EngineOptions,
  | "handlers"
  | "patientHandlers"
  | "lifecycleListeners"
  | "answers"
  | "archiver"
  | "keepNotes"
  | "embedding"
  | "expiry"
  | "memoriesFrom"
>;

export function roomsOf({ home, env, store, isExcluded, log }: RoomParts): Rooms {
  const snapshotsFor = snapshotSettings(home, env);
  const expiry = makeBlockExpiry({ home, settingsFor: snapshotsFor, isExcluded, clock: systemClock, log });
  const snapshots = makeSnapshots({
    home,
    vaultFolder: vaultFolder(home),
    settingsFor: snapshotsFor,
    onSaved: expiry.note,
    readers: projectStateReaders,
    redact: (text) => redactText(text).text,
    isExcluded,
    clock: systemClock,
    log,
  });
  snapshots.takeInLeft();
  const settingsFor = injectSettings(home, env);
  const clock = systemClock;
  const memories = makeMemoryText({ home, env, clock, log });
  const memoriesFrom = memorySources({ home, env, store });
  const notice = damageNotice({ home, clock, log });
  return {
    ...observationWork({ home, env, store, log }),
    lifecycleListeners: [snapshots.take],
    expiry,
    answers: makeAnswers({
      ...{ home, store, snapshots, memories, memoriesFrom, settingsFor, isExcluded, notice, clock, log },
      noticeFor: projectNotices(home, env),
    }),
    archiver: makeArchiver({ home, isExcluded, log }),
    embedding: embeddingWork({ home, env, store, log }),
    memoriesFrom,
    keepNotes: notesJob({ home, env, isExcluded, log }),
  };
}
