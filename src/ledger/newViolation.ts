// Whether a splice breaks a rule of the API: only what it changes and its neighbours are looked at.
import { check, contentLength, type History, type Message, requestLimits } from "../messages/index.ts";

/** Whole runs of one role on either side of a change: what stands farther away is judged alike with and without it. */
const NEIGHBOURS = 3;

/** The first rule that is broken more often after than before. */
export function newViolation(before: History, after: History) {
  const isFine = !needsWhole(before, after) && firstNew(...changedParts(before, after)) === undefined;
  return isFine ? undefined : firstNew(before, after);
}

function firstNew(before: History, after: History) {
  const had = violationCounts(before);
  for (const [code, count] of violationCounts(after)) if (count > (had.get(code) ?? 0)) return code;
  return undefined;
}

function violationCounts(items: History) {
  const counts = new Map<string, number>();
  for (const { code } of check(items.map(({ message }) => message)))
    counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

/** Rules that count over the whole array: only messages that come in can break those. */
function needsWhole(before: History, after: History) {
  if (after.length === 0 || after.length > requestLimits.maxMessages) return true;
  const known = new Set<unknown>(before.map(({ id }) => id));
  const comes = after.filter(({ id }) => !known.has(id));
  if (comes.some(({ message }) => countsForWhole(message))) return true;
  let characters = 0;
  for (const { message } of after) characters += contentLength(message);
  return characters * 6 > requestLimits.maxBytes;
}

function countsForWhole({ content }: Message) {
  if (typeof content === "string") return false;
  return content.some(({ type, cache_control }) => type !== "text" || cache_control !== undefined);
}

/** Both arrays without what they begin and end with alike, but for some neighbours. */
function changedParts(before: History, after: History): readonly [History, History] {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start++;
  let end = 0;
  while (end < least - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const from = runsBack(before, start);
  const to = runsForward(before, before.length - end) - before.length;
  return [before.slice(from, before.length + to), after.slice(from, after.length + to)];
}

function runsBack(items: History, start: number) {
  let at = start;
  for (let runs = 0; runs < NEIGHBOURS && at > 0; runs++) {
    const role = items[at - 1]?.message.role;
    while (at > 0 && items[at - 1]?.message.role === role) at--;
  }
  return at;
}

function runsForward(items: History, end: number) {
  let at = end;
  for (let runs = 0; runs < NEIGHBOURS && at < items.length; runs++) {
    const role = items[at]?.message.role;
    while (at < items.length && items[at]?.message.role === role) at++;
  }
  return at;
}
