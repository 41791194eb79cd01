// The hooks' page says what the code does, and the bundles are as small as it promises.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hookEntries, kindOf } from "../src/hooks/index.ts";
import { capturedHooks } from "../src/spool/index.ts";
import { markdownTable, withGenerated } from "./generated.ts";

const root = path.resolve(import.meta.dirname, "..");
const bundles = path.join(root, "dist", "hooks");

describe("docs/hooks.md", () => {
  it("has every event as the code has it", async () => {
    const table = markdownTable(
      ["event", "kind", "bundle", "fields", "the same when seen again by"],
      hookEntries.map((entry) => [
        entry.hook,
        `\`${kindOf(entry)}\``,
        `\`${entry.bundle}\``,
        entry.fields.map((field) => `\`${field}\``).join(" "),
        entry.sameness,
      ]),
    );
    const page = path.join(root, "docs/hooks.md");
    const current = withGenerated(readFileSync(page, "utf8"), "events", table);
    await expect(current).toMatchFileSnapshot(page);
  });
});

describe("the hooks", () => {
  it("are there for every event that is captured", () => {
    expect(hookEntries.map(({ hook }) => hook).sort()).toEqual(Object.keys(capturedHooks).sort());
  });

  it("are the bundles that are built, each at most 20 KB", () => {
    // Beside those that the agent runs, what they load when no worker answers.
    const wanted = [...new Set(hookEntries.map(({ bundle }) => `${bundle}.cjs`)), "alone.cjs"].sort();
    expect(readdirSync(bundles).sort()).toEqual(wanted);
    for (const name of wanted) expect(statSync(path.join(bundles, name)).size).toBeLessThanOrEqual(20 * 1024);
  });

  it("reach nothing but files, paths, the socket and a process to start", () => {
    const allowed = ["node:child_process", "node:fs", "node:net", "node:os", "node:path"];
    for (const name of readdirSync(bundles)) {
      const reached = [...readFileSync(path.join(bundles, name), "utf8").matchAll(/require\("([^"]+)"\)/g)];
      expect(reached.map(([, module]) => module).filter((module) => !allowed.includes(module ?? ""))).toEqual(
        [],
      );
    }
  });
});
