// Projects by the names that a reader knows them by.
import { describe, expect, it } from "vitest";
import type { ProjectDigest } from "../../store/index.ts";
import { projectCards } from "./projects.ts";

const digest = (project: string, folder?: string): ProjectDigest => ({
  project,
  ...(folder === undefined ? {} : { folder }),
  sessions: 1,
  observations: 1,
  lastActivityAt: "2026-01-01T00:00:00.000Z",
});

async function names(...digests: ProjectDigest[]): Promise<string[]> {
  const cards = await projectCards({ projectDigests: async () => digests }, () => false);
  return cards.map(({ name }) => name);
}

describe("projects", () => {
  it("are called by their last name where it is theirs alone", async () => {
    expect(await names(digest("shop-00000001", "/absent/shop"), digest("cli-00000002"))).toEqual([
      "shop",
      "cli",
    ]);
  });

  it("of one name are told apart by the folder above them", async () => {
    expect(
      await names(digest("cli-00000001", "/absent/work/cli"), digest("cli-00000002", "/absent/devenv/cli")),
    ).toEqual(["work/cli", "devenv/cli"]);
  });

  it("are called by their ids where nothing else tells them apart", async () => {
    const twins = [
      digest("cli-00000001", "/absent/a/work/cli"),
      digest("cli-00000002", "/absent/b/work/cli"),
    ];
    expect(await names(...twins, digest("cli-00000003"))).toEqual([
      "cli-00000001",
      "cli-00000002",
      "cli-00000003",
    ]);
  });
});
