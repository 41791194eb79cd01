// Plays a long conversation through the pipeline with a session on disk, and measures what its vault takes.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { Message } from "../../src/messages/index.ts";
import {
  memorySession,
  openSession,
  prepare,
  type Session,
  thriftySettings,
} from "../../src/pipeline/index.ts";
import { openVault, type Vault } from "../../src/vault/index.ts";
import { longConversation } from "./longConversation.ts";

interface Growth {
  readonly conversationBytes: number;
  readonly compactions: number;
  /** The sizes of all files of the vault. */
  readonly vaultBytes: number;
  /** The sizes of their contents, before compression. */
  readonly rawBytes: number;
  /** What was taken out, by handle, as it was put. */
  readonly taken: ReadonlyMap<string, string>;
}

const MODEL = "claude-opus-4-6";

/**
 * Compacts whenever `every` bytes have been added. `fresh` is how the mod does it: each compaction begins with an empty
 * ledger, since Claude Code keeps the window, and so takes out the whole conversation.
 */
export function playInto(folder: string, bytes: number, every: number, fresh = false): Growth {
  const place = { project: "p", session: "s", folder: path.join(folder, "session") };
  const vaultAt = path.join(folder, "vault");
  const taken = new Map<string, string>();
  const real = openVault(vaultAt);
  const vault: Vault = {
    ...real,
    put: (content, ...rest) => {
      const stored = real.put(content, ...rest);
      if (typeof content === "string") taken.set(stored.handle, content);
      return stored;
    },
  };
  const session: Session = { ...openSession(place, { vault: vaultAt, settings: thriftySettings }), vault };
  const messages: Message[] = [];
  let compactions = 0;
  let now = 1_700_000_000_000;
  let since = 0;
  for (const [prompt, ...rest] of longConversation(bytes)) {
    if (prompt !== undefined) messages.push(prompt);
    if (since >= every) {
      since = 0;
      now += 60_000;
      const own = fresh ? { ...memorySession("s", { settings: thriftySettings }), vault } : session;
      const { receipt } = prepare({ session: own, messages, model: MODEL, now, compact: {} });
      if (receipt.compaction !== undefined) compactions += 1;
    }
    messages.push(...rest);
    since += JSON.stringify([prompt, ...rest]).length;
  }
  const conversationBytes = Buffer.byteLength(JSON.stringify(messages));
  const { rawBytes } = openVault(vaultAt).stats();
  return { conversationBytes, compactions, vaultBytes: bytesIn(vaultAt), rawBytes, taken };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(path.join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}
