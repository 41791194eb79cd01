// Whether a turn leaves anything to remember, by what was done in it.
import type { Action } from "../activity/index.ts";
import type { Turn } from "./turn.ts";

/** An answer with fewer letters than this, for which nothing was done, is a remark. A Chinese sign counts as three letters. */
const LONG_ANSWER = 1_000;

const lettersIn = (text: string) => text.length + 2 * (text.match(/[\u3400-\u9fff]/g) ?? []).length;

const asks = (request: string) => /[?？]\s*$/.test(request);
const isLook = ({ kind }: Action) => kind === "look";
/** `git push`, `gh pr comment`: what was done is known from when it was done. */
const movesCommits = ({ kind, command = "" }: Action) =>
  kind === "commit" || (kind === "run" && /(?:^|[;&|]\s*)(?:git|gh)\s/m.test(command));

/** What was found: something was run, searched for elsewhere or reported, or an answer was given that says more than a remark. */
function findsSomething({ fresh, actions, request, words, goesOn }: Turn) {
  if (fresh.some(({ kind }) => kind === "research" || kind === "delegate")) return true;
  if (!goesOn && fresh.some(({ kind, failed }) => kind === "check" && failed)) return true;
  if (words === "") return false;
  const isLong = lettersIn(words) >= LONG_ANSWER;
  if (fresh.length === 0) return actions.length === 0 && isLong;
  if (fresh.every(isLook)) return isLong || !asks(request);
  // A check that passes again, with a few looks around it, says nothing new.
  const checks = fresh.filter(({ kind }) => kind === "check").length;
  return checks < fresh.length - checks;
}

/**
 * Turns that only ask, reword, commit, push, check again or read the memory leave nothing. One that goes on, or was
 * broken off, leaves what it changed or what failed in it: no words say what it found.
 */
export function isWorthRemembering(turn: Turn): boolean {
  const { fresh, actions, words } = turn;
  // A call that was broken off before it had a result changed nothing.
  const changes = fresh.filter(({ kind, outcome }) => kind === "change" && outcome !== "open");
  if (changes.length > 0) return !changes.every(({ isWording }) => isWording === true);
  // All was told of before, and now it is said what it came to.
  if (fresh.length === 0 && words !== "" && actions.some(({ kind }) => kind === "change")) return true;
  const doing = fresh.filter(({ kind, alters }) => kind === "commit" || (kind === "run" && alters === true));
  if (doing.length > 0) return !doing.every(movesCommits);
  return findsSomething(turn);
}
