// Identities: the same for a client that resends, new only after a fork.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { identify } from "../../test/fixtures/history.ts";
import { type Message, messageDigest } from "./index.ts";

const copy = (messages: readonly Message[]): Message[] => JSON.parse(JSON.stringify(messages)) as Message[];

describe("identify", () => {
  it("gives a client that resends everything the same ids", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const again = identify(copy(history.map(({ message }) => message)));
        expect(again.map(({ id }) => id)).toEqual(history.map(({ id }) => id));
      }),
      { numRuns: 300 },
    );
  });

  it("gives a fork new ids only from the fork on", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(), (history, where) => {
        const fork = where % history.length;
        const messages = copy(history.map(({ message }) => message));
        messages[fork] = { role: "user", content: "another way" };
        const ids = identify(messages).map(({ id }) => id);
        const old = history.map(({ id }) => id);
        expect(ids.slice(0, fork)).toEqual(old.slice(0, fork));
        expect(ids.slice(fork).filter((id) => old.includes(id))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("ignores cache breakpoints, key order and whether a lone text is a string or a block", () => {
    const plain: Message = { role: "user", content: "hello" };
    const marked: Message = {
      content: [{ cache_control: { type: "ephemeral" }, text: "hello", type: "text" }],
      role: "user",
    };
    expect(messageDigest(marked)).toBe(messageDigest(plain));
  });

  it("tells messages apart that differ in anything else", () => {
    const base: Message = { role: "user", content: "hello" };
    const others: Message[] = [
      { role: "assistant", content: "hello" },
      { role: "user", content: "hello " },
      { role: "user", content: "hello", output_config: { effort: "low" } },
    ];
    for (const other of others) expect(messageDigest(other)).not.toBe(messageDigest(base));
  });

  it("notices a message whose content was replaced in place", () => {
    const message = { role: "user", content: [{ type: "text", text: "a" }] };
    const before = messageDigest(message as Message);
    message.content[0] = { type: "text", text: "b" };
    expect(messageDigest(message as Message)).not.toBe(before);
  });
});
