// The extract of a session: a new process that has it sends what one sends that reads everything anew.
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { conversation } from "../../test/longSession/conversation.ts";
import type { Block, Message } from "../messages/index.ts";
import { openSession, type PolicyName, pin, prepare, type Session, settingsFor } from "./index.ts";

const MODEL = "claude-opus-4-6";
const models = { [MODEL]: { window: 40_000 } };
const START = Date.UTC(2026, 0, 5);

const openIn = (folder: string, policy: PolicyName): Session =>
  openSession(
    { project: "p", session: "s", folder: path.join(folder, "session") },
    { vault: path.join(folder, "vault"), settings: settingsFor(policy), models },
  );
const request = (session: Session, messages: readonly Message[]) =>
  prepare({ session, messages, model: MODEL, now: START + messages.length * 400_000 });

/** Sends every request of a conversation. The messages of the last one, parsed anew, and what was sent for them. */
function run(folder: string, policy: PolicyName) {
  const session = openIn(folder, policy);
  const messages: Message[] = [];
  let [sent, end]: [readonly Message[], number] = [[], 0];
  for (const message of conversation({ turns: 110, thinking: true, seed: 3 })) {
    messages.push(message);
    if (message.role !== "user") continue;
    ({ messages: sent } = request(session, messages));
    end = messages.length;
  }
  const text = JSON.stringify(messages.slice(0, end));
  return { parsed: () => JSON.parse(text) as Message[], sent: JSON.stringify(sent) };
}

/** One letter of the text is another. */
function changedBlock(block: Block): Block {
  const { text, content } = block;
  if (typeof content === "string") return { ...block, content: content.replace(/[a-z]/, "#") };
  return typeof text === "string" ? { ...block, text: text.replace(/[a-z]/, "#") } : block;
}

function changed(message: Message): Message {
  const { content } = message;
  if (typeof content === "string") return { ...message, content: content.replace("Part", "part") };
  return { ...message, content: content.map(changedBlock) };
}

describe.each(["thrifty", "seed"] as const)("the extract under %s", (policy) => {
  let [ran, folder, extract] = ["", "", ""];
  let made: ReturnType<typeof run>;
  beforeAll(() => {
    ran = mkdtempSync(path.join(tmpdir(), "throughline-extract-"));
    made = run(ran, policy);
  });
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "throughline-extract-"));
    cpSync(ran, folder, { recursive: true });
    extract = path.join(folder, "session", "extract.json");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  afterAll(() => rmSync(ran, { recursive: true, force: true }));

  /** The first request of a new process. */
  const resumed = (messages = made.parsed()) => {
    const { messages: sent, items, receipt } = request(openIn(folder, policy), messages);
    return { sent: JSON.stringify(sent), ids: items.map(({ id }) => id), tokens: receipt.tokens };
  };

  it("lets a new process send the same bytes with it, without it and with a damaged one", () => {
    const saved = readFileSync(extract);
    expect(statSync(extract).mode & 0o777).toBe(0o600);
    const known = resumed();
    expect(known.sent).toBe(made.sent);
    rmSync(extract);
    expect(resumed()).toEqual(known);
    for (const at of [70, saved.length >> 1]) {
      const damaged = Buffer.from(saved);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(extract, damaged);
      expect(resumed()).toEqual(known);
    }
    writeFileSync(extract, saved.subarray(0, saved.length >> 1));
    expect(resumed()).toEqual(known);
  });

  it("is not believed for a conversation that was changed", () => {
    const saved = readFileSync(extract);
    const { length } = made.parsed();
    for (const at of [0, 10, length - 9]) {
      const messages = () =>
        made.parsed().map((message, index) => (index === at ? changed(message) : message));
      writeFileSync(extract, saved);
      const withIt = resumed(messages());
      rmSync(extract);
      expect(withIt).toEqual(resumed(messages()));
      expect(withIt.ids).not.toEqual(resumed().ids);
    }
  });

  it("lets a new process compact to the same bytes with what was read, without it and with a damaged one", () => {
    const kept = path.join(folder, "session", "reading.bin");
    const saved = readFileSync(kept);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    /** What is sent up to the first compaction of a new process. */
    const compacted = () => {
      const fresh = mkdtempSync(path.join(tmpdir(), "throughline-extract-"));
      cpSync(folder, fresh, { recursive: true });
      const [session, messages] = [openIn(fresh, policy), made.parsed()];
      const sent: string[] = [];
      for (const message of conversation({ turns: 60, thinking: true, seed: 4 })) {
        messages.push(message);
        if (message.role !== "user" || sent.includes("compacted")) continue;
        const prepared = request(session, messages);
        sent.push(JSON.stringify(prepared.messages), prepared.receipt.compaction ? "compacted" : "");
      }
      rmSync(fresh, { recursive: true, force: true });
      expect(sent.at(-1)).toBe("compacted");
      return sent.join("\n").replaceAll(/e_[0-9a-z]{19}/g, "entry");
    };
    const known = compacted();
    for (const damaged of [
      saved.subarray(0, saved.length >> 1),
      Buffer.concat([saved, saved]),
      Buffer.alloc(0),
    ]) {
      writeFileSync(kept, damaged);
      expect(compacted()).toBe(known);
    }
    rmSync(kept);
    expect(compacted()).toBe(known);
  });

  it("is only of the entries that it was made with: a later pin counts", () => {
    const saved = readFileSync(extract);
    const session = openIn(folder, policy);
    const { items } = request(session, made.parsed());
    pin(session, [items.findLast(({ id }) => id.startsWith("m_"))?.id ?? ""]);
    writeFileSync(extract, saved);
    const withIt = resumed();
    rmSync(extract);
    expect(withIt).toEqual(resumed());
  });
});
