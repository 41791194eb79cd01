// A process that takes snapshots in a project, and cleans them up in between, until it is killed.
import { writeSync } from "node:fs";
import path from "node:path";
import { saveSnapshot, startSession } from "../../src/snapshot/index.ts";
import { openVault } from "../../src/vault/index.ts";
import { snapshotKillKey, snapshotWords } from "./snapshotContent.ts";

const [folder = "", writer = ""] = process.argv.slice(2);
const project = path.join(folder, "project");
const vault = openVault(path.join(folder, "vault"));
/** Where it has come to, so that a kill may follow any step and not only the last. */
const tell = (step: string): void => void writeSync(1, `${step}\n`);
const hours = 2;

for (let index = 0; ; index++) {
  const session = `${writer}-${index}`;
  tell("begin");
  const saved = await saveSnapshot({
    project,
    session,
    now: Date.now(),
    history: [{ id: "a", message: { role: "user", content: snapshotWords(session) } }],
    windowStart: 0,
    settings: { hours, messages: 20, reference: "CLAUDE.md", language: "en" },
    vault: {
      ...vault,
      put(content, origin) {
        const blob = vault.put(content, origin);
        tell("put");
        return blob;
      },
    },
    readers: [],
    redact: (text) => text,
    journal: path.join(folder, "snapshots.jsonl"),
    occasion: session,
    key: snapshotKillKey,
  });
  tell(saved.file);
  if (index % 3 !== 2) continue;
  startSession({
    project,
    session,
    source: "startup",
    now: Date.now() + 3 * 3_600_000,
    hours,
    language: "en",
    key: snapshotKillKey,
    tracked: new Set(),
    isFirstSight: () => true,
    keep: (bytes, { name }) => {
      vault.put(bytes, { session: "kept", note: name });
      tell("kept");
    },
  });
  tell("cleaned");
}
