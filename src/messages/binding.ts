// Preserved thinking: which thinking blocks would be refused because something before them changed.
import { messageDigest } from "./identity.ts";
import { blocksOf, isThinking, type Message } from "./model.ts";

/** The seal that binds a thinking block to everything before it. */
function sealOf(block: { readonly [key: string]: unknown }) {
  return String(block.signature ?? block.data ?? "");
}

/**
 * Compares two consecutive requests of one session. Gives the index in `next` of the first message whose
 * thinking was already in `previous` although something before it differs now, or undefined when there is none.
 * Appending, and dropping thinking, are not differences.
 */
export function firstBrokenThinking(
  previous: readonly Message[],
  next: readonly Message[],
): number | undefined {
  let same = 0;
  while (same < previous.length && same < next.length) {
    const [a, b] = [previous[same], next[same]];
    if (
      !a ||
      !b ||
      (a !== b && messageDigest(a) !== messageDigest(b) && withoutThinking(a) !== withoutThinking(b))
    )
      break;
    same++;
  }
  const seals = new Set<string>();
  for (const message of previous.slice(same)) {
    for (const block of blocksOf(message)) if (isThinking(block)) seals.add(sealOf(block));
  }
  for (let at = same; at < next.length; at++) {
    const message = next[at];
    if (message && blocksOf(message).some((block) => isThinking(block) && seals.has(sealOf(block))))
      return at;
  }
  return undefined;
}

function withoutThinking(message: Message) {
  return messageDigest({ ...message, content: blocksOf(message).filter((block) => !isThinking(block)) });
}
