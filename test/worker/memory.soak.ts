// A hundred thousand events through one worker: all kept and observed, in little memory, which is given back.
import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { call } from "../../src/ipc/index.ts";
import { ensureFolder, isObject } from "../../src/lib/index.ts";
import { builtWorker as worker } from "./bundle.ts";
import { captured } from "./kept.ts";
import { toolPayload } from "./payloads.ts";
import { until, workerHome } from "./workers.ts";

const EVENTS = 100_000;
/** Twenty quiet seconds, and the next look around. */
const REST = 30_000;
const MEGABYTE = 1024 * 1024;

const place = workerHome();

/** Without the sync of a real hook: a hundred thousand of them would only test the disk. */
function spoolQuickly(at: number): void {
  const stdout = Array.from(
    { length: 40 },
    (_, line) => `${line}\texport const value${line} = compute(${at});`,
  ).join("\n");
  const event = captured(
    toolPayload(`s${at % 50}`, at, { tool_response: { stdout, stderr: "" } }),
    Date.now(),
  );
  const temporary = path.join(place.spool, `.${event.id}.tmp`);
  writeFileSync(temporary, JSON.stringify(event), { mode: 0o600 });
  renameSync(temporary, path.join(place.spool, `${Date.now().toString(36)}-${event.id}.json`));
}

const rss = async (): Promise<number> => Number((await place.status()).rss);

async function waiting(): Promise<number> {
  const { queue } = await place.status();
  return isObject(queue) ? Number(queue.ready) + Number(queue.delayed) + Number(queue.leased) : Number.NaN;
}

it("100,000 events are kept; the worker has at most 90 MB before, and 150 MB 30 seconds later", async () => {
  ensureFolder(place.spool);
  await place.run(worker);
  await sleep(REST);
  const atRest = await rss();
  for (let at = 0; at < EVENTS; at++) {
    spoolQuickly(at);
    if (at % 5_000 === 4_999)
      await until(
        async () => (Number((await place.status()).added) > at - 5_000 ? true : undefined),
        "the worker",
      );
  }
  await until(async () => ((await place.status()).added === EVENTS ? true : undefined), "the last event");
  await call(place.socket, "drain");
  const rightAfter = await rss();
  await sleep(30_000);
  const later = await rss();
  await until(async () => (await waiting()) === 0, "the queue to be empty", {
    withinMs: Number.POSITIVE_INFINITY,
    everyMs: 1_000,
  });
  await sleep(REST);
  const again = await rss();
  console.log(
    JSON.stringify({ atRest, rightAfter, later, again }, (_, value) =>
      typeof value === "number" ? Math.round(value / MEGABYTE) : value,
    ),
  );
  expect(atRest).toBeLessThanOrEqual(90 * MEGABYTE);
  expect(later).toBeLessThanOrEqual(150 * MEGABYTE);
});
