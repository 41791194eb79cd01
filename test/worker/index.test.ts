// The index of a real session: imported by a real worker from its transcript, told to the next session, kept to be read.
import { copyFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, it } from "vitest";
import { isObject, parseJson, withoutOwnContext } from "../../src/lib/index.ts";
import { captureEvent } from "../../src/spool/index.ts";
import { estimateText } from "../../src/tokens/index.ts";
import { readConversation } from "../../src/transcript/index.ts";
import { call } from "../../src/worker/index.ts";
import { bundle, workerEntry } from "./bundle.ts";
import { until, workerHome } from "./workers.ts";

const sample = path.resolve(import.meta.dirname, "../../sample/session.jsonl");
const FOLDER = "/home/dev/ferry-times";
const workers = workerHome();
let program = "";

beforeAll(async () => {
  program = await bundle(workerEntry);
});

/** Lets a worker find the sample as it finds what hooks have missed, and gives what a session is told then. */
async function toldAfterSample(locale: string): Promise<string> {
  const { items, sessionId = "" } = await readConversation(sample);
  const transcript = path.join(workers.folder, `${sessionId}.jsonl`);
  copyFileSync(sample, transcript);
  const about = { session_id: sessionId, transcript_path: transcript, cwd: FOLDER };
  const times = items.flatMap(({ at }) => at ?? []);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  workers.spoolEvent({ ...about, hook_event_name: "SessionStart", source: "startup" }, first - 1);
  workers.spoolEvent({ ...about, hook_event_name: "SessionEnd", reason: "other" }, last + 1);
  await workers.run(program, { THROUGHLINE_LOCALE: locale, TZ: "UTC" });
  await until(async () => {
    const status = await workers.status();
    const queue = isObject(status.queue) ? status.queue : {};
    const isDone = [queue.ready, queue.leased, queue.dead].every((count) => count === 0);
    return isDone && (await workers.withStore((store) => store.summaries())).items.length > 0
      ? true
      : undefined;
  }, "everything to be observed");
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
