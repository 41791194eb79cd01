// Every way into what is kept asks the settings of the moment: nothing of an excluded folder gets through any of them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { captured, keptHere, promptRow, second } from "../../test/worker/kept.ts";
import { listArchives } from "../archive/index.ts";
import { currentExclusion, type IsExcluded, vaultFolder } from "../home/index.ts";
import { importTranscript } from "../importer/importTranscript.ts";
import { keepMessages, makeIngest } from "../intake/ingest.ts";
import { lifecycleEventOf } from "../intake/lifecycle.ts";
import { makeReconciler } from "../intake/transcripts/reconcile.ts";
import { openMarks } from "../intake/transcripts/transcriptMarks.ts";
import type { JsonObject } from "../lib/index.ts";
import { makeModsHandlers } from "../mods/handlers.ts";
import { makeArchiver } from "./jobs/archive.ts";
import { makeSnapshots } from "./jobs/snapshot.ts";

const kept = keptHere();
const clock = { now: () => second(1_000) };
const canary = "canary-4711";
const redact = (payload: JsonObject): JsonObject => payload;

function settings(text: string | object): void {
  mkdirSync(kept.home.config, { recursive: true });
  const file = path.join(kept.home.config, "config.jsonc");
  writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text));
}

const folderOf = (name: string): string => {
  const folder = path.join(kept.folder, name);
  mkdirSync(folder, { recursive: true });
  return folder;
};
const hidden = (): string => folderOf("hidden");
const open = (): string => folderOf("open");

const exclusion = (): IsExcluded => {
  settings({ capture: { exclude: [hidden()] } });
  return currentExclusion(kept.home, {});
};

const ingest = (isExcluded: IsExcluded) =>
  makeIngest({
    store: kept.store,
    redact,
    isExcluded,
    badFolder: path.join(kept.folder, "bad"),
    log: kept.log,
  });

const prompt = (cwd: string | undefined, at: number, more: JsonObject = {}) =>
  captured(
    { hook_event_name: "UserPromptSubmit", session_id: "s", prompt: `${canary} ${at}`, cwd, ...more },
    second(at),
  );

/** A session that begins in one folder and goes on in another. */
const session = (from: string, to: string): string =>
  kept.transcript("s", [
    { ...promptRow("s", 1, `${canary} 1`), type: "user", cwd: from },
    { ...promptRow("s", 2, `${canary} 2`), type: "user", cwd: to },
  ]);

const prompts = async (): Promise<unknown[]> => (await kept.events()).map(({ payload }) => payload.prompt);

describe("an event that enters the store", () => {
  it("is left out by where it happened and by where the agent was started, as the settings are now", async () => {
    const isExcluded = exclusion();
    const keep = ingest(isExcluded);
    await keep.keep([prompt(hidden(), 1), prompt(open(), 2, { project_dir: hidden() }), prompt(open(), 3)]);
    expect(await prompts()).toEqual([`${canary} 3`]);
    settings({});
    await keep.keep([prompt(hidden(), 4)]);
    settings({ capture: { exclude: [open()] } });
    await keep.keep([prompt(open(), 5)]);
    expect(await prompts()).toEqual([`${canary} 3`, `${canary} 4`]);
    const said = { uuid: "u", role: "user", at: second(6), cwd: open(), text: canary } as const;
    const parts = { store: kept.store, redact, isExcluded };
    expect(await keepMessages(parts, "s", [said])).toBe(0);
  });

  it("waits while the settings cannot be read, and a mistake elsewhere in them changes nothing", async () => {
    const keep = ingest(exclusion());
    settings("{ half");
    await expect(keep.keep([prompt(open(), 1)])).rejects.toMatchObject({ code: "config-invalid" });
    settings(`{ "no": "such key", "capture": { "exclude": ["${hidden()}"] } }`);
    await keep.keep([prompt(hidden(), 2), prompt(open(), 3)]);
    expect(await prompts()).toEqual([`${canary} 3`]);
  });

  it("is left out by the file of its own project, and by that of no other", async () => {
    mkdirSync(path.join(hidden(), ".throughline"));
    writeFileSync(path.join(hidden(), ".throughline", "config.json"), '{"capture":{"exclude":["/**"]}}');
    const keep = ingest(currentExclusion(kept.home, {}));
    await keep.keep([prompt(hidden(), 1), prompt(open(), 2)]);
    expect(await prompts()).toEqual([`${canary} 2`]);
  });

  it("is judged in a time that patterns of a repository cannot stretch", async () => {
    const deep = folderOf(Array(40).fill("a").join("/"));
    mkdirSync(path.join(deep, ".throughline"));
    const exclude = [`${"**/a/".repeat(40)}b`, `${"*a".repeat(200)}b`];
    writeFileSync(path.join(deep, ".throughline", "config.json"), JSON.stringify({ capture: { exclude } }));
    await ingest(currentExclusion(kept.home, {})).keep([prompt(deep, 1)]);
    expect(await prompts()).toEqual([`${canary} 1`]);
  });
});

