// Asks at the terminal: before something is changed, where without a terminal `--yes` has to be given, and for what a command lacks.
import { usageError } from "../lib/index.ts";
import { isInteractive, rendered, write } from "./terminal.ts";

interface ConfirmQuestion {
  /** What will be done, shown before the question. */
  readonly details: string;
  readonly question: string;
  /** Whether the command line has the answer. */
  readonly yes: boolean;
  /** Whether the output is for a program, which must not be asked. */
  readonly json: boolean;
  /** Enter alone means no: for what should not be confirmed by habit. */
  readonly isOffByDefault?: boolean;
  /** A word that has to be typed, for what cannot be undone. */
  readonly word?: string;
}

function needsYes(question: string) {
  return usageError(
    `${question} There is no terminal to ask on, so nothing was changed`,
    "add --yes to go ahead, or --dry-run to look first",
  );
}

/** False when the answer is no. Throws `usage` when there is no terminal to ask on. */
export async function confirmed(asked: ConfirmQuestion) {
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

/** What is typed at the terminal; empty when it is left out. */
export async function answerTo(question: string) {
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({
    message: rendered(question),
    placeholder: rendered("Enter: leave it out"),
  });
  return isCancel(answer) ? "" : String(answer ?? "").trim();
}
