// One repository has one name on every machine, whatever its folder is called.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { projectOf } from "../home/index.ts";
import { sha256 } from "../lib/index.ts";
import { type ChangeFrom, openStore, type RedactedEvent } from "../store/index.ts";
import { identityOfAddress, identityOfFolder, presentFolders, projectNames } from "./projects.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-projects-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function clone(name: string, address?: string): string {
  const root = path.join(folder, name);
  mkdirSync(path.join(root, ".git"), { recursive: true });
  writeFileSync(path.join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
  const remote = address === undefined ? "" : `[remote "origin"]\n\turl = ${address}\n\tfetch = x\n`;
  writeFileSync(path.join(root, ".git", "config"), `[core]\n\tbare = false\n${remote}[branch "main"]\n`);
  return root;
}

describe("the address of a repository", () => {
  it("has one name in every notation", () => {
    const names = [
      "git@example.org:birds/herons.git",
      "ssh://git@example.org/birds/herons",
      "ssh://git@Example.org:22/birds/herons.git",
      "https://user@example.org/birds/herons.git/",
      "https://example.org/birds/herons",
    ].map(identityOfAddress);
    expect(new Set(names).size).toBe(1);
    expect(names[0]).toMatch(/^herons-[0-9a-f]{12}$/);
    expect(identityOfAddress("https://example.org/birds/egrets")).not.toBe(names[0]);
  });

  it("is not taken from a folder, nor where there is none", () => {
    expect(identityOfFolder(clone("a"))).toBeUndefined();
    expect(identityOfFolder(clone("b", "/srv/herons.git"))).toBeUndefined();
    expect(identityOfFolder(folder)).toBeUndefined();
    expect(identityOfFolder(clone("c", "https://example.org/birds/herons"))).toMatch(/^herons-/);
  });
});

it("gives changes the common name on their way out and the local id on their way in, marks of what was forgotten too", async () => {
  const root = clone("my-herons", "https://example.org/birds/herons");
  const project = projectOf(root).id;
  const store = await openStore({ file: path.join(folder, "store.db") });
  const row: RedactedEvent = {
    ...{ v: 1, id: "ev_1", kind: "prompt", at: "2026-11-16T09:00:00Z", session: "s1", project, cwd: root },
    ...{ lane: "hooks", writer: "1", payload: { prompt: "x" } },
  };
  await store.recordEvents([row]);
  const names = await projectNames(store);
  const common = names.outgoingName(project);
  expect(common).toBe(identityOfAddress("https://example.org/birds/herons"));
  expect(names.arrived).toEqual([common]);
  const local: ChangeFrom[] = [
    { kind: "event", row },
    { kind: "forgotten", mark: { projectHash: sha256(project), to: 1 } },
  ];
  const sent = names.outgoing(local);
  expect(sent).toMatchObject([{ row: { project: common } }, { mark: { projectHash: sha256(common) } }]);
  expect(names.incoming(sent)).toEqual(local);
  expect((await projectNames(store)).arrived).toEqual([]);
  await store.close();
});

it("is found in its own folder, though another machine worked on it later in another one", async () => {
  const root = clone("herons", "git@example.org:birds/herons.git");
  const project = projectOf(root).id;
  const store = await openStore({ file: path.join(folder, "throughline.db") });
  const row = (id: string, at: string, cwd: string): RedactedEvent => ({
    ...{ v: 1, id, kind: "prompt", at, session: id, cwd, project, lane: "hooks", writer: "test" },
    payload: { prompt: "hello" },
  });
  await store.recordEvents([row("own", "2026-03-01T09:00:00.000Z", root)]);
  const elsewhere = row("other", "2026-03-02T09:00:00.000Z", "/home/ada/elsewhere");
  await store.receive({ machine: "server", changes: [{ kind: "event", row: elsewhere }] });
  expect(await presentFolders(store)).toEqual([{ project, folder: root }]);
  await store.close();
});
