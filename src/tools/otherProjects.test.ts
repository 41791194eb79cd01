// What is said of other projects where the asked one has nothing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openStore, type Store } from "../store/index.ts";
import { makeFinder } from "./finder.ts";

let folder = "";
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-others-"));
  store = await openStore({ file: path.join(folder, "throughline.db") });
  for (const [minute, project] of ["ferry-0ef22dc7", "quay-1ab3c4d5"].entries()) {
    const row = { session: project, project, at: `2026-11-16T09:0${minute}:00.000Z` };
    await store.recordEvents([
      {
        ...row,
        v: 1,
        id: project,
        kind: "prompt",
        lane: "hooks",
        writer: "test",
        cwd: "/",
        payload: { prompt: "go" },
      },
    ]);
    await store.addObservations([
      { ...row, promptNumber: 1, type: "change", title: `Painted the ${project.slice(0, 4)}` },
    ]);
  }
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const notes = async (request: object): Promise<readonly string[]> =>
  (await makeFinder({ store }).search(request)).notes;

it("names them in a line each, and how many hits they have", async () => {
  const [looked, ...lines] = await notes({ query: "quay", projects: ["ferry-0ef22dc7"] });
  expect(looked).toMatch(/Other projects have 1; search everywhere/);
  expect(lines).toEqual([
    expect.stringMatching(/^quay: 1 observations, 1 sessions; last Nov 16: Painted the quay$/),
  ]);
});

it("says nothing of them where something is found, or nothing is asked", async () => {
  expect(await notes({ query: "ferr", projects: ["ferry-0ef22dc7"], typed: true })).toEqual([]);
  expect(await notes({ query: "painted", projects: ["ferry-0ef22dc7"] })).toEqual([]);
  expect(await notes({ query: "", projects: ["tide-00000000"] })).toEqual([]);
});
