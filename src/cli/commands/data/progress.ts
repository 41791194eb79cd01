// How far a copy or a check of many files is, on one line of the terminal.
import type { SetProgress } from "../../../backup/index.ts";
import { eraseLine, screenOf } from "../../terminal.ts";

interface CountingLine {
  show(progress: SetProgress): void;
  clear(): void;
}

const EVERY_MS = 200;

/** Writes nothing where stderr is no terminal. */
export function countingLine(done: string): CountingLine {
  const screen = screenOf("stderr");
  if (!screen.isTTY) return { show: () => undefined, clear: () => undefined };
  let last = 0;
  return {
    show({ files, bytes }) {
      if (Date.now() - last < EVERY_MS) return;
      last = Date.now();
      screen.write(`${eraseLine}${done} ${files} files, ${Math.round(bytes / 1_000_000)} MB …`);
    },
    clear: () => screen.write(eraseLine),
  };
}
