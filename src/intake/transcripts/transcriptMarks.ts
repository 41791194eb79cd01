// How far each transcript has been read, kept in one small file; of a forgotten session only the number stays.

import { existsSync } from "node:fs";
import path from "node:path";
import type { ArchiveOptions } from "../../archive/index.ts";
import { type Home, type Pause, rememberingExclusion, wasPaused } from "../../home/index.ts";
import { DAY, defined, isObject, readJson, sha256, writeJson } from "../../lib/index.ts";

interface TranscriptMark {
  /** Absent once the session was forgotten. */
  readonly file?: string;
  readonly session?: string;
  /** Byte to read on from. */
  readonly offset: number;
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
  /** What lies before this byte was forgotten, and stays so when the session goes on. */
  readonly forgotten?: number;
  /** Milliseconds since the epoch: rows that are older are not the session's own. */
  readonly since?: number;
}

type NewMark = { readonly session: string; readonly offset: number; readonly since?: number };

export interface TranscriptMarks {
  /** Whether marks were lost and are not restored yet; that stays known over a crash. */
  isDamaged(): boolean;
  /** Says that what was lost is restored; the next `save` keeps that. */
  restored(): void;
  get(file: string): TranscriptMark | undefined;
  /** Every mark that still names its file. */
  named(): { readonly file: string; readonly session: string; readonly offset: number }[];
  set(file: string, mark: NewMark, now: number): void;
  /** Takes the name away and leaves the place: what was forgotten is not read again. */
  forget(file: string, offset: number, now: number): void;
  /** Writes what has changed. */
  save(): void;
}

/**
 * A place that was not looked at for so long is let go when its transcript is gone, too: a clock that jumps must not
 * take one that is still read. One that was forgotten stays, or it could come back.
 */
const KEPT_MS = 90 * DAY;

const isWorthKeeping = ({ file, forgotten, seenAt }: TranscriptMark, now: number) =>
  forgotten !== undefined || seenAt > now - KEPT_MS || (file !== undefined && existsSync(file));

/** Beside the marks, whose keys are hashes: some were lost and are not restored yet. */
const DAMAGED = "damaged";

const keyOf = (file: string) => sha256(file).slice(0, 32);

function readMark(value: unknown) {
  if (!isObject(value) || typeof value.offset !== "number") return undefined;
  const { offset, file, session, seenAt, forgotten, since } = value;
  return {
    offset,
    seenAt: Number(seenAt) || 0,
    ...(typeof forgotten === "number" && { forgotten }),
    ...(typeof since === "number" && { since }),
    ...(typeof file === "string" && typeof session === "string" && { file, session }),
  };
}

export function openMarks(home: Home, now: number): TranscriptMarks {
  const place = path.join(home.state, "transcripts.json");
  const found = readJson(place);
  let damaged = !isObject(found) || found[DAMAGED] === true;
  const marks = new Map<string, TranscriptMark>();
  for (const [key, value] of Object.entries(isObject(found) ? found : {})) {
    const mark = readMark(value);
    if (mark && isWorthKeeping(mark, now)) marks.set(key, mark);
  }
  let changed = false;
  const put = (file: string, mark: TranscriptMark) => {
    marks.set(keyOf(file), mark);
    changed = true;
  };
  return {
    isDamaged: () => damaged,
    restored: () => {
      [damaged, changed] = [false, true];
    },
    get: (file) => marks.get(keyOf(file)),
    named: () =>
      [...marks.values()].flatMap(({ file, session, offset }) =>
        file === undefined || session === undefined ? [] : { file, session, offset },
      ),
    set: (file, mark, at) => {
      const { forgotten, since } = marks.get(keyOf(file)) ?? {};
      put(file, { file, seenAt: at, ...defined({ forgotten, since }), ...mark });
    },
    forget: (file, offset, at) => put(file, { offset, seenAt: at, forgotten: offset }),
    save: () => {
      const state = damaged ? { [DAMAGED]: true } : {};
      if (changed) writeJson(place, { ...Object.fromEntries(marks), ...state });
      changed = false;
    },
  };
}

interface ArchivableParts {
  readonly pauses: readonly Pause[];
  readonly isExcluded: (cwd: string) => boolean;
  readonly marks: Pick<TranscriptMarks, "get"> | undefined;
}

export function archivable({
  pauses,
  isExcluded,
  marks,
}: ArchivableParts): Required<Pick<ArchiveOptions, "isWanted" | "from">> {
  const isOut = rememberingExclusion(isExcluded);
  return {
    isWanted: ({ at, cwd }) =>
      !(at !== undefined && wasPaused(pauses, at)) && !(cwd !== undefined && isOut(cwd)),
    from: (file) => marks?.get(file)?.forgotten ?? 0,
  };
}
