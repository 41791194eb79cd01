// A real worker names, at the first start of a session, what of the project's file is ignored, and says it once.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { call } from "../../src/ipc/index.ts";
import { isObject, parseJson } from "../../src/lib/index.ts";
import { builtWorker } from "../worker/bundle.ts";
import { captured } from "../worker/kept.ts";
import { workerHome } from "../worker/workers.ts";

const place = workerHome();

/** What the person sees when a session starts in the project. */
async function shownAtStart(project: string, session: string): Promise<unknown> {
  const payload = { hook_event_name: "SessionStart", session_id: session, cwd: project, source: "startup" };
  const args = { event: captured(payload, Date.now()), project };
  const said = await call(place.socket, "answer", { args, timeoutMs: 20_000 });
  const stdout = isObject(said) ? parseJson(String(said.stdout)) : undefined;
  return isObject(stdout) ? stdout.systemMessage : undefined;
}

it("a session is told once which keys of the project's file are ignored, and the command", async () => {
  const project = path.join(place.folder, "project");
  mkdirSync(path.join(project, ".throughline"), { recursive: true });
  writeFileSync(path.join(project, ".throughline", "config.jsonc"), '{"snapshot": {"hours": 1000000}}');
  await place.run(builtWorker);
  expect(await shownAtStart(project, "s1")).toBe(
    "Throughline: .throughline/config.jsonc of this project: ignored until you trust it: snapshot.hours; `throughline config trust` shows the file and trusts it",
  );
  expect(await shownAtStart(project, "s2")).toBeUndefined();
});
