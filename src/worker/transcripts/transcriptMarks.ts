// How far each transcript has been read, kept in one small file; of a forgotten session only the number stays.
import path from "node:path";
import { type Home, isObject, parseJson, readIfThere, sha256, writeFileAtomic } from "../../lib/index.ts";

export interface TranscriptMark {
  /** Absent once the session was forgotten. */
  readonly file?: string;
  readonly session?: string;
  /** Byte to read on from. */
  readonly offset: number;
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
  /** What lies before this byte was forgotten, and stays so when the session goes on. */
  readonly forgotten?: number;
}

export interface TranscriptMarks {
  get(file: string): TranscriptMark | undefined;
  /** Every mark that still names its file. */
  named(): { readonly file: string; readonly session: string; readonly offset: number }[];
  set(file: string, mark: { readonly session: string; readonly offset: number }, now: number): void;
  /** Takes the name away and leaves the place: what was forgotten is not read again. */
  forget(file: string, offset: number, now: number): void;
  /** Writes what has changed. */
  save(): void;
}

/** A place that was not looked at for so long is let go; one that was forgotten never is, or it could come back. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1_000;

const keyOf = (file: string): string => sha256(file).slice(0, 32);

function readMark(value: unknown): TranscriptMark | undefined {
  if (!isObject(value) || typeof value.offset !== "number") return undefined;
  const { offset, file, session, seenAt, forgotten } = value;
  return {
    offset,
    seenAt: Number(seenAt) || 0,
    ...(typeof forgotten === "number" ? { forgotten } : {}),
    ...(typeof file === "string" && typeof session === "string" ? { file, session } : {}),
  };
}

export function openMarks(home: Home, now: number): TranscriptMarks {
  const place = path.join(home.state, "transcripts.json");
  const found = parseJson(readIfThere(place) ?? "");
  const marks = new Map<string, TranscriptMark>();
  for (const [key, value] of Object.entries(isObject(found) ? found : {})) {
    const mark = readMark(value);
    const isWorthKeeping = mark?.forgotten !== undefined || (mark?.seenAt ?? 0) > now - KEPT_MS;
    if (mark !== undefined && isWorthKeeping) marks.set(key, mark);
  }
  let changed = false;
  const put = (file: string, mark: TranscriptMark): void => {
    marks.set(keyOf(file), mark);
    changed = true;
  };
  return {
    get: (file) => marks.get(keyOf(file)),
    named: () =>
      [...marks.values()].flatMap(({ file, session, offset }) =>
        file === undefined || session === undefined ? [] : { file, session, offset },
      ),
    set: (file, { session, offset }, at) => {
      const forgotten = marks.get(keyOf(file))?.forgotten;
      put(file, { file, session, offset, seenAt: at, ...(forgotten === undefined ? {} : { forgotten }) });
    },
    forget: (file, offset, at) => put(file, { offset, seenAt: at, forgotten: offset }),
    save: () => {
      if (changed) writeFileAtomic(place, `${JSON.stringify(Object.fromEntries(marks))}\n`);
      changed = false;
    },
  };
}
