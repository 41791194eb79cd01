// A process that brings a session's notes up to date, step after step, until it is killed.
import { writeSync } from "node:fs";
import { readNotes, updateNotes } from "../../src/compact/index.ts";
import type { LanguageModel } from "../../src/models/index.ts";
import { messageOf, pageOf, stepOf } from "./notesPages.ts";

const [folder = ""] = process.argv.slice(2);

for (let step = stepOf(readNotes(folder)?.text) + 1; ; step++) {
  const text = `<notes>\n${pageOf(step)}\n</notes>`;
  const model: LanguageModel = {
    name: "scripted",
    dialect: "text",
    complete: () =>
      Promise.resolve({ ok: true, reply: { text, blocks: [{ type: "text", text }], model: "scripted" } }),
  };
  await updateNotes({
    folder,
    history: [{ id: messageOf(step), message: { role: "user", content: `do step ${step}` } }],
    size: { tokens: step, toolCalls: 0, compactions: 0 },
    redact: (value) => value,
    model,
  });
  writeSync(1, `${step}\n`);
}
