// Memories and the real CLI: what Throughline saves is in its first request, and what it writes is listed and linted.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld } from "./world.ts";

interface Listed {
  readonly folder: string;
  readonly isClaudes: boolean;
  readonly memories: readonly { file: string; type?: string; name: string }[];
}

describe.skipIf(!hasClaude)("the memory directory", () => {
  it("is the one that Claude Code reads and writes", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    const list = async (): Promise<Listed> =>
      JSON.parse((await throughline.must("memory", "list", "--json")).out);
    world.api.play([on(prompted("hello"), say("hello"))]);
    await world.claude({ prompt: "hello" });
    const { folder, isClaudes } = await list();
    expect(isClaudes).toBe(true);

    await throughline.must(
      ...["memory", "add", "--type", "project", "--name", "Deploy window"],
      ...[
        "--description",
        "payments deploy on Tuesdays at two",
        "--body",
        "Payments deploy on Tuesdays at two.",
      ],
    );
    const theirs =
      "---\nname: bank-holidays\ndescription: the bank books nothing on holidays\nmetadata:\n  type: reference\n---\n\nSee `src/none.ts`.\n";
    const index = path.join(folder, "MEMORY.md");
    const line = readFileSync(index, "utf8").trim();
    world.api.play([
      on(
        prompted("go on"),
        use(tool("Write", { file_path: path.join(folder, "bank-holidays.md"), content: theirs })),
        use(
          tool("Bash", {
            command: `echo '- [Bank holidays](bank-holidays.md) — nothing is booked' >> ${index}`,
          }),
        ),
        say("noted"),
      ),
    ]);
    const before = world.api.requests.length;
    await world.claude({ prompt: "go on" });
    expect(line).toBe("- [Deploy window](deploy-window.md) — payments deploy on Tuesdays at two");
    expect(JSON.stringify(world.api.requests[before]?.body)).toContain(line);

    // Claude Code adds fields of its own to what it writes there.
    const written = readFileSync(path.join(folder, "bank-holidays.md"), "utf8");
    expect((await list()).memories).toMatchObject([
      { file: "bank-holidays.md", type: "reference", name: "bank-holidays", session: expect.any(String) },
      { file: "deploy-window.md", type: "project" },
    ]);
    const { out } = await throughline.must("memory", "lint", "--json");
    const { findings } = JSON.parse(out) as { findings: { file: string; kind: string; problem: string }[] };
    expect(findings).toMatchObject([
      { file: "bank-holidays.md", kind: "stale", problem: "there is no src/none.ts" },
      { file: "bank-holidays.md", kind: "changed-outside" },
    ]);
    expect(readFileSync(path.join(folder, "bank-holidays.md"), "utf8")).toBe(written);
    expect(readFileSync(index, "utf8").trim().split("\n")).toHaveLength(2);
  });
});
