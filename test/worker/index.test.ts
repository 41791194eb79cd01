// The index of a real session: imported by a real worker from its transcript, told to the next session, kept to be read.
import { copyFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { call } from "../../src/ipc/index.ts";
import { isObject, parseJson, withoutOwnContext } from "../../src/lib/index.ts";
import { captureEvent } from "../../src/spool/index.ts";
import { estimateText } from "../../src/tokens/index.ts";
import { readConversation } from "../../src/transcript/index.ts";
import { builtWorker as program } from "./bundle.ts";
import { until, workerHome } from "./workers.ts";

const sample = path.resolve(import.meta.dirname, "../../sample/session.jsonl");
const FOLDER = "/home/dev/ferry-times";
const workers = workerHome();
/** Has a worker import the sample, and gives what the next session is told. */
async function toldAfterSample(locale: string): Promise<string> {
  const { sessionId = "" } = await readConversation(sample);
  const transcript = path.join(workers.folder, `${sessionId}.jsonl`);
  copyFileSync(sample, transcript);
  await workers.run(program, { THROUGHLINE_LOCALE: locale, TZ: "UTC" });
  const source = { kind: "transcript", file: transcript };
  await until(async () => {
    const answer = await call(workers.socket, "import", { args: source, timeoutMs: 20_000 });
    const state = isObject(answer) && isObject(answer.source) ? answer.source.state : undefined;
    return state === "done" && isObject(answer) && answer.workLeft === 0 ? true : undefined;
  }, "everything to be imported and observed");
  const payload = { hook_event_name: "SessionStart", source: "startup", session_id: "next", cwd: FOLDER };
  const event = captureEvent(payload, { lane: "hooks", writer: "test", now: Date.now() });
  const answer = await call(workers.socket, "answer", { args: { event, project: FOLDER } });
  const printed = isObject(answer) ? parseJson(String(answer.stdout)) : undefined;
  const output = isObject(printed) ? printed.hookSpecificOutput : undefined;
  return isObject(output) ? String(output.additionalContext) : "";
}

it.each(["en", "zh"])("is what a person would want to read (%s)", async (locale) => {
  const text = await toldAfterSample(locale);
  expect(withoutOwnContext(text)).toBe("");
  expect(text.length).toBeLessThanOrEqual(10_000);
  expect(estimateText(text, "new")).toBeLessThanOrEqual(1_000);
  const nonce = /nonce="([0-9a-f]{8})"/.exec(text)?.[1] ?? "";
  const stable = text.replaceAll(nonce, "00000000").replace(/\d+ days old|\d+ 天前/, "…");
  await expect(`${stable}\n`).toMatchFileSnapshot(`../fixtures/inject/sample-index.${locale}.md`);
});
