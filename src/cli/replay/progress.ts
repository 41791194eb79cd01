// How far a replay is, on one line of the terminal: a bar, a count, and when it will be done.
import { neutral, SECOND } from "../../lib/index.ts";
import type { ReplayProgress } from "../../replay/index.ts";
import { eraseLine, type Screen } from "../terminal.ts";

const BAR = 20;

function duration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / SECOND));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The line after `elapsed` milliseconds, no wider than `width`. */
export function progressLine(progress: ReplayProgress, elapsed: number, width: number): string {
  const share = progress.bytes === 0 ? 1 : progress.bytesDone / progress.bytes;
  const full = Math.round(share * BAR);
  const left = share > 0 && share < 1 ? `, about ${duration((elapsed / share) * (1 - share))} left` : "";
  const line = `${"█".repeat(full)}${"░".repeat(BAR - full)} ${progress.done}/${progress.all} sessions${left}  ${neutral(progress.name)}`;
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}

interface ProgressLine {
  show(progress: ReplayProgress): void;
  clear(): void;
}

/** Writes over one line of `stream`, again every second; nothing where that is no terminal. */
export function progressOn(stream: Screen): ProgressLine {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  const began = Date.now();
  const write = (text: string): void => stream.write(`${eraseLine}${text}`);
  let last: ReplayProgress | undefined;
  const draw = (): void => {
    if (last) write(progressLine(last, Date.now() - began, (stream.columns || 80) - 1));
  };
  write("looking for sessions …");
  const ticking = setInterval(draw, SECOND).unref();
  return {
    show(progress) {
      last = progress;
      draw();
    },
    clear() {
      clearInterval(ticking);
      write("");
    },
  };
}
