// What a snapshot must not tell: secrets that a cut would disguise, and sentences out of what is private.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { History } from "../messages/index.ts";
import { redactText } from "../redact/index.ts";
import { memoryVault } from "../vault/index.ts";
import { saveSnapshot } from "./save.ts";

let project = "";
beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), "throughline-snapshot-"));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** In two parts, so that this file holds nothing a scanner would report. */
const token = `${"gh"}p_${"aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dE6"}`;

/** The text in every place from which something is taken: said by both, run, and failed. */
const everywhere = (text: string): History => [
  { id: "1", message: { role: "user", content: text } },
  {
    id: "2",
    message: {
      role: "assistant",
      content: [
        { type: "text", text },
        { type: "tool_use", id: "t1", name: "Bash", input: { command: `run ${text}` } },
      ],
    },
  },
  {
    id: "3",
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", is_error: true, content: `error: ${text}` }],
    },
  },
];

async function told(text: string): Promise<string> {
  const saved = await saveSnapshot({
    project,
    session: "s1",
    now: 0,
    history: everywhere(text),
    windowStart: 0,
    settings: { hours: 2, messages: 20, reference: "off", language: "en" },
    vault: memoryVault(),
    readers: [],
    redact: (one) => redactText(one).text,
    journal: path.join(project, "snapshots.jsonl"),
    key: Buffer.alloc(32, 7),
    occasion: "ev_1",
  });
  return readFileSync(saved.file, "utf8");
}

it.each(["We decided to use it: ", "You must always use this: ", "Please look at "])(
  "no part of a secret is left where a line is cut, after: %s",
  async (opening) => {
    for (let length = 215; length < 300; length += 7) {
      const text = await told(`${opening}${"x ".repeat((length - opening.length) / 2)}${token} as before`);
      expect(text).not.toContain(token.slice(0, 12));
    }
  },
);

it("no sentence is taken out of what is private", async () => {
  const text = await told(
    "<private>\nFirst of all.\nYou must never tell of the hidden words. We decided on the hidden words.\n</private> Go on",
  );
  expect(text).toContain("[redacted: private]");
  expect(text).not.toContain("hidden words");
});
