// A long conversation is recognised by the outline of its beginning; its texts are looked at request by request.
import { expect, it } from "vitest";
import type { HistoryItem, Message } from "../messages/index.ts";
import { HistoryExtracts } from "./historyExtract.ts";

const MESSAGES = 64 * 80;
const SHOWN_FROM = MESSAGES - 100;

const conversation = (): Message[] =>
  Array.from({ length: MESSAGES }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: [{ type: "text", text: `message ${at}` }],
  }));

const itemsOf = (messages: readonly Message[]): HistoryItem[] =>
  messages.map((message, at) => ({ id: `m_${at}`, message }));

/** Another process that starts with what was saved for `conversation()`. */
function restarted() {
  let saved = "";
  const store = {
    load: () => saved,
    save(text: string) {
      saved = text;
    },
  };
  const items = Array.from({ length: 100 }, (_, at) => SHOWN_FROM + at);
  const shown = { items, reached: MESSAGES, pinned: [], params: { body: {}, betas: [] }, skipped: [] };
  const window = { entries: 0, lastEntry: "", ...shown };
  new HistoryExtracts(store).save(itemsOf(conversation()), { tokenizer: "t", tokens: [1], kept: 0, window });
  return new HistoryExtracts(store);
}

/** As the first request of a process does. */
function start(extracts: HistoryExtracts, messages: readonly Message[]) {
  const known = extracts.recognise(messages, undefined);
  extracts.startWith(itemsOf(messages).slice(0, known.length));
  return known.length;
}

/** The same conversation, in which one letter of a message is another. */
const changedAt = (at: number): Message[] =>
  conversation().map((message, index) =>
    index === at ? { ...message, content: [{ type: "text", text: `massage ${at}` }] } : message,
  );

it("is recognised whole, and stays so when every text was looked at", () => {
  const extracts = restarted();
  expect(start(extracts, conversation())).toBe(MESSAGES);
  for (let request = 0; request < 10; request++) expect(extracts.verifyOn(conversation())).toBe(MESSAGES);
  expect(extracts.isVerified()).toBe(true);
});

it.each([
  ["in the window", MESSAGES - 5],
  ["in what is looked at first", 70],
])("is recognised only up to the block with a change %s", (_where, at) => {
  expect(start(restarted(), changedAt(at))).toBe(Math.floor(at / 64) * 64);
});

it("is taken back from the block on whose text turns out to be another", () => {
  const [extracts, at] = [restarted(), 64 * 70 + 3];
  const messages = changedAt(at);
  expect(start(extracts, messages)).toBe(MESSAGES);
  const known = Array.from({ length: 6 }, () => extracts.verifyOn(messages));
  expect(known.filter((count) => count < MESSAGES)).toEqual([64 * 70]);
});

it("is known to be another before what was read of it is used, and says so at the next request", () => {
  const extracts = restarted();
  const messages = changedAt(64 * 76);
  start(extracts, messages);
  expect(extracts.isVerified()).toBe(false);
  expect(extracts.verifyOn(messages)).toBe(64 * 76);
});

it("is another conversation when a text in it has another length", () => {
  const messages = conversation().map((message, index) =>
    index === 64 * 60 ? { ...message, content: [{ type: "text", text: "other words" }] } : message,
  );
  expect(start(restarted(), messages)).toBe(64 * 60);
});
