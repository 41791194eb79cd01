// Sessions that were left out, as a person reads them: each with its reason, many of one reason together.
import { write } from "../terminal.ts";
import { counted } from "../wording.ts";

export interface LeftOut {
  readonly file: string;
  readonly reason: string;
}

/** Files that are named for one reason; `--json` has all of them. */
const SHOWN = 20;

/** The reason without the file's name, which stands beside it. */
export function plainly({ file, reason }: LeftOut): LeftOut {
  return { file, reason: reason.startsWith(`${file} `) ? reason.slice(file.length + 1) : reason };
}

/** On standard error, so that the table can be piped. */
export function tellLeftOut(leftOut: readonly LeftOut[]): void {
  for (const line of leftOutLines(leftOut)) write(`${line}\n`, "stderr");
}

function leftOutLines(leftOut: readonly LeftOut[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { file, reason } of leftOut) {
    const files = byReason.get(reason) ?? [];
    byReason.set(reason, [...files, file]);
  }
  return [...byReason].flatMap(([reason, files]) => [
    ...files.slice(0, SHOWN).map((file) => `left out ${file}: ${reason}`),
    ...(files.length > SHOWN
      ? [`left out ${counted(files.length - SHOWN, "more file")}: ${reason}; --json names each`]
      : []),
  ]);
}
