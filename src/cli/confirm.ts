// Asks the person at the terminal before something is changed; where nobody sits, `--yes` has to say it.
import { ThroughlineError } from "../lib/index.ts";
import { isInteractive, rendered, write } from "./terminal.ts";

interface Question {
  /** What will be done, shown before it is asked for. */
  readonly details: string;
  readonly question: string;
  /** The answer was given on the command line. */
  readonly yes: boolean;
  /** Output is for a program: nothing may be printed beside it. */
  readonly json: boolean;
  /** Enter alone says no: for what a person should not agree to by habit. */
  readonly isOffByDefault?: boolean;
  /** A word that has to be typed, for what cannot be taken back. */
  readonly word?: string;
}

function needsYes(question: string): ThroughlineError {
  return new ThroughlineError("usage", `${question} Nobody is there to ask, so nothing was changed`, {
    fix: "add --yes to go ahead, or --dry-run to look first",
  });
}

/** False when the person says no. Throws `usage` when there is nobody to ask. */
export async function confirmed(asked: Question): Promise<boolean> {
  const { details, question, yes, json, word, isOffByDefault = false } = asked;
  if (yes) return true;
  if (json || !isInteractive()) throw needsYes(question);
  const { confirm, isCancel, text } = await import("@clack/prompts");
  if (details !== "") write(`${details}\n`);
  const answer =
    word === undefined
      ? await confirm({ message: rendered(question), initialValue: !isOffByDefault })
      : await text({
          message: rendered(`${question} Type ${word} to go ahead.`),
          placeholder: rendered(word),
        });
  return !isCancel(answer) && answer === (word ?? true);
}
