// What lies ready for hooks that cannot reach a worker: one small file for each folder of work.
import { rmSync } from "node:fs";
import path from "node:path";
import { answerFile, type Home, writeFileAtomic } from "../lib/index.ts";

/** `stdout` is what a hook prints, by the kind of its event. */
export function writeReadyAnswer(home: Home, folder: string, stdout: Readonly<Record<string, string>>): void {
  writeFileAtomic(answerFile(home, folder), `${JSON.stringify({ folder, stdout })}\n`);
}

/** All of them: what was forgotten may be in any. They are made again as sessions end. */
export function removeReadyAnswers(home: Home): void {
  rmSync(path.dirname(answerFile(home, "")), { recursive: true, force: true });
}
