// Progress on standard error: one line that is overwritten on a terminal; for an import also a line now and then elsewhere.
import type { SetProgress } from "../backup/index.ts";
import { neutral, SECOND } from "../lib/index.ts";
import type { ReplayProgress } from "../replay/index.ts";
import { eraseLine, type Screen, screenOf } from "./terminal.ts";

interface ProgressLine<T extends unknown[]> {
  show(...progress: T): void;
  /** Removes the line. */
  clear(): void;
}

/** Bytes done, and a description of the current step. */
export type ImportProgress = ProgressLine<[done: number, what: string]>;

export const noProgress = { show: () => undefined, clear: () => undefined };

const bar = (share: number, width: number) => {
  const full = Math.round(share * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} `;
};

/** `1 min 20 s`, no more exact than an estimate can be. */
export function roughly(ms: number) {
  const seconds = Math.max(1, Math.round(ms / SECOND));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.floor((seconds % 60) / 10) * 10} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`;
}

const timeLeft = (share: number, elapsed: number) =>
  share > 0 && share < 1 ? `, about ${roughly((elapsed / share) * (1 - share))} left` : "";

const TERMINAL_MS = 100;
const ELSEWHERE_MS = 10 * SECOND;
const IMPORT_BAR = 24;
/** Before this the rate is not known well enough for an estimate. */
const FIRST_GUESS_MS = 1_500;

interface ImportProgressOptions {
  readonly total: number;
  readonly stream: Screen;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
}

export function importProgress(options: ImportProgressOptions): ImportProgress {
  const { total, stream, now = () => performance.now() } = options;
  const began = now();
  const pause = stream.isTTY ? TERMINAL_MS : ELSEWHERE_MS;
  let shownAt = stream.isTTY ? Number.NEGATIVE_INFINITY : began;
  let isShown = false;
  const line = (done: number, what: string) => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const elapsed = now() - began;
    const left = elapsed >= FIRST_GUESS_MS ? timeLeft(share, elapsed) : "";
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    return `${stream.isTTY ? bar(share, IMPORT_BAR) : "importing "}${percent}  ${what}${left}`;
  };
  return {
    show(done, what) {
      if (now() - shownAt < pause) return;
      shownAt = now();
      const text = line(done, what);
      // A line that wraps cannot be overwritten.
      stream.write(stream.isTTY ? `${eraseLine}${text.slice(0, (stream.columns ?? 80) - 1)}` : `${text}\n`);
      isShown = true;
    },
    clear() {
      if (stream.isTTY && isShown) stream.write(eraseLine);
    },
  };
}

const REPLAY_BAR = 20;

/** The line after `elapsed` milliseconds, no wider than `width`. */
export function replayLine(progress: ReplayProgress, elapsed: number, width: number) {
  const share = progress.bytes === 0 ? 1 : progress.bytesDone / progress.bytes;
  const count = `${progress.done}/${progress.all} sessions${timeLeft(share, elapsed)}`;
  const line = `${bar(share, REPLAY_BAR)}${count}  ${neutral(progress.name)}`;
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}

/** Updated every second; nothing without a terminal. */
export function replayProgress(): ProgressLine<[ReplayProgress]> {
  const stream = screenOf("stderr");
  if (!stream.isTTY) return noProgress;
  const began = Date.now();
  const write = (text: string) => stream.write(`${eraseLine}${text}`);
  let last: ReplayProgress | undefined;
  const update = () => {
    if (last) write(replayLine(last, Date.now() - began, (stream.columns || 80) - 1));
  };
  write("looking for sessions …");
  const ticking = setInterval(update, SECOND).unref();
  return {
    show(progress) {
      last = progress;
      update();
    },
    clear() {
      clearInterval(ticking);
      write("");
    },
  };
}

/** A line that is written anew with every call, at most every `pauseMs`; nothing without a terminal. */
export function progressLine<T>(lineFor: (progress: T) => string, pauseMs = 0): ProgressLine<[T]> {
  const screen = screenOf("stderr");
  if (!screen.isTTY) return noProgress;
  let last = 0;
  return {
    show(progress) {
      if (Date.now() - last < pauseMs) return;
      last = Date.now();
      screen.write(eraseLine + lineFor(progress));
    },
    clear: () => screen.write(eraseLine),
  };
}

/** Files and bytes of a copy or a check. */
export const fileProgress = (done: string): ProgressLine<[SetProgress]> =>
  progressLine(({ files, bytes }) => `${done} ${files} files, ${Math.round(bytes / 1_000_000)} MB …`, 200);
