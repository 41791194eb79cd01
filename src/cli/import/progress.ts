// How far an import is, on standard error: one line that changes on a terminal, a line now and then elsewhere.
import { SECOND } from "../../lib/index.ts";
import { eraseLine, type Screen } from "../terminal.ts";

export interface Progress {
  /** Bytes that are done, of all. */
  show(done: number, what: string): void;
  /** Takes the line away. */
  clear(): void;
}

interface ProgressOptions {
  readonly total: number;
  readonly stream: Screen;
  /** Milliseconds on a clock that never jumps. */
  readonly now?: () => number;
}

const TERMINAL_MS = 100;
const ELSEWHERE_MS = 10 * SECOND;
const BAR_WIDTH = 24;
/** Until so much is known the rate says nothing. */
const FIRST_GUESS_MS = 1_500;

/** `1 min 20 s`, in steps that do not pretend to know better. */
export function roughly(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / SECOND));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.floor((seconds % 60) / 10) * 10} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`;
}

export function makeProgress({ total, stream, now = () => performance.now() }: ProgressOptions): Progress {
  const began = now();
  const pause = stream.isTTY ? TERMINAL_MS : ELSEWHERE_MS;
  let shownAt = stream.isTTY ? Number.NEGATIVE_INFINITY : began;
  let isShown = false;
  const line = (done: number, what: string): string => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const elapsed = now() - began;
    const isKnown = elapsed >= FIRST_GUESS_MS && share > 0 && share < 1;
    const left = isKnown ? `, about ${roughly((elapsed / share) * (1 - share))} left` : "";
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    const full = Math.round(share * BAR_WIDTH);
    const bar = stream.isTTY ? `${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)} ` : "importing ";
    return `${bar}${percent}  ${what}${left}`;
  };
  return {
    show(done, what) {
      if (now() - shownAt < pause) return;
      shownAt = now();
      const text = line(done, what);
      // A line that wraps cannot be written over.
      stream.write(stream.isTTY ? `${eraseLine}${text.slice(0, (stream.columns ?? 80) - 1)}` : `${text}\n`);
      isShown = true;
    },
    clear() {
      if (stream.isTTY && isShown) stream.write(eraseLine);
    },
  };
}

export const silence: Progress = { show: () => undefined, clear: () => undefined };
