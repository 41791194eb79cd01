// What the worker answers while it imports: how far it is, what became of it, and that it does one thing at a time.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { keptHere, promptRow, second } from "../../test/worker/kept.ts";
import type { ArchiveOutcome } from "../archive/index.ts";
import type { JsonObject } from "../lib/index.ts";
import { redactValue } from "../redact/index.ts";
import { makeImporter } from "./importer.ts";

const kept = keptHere();
const NOW = second(100_000);

/** One whose archives wait until they are let go. */
function importing(): {
  importer: ReturnType<typeof makeImporter>;
  letGo: (archived: ArchiveOutcome) => void;
} {
  let letGo: (archived: ArchiveOutcome) => void = () => undefined;
  const archived = new Promise<ArchiveOutcome>((resolve) => {
    letGo = resolve;
  });
  const importer = makeImporter({
    home: kept.home,
    store: kept.store,
    redact: (payload: JsonObject) => redactValue(payload).value,
    isExcluded: () => false,
    clock: { now: () => NOW },
    log: kept.log,
    drain: async () => undefined,
    archive: () => archived,
    onKept: () => undefined,
  });
  return { importer, letGo };
}

const transcript = (name: string) => ({
  kind: "transcript",
  file: kept.transcript(name, [promptRow(name, 1, "hi")]),
});

describe("an importer", () => {
  it("tells how far it is while it works, and what became of it once, to the next request", async () => {
    const { importer, letGo } = importing();
    const source = transcript("s1");
    expect(await importer.answer(source)).toEqual({ source: { state: "running", share: 1 }, workLeft: 0 });
    expect(importer.busy()).toBe(true);
    letGo("archived");
    const done = { state: "done", report: { kind: "transcript", session: "s1", events: { prompt: 1 } } };
    expect(await importer.answer(source)).toMatchObject({ source: done });
    expect(importer.busy()).toBe(false);
    expect(await importer.answer(source)).toMatchObject({
      source: { state: "done", report: { outcome: "unchanged" } },
    });
  });

  it("begins nothing else before it is done", async () => {
    const { importer, letGo } = importing();
    const [one, two] = [transcript("s1"), transcript("s2")];
    await importer.answer(one);
    expect(await importer.answer(two)).toMatchObject({ source: { state: "running", share: 0 } });
    expect(await kept.store.session("s2")).toBeUndefined();
    letGo("archived");
    expect(await importer.answer(two)).toMatchObject({
      source: { state: "done", report: { session: "s2" } },
    });
    // A command that asked for the first one and was killed has lost nothing.
    expect(await kept.store.session("s1")).toBeDefined();
  });

  it("says of a file that cannot be read why, and what to do", async () => {
    const { importer } = importing();
    const file = path.join(kept.folder, "none.jsonl");
    expect(await importer.answer({ kind: "transcript", file })).toMatchObject({
      source: { state: "failed", problem: `${file} does not exist.`, fix: expect.stringContaining("path") },
    });
    expect(await importer.answer({ kind: "claude-mem", file })).toMatchObject({
      source: { state: "failed" },
    });
    await expect(importer.answer({ kind: "diary", file })).rejects.toMatchObject({ code: "usage" });
  });

  it("tells how much is left to observe to a request for nothing else", async () => {
    await kept.store.completeJobs({
      ids: [],
      worker: "test",
      jobs: [
        { kind: "observe", key: "a" },
        { kind: "summarize", key: "b" },
        { kind: "refine", key: "c" },
        { kind: "observe", key: "later", notBefore: NOW + 1 },
      ],
    });
    expect(await importing().importer.answer({})).toEqual({ workLeft: 2 });
  });

  it("leaves what it has in hand when the worker leaves", async () => {
    const { importer, letGo } = importing();
    const rows = Array.from({ length: 5_000 }, (_, at) => promptRow("s1", at, `number ${at}`));
    const source = { kind: "transcript", file: kept.transcript("s1", rows) };
    const asked = importer.answer(source);
    await importer.stop();
    letGo("archived");
    await expect(asked).rejects.toMatchObject({ code: "worker-absent" });
    expect(await kept.store.sourceState(source.file)).toBeUndefined();
  });
});
