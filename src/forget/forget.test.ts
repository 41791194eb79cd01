// Forgetting: everything of the scope goes, from everywhere, nothing else does, and nothing brings it back.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { captured, keptHere, promptRow, second } from "../../test/worker/kept.ts";
import {
  databaseFile,
  ledgerFile,
  liveFolder,
  projectOf,
  sessionPlace,
  spoolFolder,
  vaultFolder,
} from "../home/index.ts";
import { keepMessages } from "../intake/ingest.ts";
import { makeReconciler } from "../intake/transcripts/reconcile.ts";
import { openMarks } from "../intake/transcripts/transcriptMarks.ts";
import { ensureFolder, type JsonObject, writeFileAtomic } from "../lib/index.ts";
import { writeEvent } from "../spool/index.ts";
import { openVault } from "../vault/index.ts";
import { type Belongings, type ForgetParts, forgetEverywhere, previewForget } from "./forget.ts";

const kept = keptHere();
const clock = { now: () => second(1_000) };

const prompt = (session: string, at: number, cwd: string): JsonObject => ({
  hook_event_name: "UserPromptSubmit",
  session_id: session,
  cwd,
  prompt_id: `p${at}`,
  prompt: `the words of ${session} at ${at}`,
  transcript_path: path.join(kept.folder, "transcripts", `${session}.jsonl`),
});

function parts(): ForgetParts {
  const { home, store } = kept;
  return {
    home,
    store,
    vault: openVault(vaultFolder(home)),
    marks: openMarks(home, clock.now()),
    now: clock.now(),
  };
}

const countOf = ({ rows, vault, folders, spooled, archives }: Belongings): number => {
  const inRows = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return inRows + vault.blobs + folders.length + spooled + archives.length;
};

/** The folders of two projects. */
const work = (name: string): string => path.join(kept.folder, "work", name);

beforeEach(async () => {
  for (const name of ["one", "two"]) ensureFolder(work(name));
  await kept.ingest.keep([
    captured(prompt("alpha", 1, work("one")), second(1)),
    captured(prompt("beta", 2, work("one")), second(20)),
    captured(prompt("gamma", 3, work("two")), second(40)),
  ]);
  const vault = openVault(vaultFolder(kept.home));
  for (const session of ["alpha", "beta", "gamma"]) vault.put(`bytes of ${session}`, { session });
  vault.put("bytes of two", { session: "alpha" });
  vault.put("bytes of two", { session: "beta" });
  writeFileAtomic(ledgerFile(sessionPlace(kept.home, projectOf(work("one")).id, "alpha")), "{}\n");
  writeEvent(spoolFolder(kept.home), captured(prompt("alpha", 9, work("one")), second(9)));
  writeEvent(spoolFolder(kept.home), captured(prompt("gamma", 8, work("two")), second(41)));
});

describe("forgetting", () => {
  it("shows first, and deletes nothing by that", async () => {
    const { scope, found, left } = await previewForget(parts(), { session: "alp" });
    expect(scope).toEqual({ session: "alpha" });
    expect(found).toMatchObject({
      rows: { sessions: 1, events: 1, prompts: 1 },
      vault: { blobs: 1 },
      folders: [expect.stringContaining("alpha")],
      spooled: 1,
    });
    expect(left).toBeUndefined();
    expect((await kept.events()).length).toBe(3);
  });

  it("takes a session out of everything, and looks again", async () => {
    const { left } = await forgetEverywhere(parts(), { session: "alpha" });
    expect(left && countOf(left)).toBe(0);
    expect((await kept.events()).map(({ session }) => session)).toEqual(["beta", "gamma"]);
    expect(
      openVault(vaultFolder(kept.home))
        .sessions()
        .map(({ session }) => session)
        .sort(),
    ).toEqual(["beta", "gamma"]);
    expect(existsSync(sessionPlace(kept.home, projectOf(work("one")).id, "alpha").folder)).toBe(false);
    for (const file of [databaseFile(kept.home), `${databaseFile(kept.home)}-wal`]) {
      if (existsSync(file)) expect(readFileSync(file).includes("the words of alpha")).toBe(false);
    }
  });

  it("takes the edits of a session's requests, and those of its subagents", async () => {
    const names = ["alpha.jsonl", "alpha.agent-1.jsonl", "beta.jsonl"];
    for (const name of names) writeFileAtomic(path.join(liveFolder(kept.home), name), "{}\n");
    await forgetEverywhere(parts(), { session: "alpha" });
    expect(names.filter((name) => existsSync(path.join(liveFolder(kept.home), name)))).toEqual([
      "beta.jsonl",
    ]);
  });

  it("takes a project, by its folder or its name, and leaves the others", async () => {
    expect((await previewForget(parts(), { project: "one" })).scope).toEqual({
      project: projectOf(work("one")).id,
    });
    const { left } = await forgetEverywhere(parts(), { project: work("one") });
    expect(left && countOf(left)).toBe(0);
    expect((await kept.events()).map(({ session }) => session)).toEqual(["gamma"]);
  });

  it("takes a time, with the sessions that lie in it as a whole", async () => {
    const scope = { from: new Date(second(15)).toISOString(), to: new Date(second(30)).toISOString() };
    const { found, left } = await forgetEverywhere(parts(), scope);
    expect(found).toMatchObject({ rows: { events: 1 }, vault: { blobs: 1 }, spooled: 0 });
    expect(left && countOf(left)).toBe(0);
    expect((await kept.events()).map(({ session }) => session)).toEqual(["alpha", "gamma"]);
  });

  it("finds nothing of what it does not know", async () => {
    expect(countOf((await previewForget(parts(), { session: "omega" })).found)).toBe(0);
  });

  it("is not undone by the agent's own transcript", async () => {
    const file = kept.transcript("alpha", [promptRow("alpha", 1, "said before")]);
    const given = parts();
    const { store, ingest, log } = kept;
    const reconciler = makeReconciler({
      store,
      ingest,
      keepMessages: (session, messages) =>
        keepMessages({ store, redact: (payload) => payload, isExcluded: () => false }, session, messages),
      marks: given.marks,
      pauses: () => [],
      isExcluded: () => false,
      clock,
      log,
      lifecycle: { announce: async () => undefined },
    });
    await reconciler.run(file, "alpha");
    await forgetEverywhere(given, { session: "alpha" });
    expect(await reconciler.run(file, "alpha")).toBe(0);
    expect(await reconciler.runAll()).toEqual({ added: 0, complete: true });
    expect(readFileSync(path.join(kept.home.state, "transcripts.json"), "utf8")).not.toContain("alpha");
    const later = new Date(Date.now() + 60_000).toISOString();
    kept.transcript("alpha", [{ ...promptRow("alpha", 50, "said afterwards"), timestamp: later }]);
    expect(await reconciler.run(file, "alpha")).toBe(1);
  });
});
