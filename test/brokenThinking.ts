// Compares two consecutive requests: thinking that was kept although something before it changed is refused by the API.
import { blocksOf, isThinking, type Message, messageDigest } from "../src/messages/index.ts";

/** The seals that bind a message's thinking to everything before it. */
const sealsOf = (message: Message) =>
  blocksOf(message)
    .filter(isThinking)
    .map(({ signature, data }) => String(signature ?? data ?? ""));

/**
 * Compares two consecutive requests of one session. Gives the index in `next` of the first message whose
 * thinking was already in `previous` although something before it differs now, or undefined when there is none.
 * Appending, and dropping thinking, are not differences.
 */
export function firstBrokenThinking(previous: readonly Message[], next: readonly Message[]) {
  const differs = next.findIndex((message, at) => {
    const before = previous[at];
    return (
      before === undefined ||
      (before !== message &&
        messageDigest(before) !== messageDigest(message) &&
        digestWithoutThinking(before) !== digestWithoutThinking(message))
    );
  });
  const same = differs < 0 ? next.length : differs;
  const seals = new Set(previous.slice(same).flatMap(sealsOf));
  const broken = next.findIndex(
    (message, at) => at >= same && sealsOf(message).some((seal) => seals.has(seal)),
  );
  return broken < 0 ? undefined : broken;
}

function digestWithoutThinking(message: Message) {
  return messageDigest({ ...message, content: blocksOf(message).filter((block) => !isThinking(block)) });
}
