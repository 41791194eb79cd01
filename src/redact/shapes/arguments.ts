// Finds passwords by their place among the arguments of a call that signs in: a user, then the password.
import { isSecretValue } from "../assignment/values.ts";
import { type Finder, findAt, matchAt } from "../found.ts";
import { standsOut } from "../wordy.ts";

const CALL = /[\w.:]{0,30}\s{0,2}(?:=\s{0,2}(?:new\s)?[\w.]{0,30})?\(/y;
const ARGUMENT = /\s{0,24}(?:[@NbruL]?(["'`])([^"'`\n]{0,256})\1|([^,()"'`\n]{1,80}))\s{0,24}/y;
const MOST_ARGUMENTS = 6;

/** The literals among the arguments, with the place of each. */
function lastLiteral(text: string, from: number) {
  let last: { start: number; value: string } | undefined;
  let at = from;
  for (let place = 0; place < MOST_ARGUMENTS; place += 1) {
    const argument = matchAt(ARGUMENT, text, at);
    if (!argument) return undefined;
    const value = argument[2];
    // A user stands before it.
    last =
      value === undefined || place === 0
        ? undefined
        : { start: at + argument[0].indexOf(value, argument[0].search(/["'`]/)), value };
    at += argument[0].length;
    if (text.charAt(at) !== ",") return text.charAt(at) === ")" ? last : undefined;
    at += 1;
  }
  return undefined;
}

const CLIENT = /\(\s{0,8}["'`]([\w+/=-]{24,256})["'`]\s{0,8}[,)]/y;

/** new SomeClient("…"): a client is given its key. */
function lookForClient(text: string, at: number, word: string) {
  const match = matchAt(CLIENT, text, at + word.length);
  const value = match?.[1] ?? "";
  if (!match || !isSecretValue(value, "key", true) || !/[a-z]/.test(value) || !/[A-Z]/.test(value))
    return undefined;
  const start = at + word.length + match[0].indexOf(value);
  return findAt("secret", start, value);
}

function lookForArguments(text: string, at: number, word: string) {
  if (word === "client") return lookForClient(text, at, word);
  const call = matchAt(CALL, text, at + word.length);
  const last = call && lastLiteral(text, at + word.length + call[0].length);
  if (!last || !standsOut(last.value) || !isSecretValue(last.value, "password", true)) return undefined;
  return findAt("password", last.start, last.value);
}

export const argumentFinder: Finder = {
  name: "arguments",
  landmarks:
    "credential|auth|login|log_in|signin|sign_in|pdo|mysqli|mysql_connect|getconnection|connect|authenticate|password|passwd|client",
  look: lookForArguments,
};