describe.each([
  ["was started in an excluded folder", () => [hidden(), open()] as const, []],
  ["went into an excluded folder", () => [open(), hidden()] as const, [`${canary} 1`]],
])("a session that %s", (_, folders, expected) => {
  it("is read from its transcript as far as that is allowed", async () => {
    const isExcluded = exclusion();
    const file = session(...folders());
    const marks = openMarks(kept.home, clock.now());
    const reconciler = makeReconciler({
      ...{ store: kept.store, ingest: ingest(isExcluded), marks, isExcluded, clock, log: kept.log },
      keepMessages: (name, said) => keepMessages({ store: kept.store, redact, isExcluded }, name, said),
      pauses: () => [],
      lifecycle: { announce: async () => undefined },
    });
    await reconciler.run(file, "s");
    expect(await prompts()).toEqual(expected);
    // What was excluded then is not caught up on when it no longer is.
    settings({});
    await reconciler.run(file, "s");
    expect(await prompts()).toEqual(expected);
  });

  it("is imported and archived as far as that is allowed", async () => {
    const isExcluded = exclusion();
    const file = session(...folders());
    const archiver = makeArchiver({
      home: kept.home,
      pauses: () => [],
      isExcluded,
      marks: openMarks(kept.home, 0),
      log: kept.log,
    });
    const parts = {
      ...{ store: kept.store, redact, isExcluded, clock, log: kept.log, archive: archiver.archive },
      badFolder: path.join(kept.folder, "bad"),
      pauses: () => [],
    };
    await importTranscript(parts, file, {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    await archiver.archive({ transcript: file, session: "s" });
    await archiver.stop();
    expect(await prompts()).toEqual(expected);
    const archived = listArchives(kept.home.data).map((one) => readFileSync(one.file, "utf8"));
    expect([...new Set(archived.join("\n").match(/canary-4711 \d/g) ?? [])]).toEqual(expected);
  });

  it("has as much in its snapshot", async () => {
    const isExcluded = exclusion();
    const [from, to] = folders();
    const file = session(from, to);
    const snapshots = makeSnapshots({
      ...{
        home: kept.home,
        vaultFolder: vaultFolder(kept.home),
        readers: [],
        isExcluded,
        clock,
        log: kept.log,
      },
      settingsFor: () => ({ enabled: true, hours: 2, messages: 20, reference: "off", language: "en" }),
      redact: (text) => text,
    });
    const payload = { hook_event_name: "PreCompact", session_id: "s", transcript_path: file, cwd: from };
    const lifecycleEvent = lifecycleEventOf(captured({ ...payload, trigger: "auto" }, second(1_000)));
    if (lifecycleEvent !== undefined) await snapshots.onLifecycleEvent(lifecycleEvent);
    const written = [kept.home.data, from].flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith("throughline.db"))
        .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8")),
    );
    expect([...new Set(written.join("\n").match(/canary-4711 \d/g) ?? [])]).toEqual(expected);
  });
});

describe("the mod", () => {
  it("is declined in an excluded folder, so that neither window nor vault is touched", async () => {
    const handlers = makeModsHandlers({
      ...{ home: kept.home, env: { THROUGHLINE_LANE: "mods" }, version: "1.0.0", clock, log: kept.log },
      isExcluded: exclusion(),
      answer: async () => ({}),
      backend: {
        find: () => Promise.reject(new Error("nothing is looked for")),
        remember: () => Promise.reject(new Error("nothing is kept")),
        turns: () => Promise.reject(new Error("nothing is snipped")),
      },
    });
    const asker = { session: "s", project: hidden(), version: "2.1.325" };
    for (const op of ["hello", "event", "prompt", "result", "compact"])
      expect(await handlers.ask(op, { asker, text: canary })).toEqual({ kind: "declined", why: "excluded" });
    expect(await handlers.ask("hello", { asker: { ...asker, project: open() } })).toMatchObject({
      kind: "done",
    });
  });
});
