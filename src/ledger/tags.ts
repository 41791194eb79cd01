// Short names for user turns: `[id:xxxxxx]` behind a real user input, in the copy that is sent and nowhere else.
import { BoundedMap, sha256 } from "../lib/index.ts";
import { type Block, type HistoryItem, isText, isUserInput, type Message } from "../messages/index.ts";

const TAG_LENGTH = 6;
const knownTags = new BoundedMap<string, string>(100_000);

/** The six letters and digits that name an item: the same for the same id, always. */
export function tagOf(id: string) {
  return knownTags.remember(id, () =>
    BigInt(`0x${sha256(id).slice(0, 24)}`)
      .toString(36)
      .padStart(TAG_LENGTH, "0")
      .slice(-TAG_LENGTH),
  );
}

const taggedMessages = new WeakMap<Message, { readonly tag: string; readonly message: Message }>();

/** The item with its tag when it is a real user input, otherwise the item itself. */
export function tagInput(item: HistoryItem): HistoryItem {
  if (!isUserInput(item)) return item;
  const tag = tagOf(item.id);
  const seen = taggedMessages.get(item.message);
  if (seen?.tag === tag) return { ...item, message: seen.message };
  const message = withSuffix(item.message, `\n[id:${tag}]`);
  taggedMessages.set(item.message, { tag, message });
  return { ...item, message };
}

function withSuffix(message: Message, suffix: string): Message {
  if (typeof message.content === "string") return { ...message, content: message.content + suffix };
  const at = message.content.findLastIndex(isText);
  const target = message.content[at];
  const content: readonly Block[] =
    target && isText(target)
      ? message.content.with(at, { ...target, text: target.text + suffix })
      : [...message.content, { type: "text", text: suffix.trimStart() }];
  return { ...message, content };
}
