// A process that prepares every request of one conversation, together with others that do the same for the same session.
import { writeSync } from "node:fs";
import path from "node:path";
import { resolveHome, sessionPlace, vaultFolder } from "../../src/home/index.ts";
import type { Message } from "../../src/messages/index.ts";
import { openSession, prepare, seedSettings } from "../../src/pipeline/index.ts";

const [folder = "", startAt = "0", steps = "0"] = process.argv.slice(2);
const home = resolveHome({
  env: { THROUGHLINE_HOME: folder },
  platform: process.platform,
  homeFolder: path.dirname(folder),
});
const session = openSession(sessionPlace(home, "project", "shared"), {
  vault: vaultFolder(home),
  settings: seedSettings,
});

const messages: Message[] = [{ role: "user", content: "read them all" }];
while (Date.now() < Number(startAt));
for (let step = 0; step < Number(steps); step++) {
  const id = `toolu_${step}`;
  messages.push(
    {
      role: "assistant",
      content: [{ type: "tool_use", id, name: "Bash", input: { command: `cat ${step}` } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: `line ${step}\n`.repeat(20_000) }],
    },
  );
  prepare({ session, messages, model: "claude-opus-4-6" });
  writeSync(1, `${step}\n`);
}
