// The hooks' page says what the code does, and the bundles are as small as it promises.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { bundles, hookTable } from "../src/install/index.ts";
import { capturedHooks } from "../src/spool/index.ts";

const root = path.resolve(import.meta.dirname, "..");
const built = path.join(root, "dist", "hooks");

describe("docs/hooks.md", () => {
  it("has every event with its kind and its bundle, as the code has them", () => {
    const page = readFileSync(path.join(root, "docs/hooks.md"), "utf8");
    const rows = [...page.matchAll(/^\| (\w+) +\| `([\w-]+)` +\| `(\w+)` /gm)].map(([, ...cells]) => cells);
    const kinds = new Map(Object.entries(capturedHooks));
    expect(rows).toEqual(hookTable.map(({ event, bundle }) => [event, kinds.get(event), bundle]));
  });
});

describe("the hooks", () => {
  it("are the bundles that are built, each at most 26 KB", () => {
    // Beside those that the agent runs, what they load on demand.
    const wanted = [...bundles, "fallback", "snapshotFallback", "agentPayload"].map((name) => `${name}.cjs`);
    expect(readdirSync(built).sort()).toEqual(wanted.sort());
    for (const name of wanted) {
      // Only the start of a session without a worker loads the snapshot's rule.
      const most = name === "snapshotFallback.cjs" ? 32 : 26;
      expect(statSync(path.join(built, name)).size).toBeLessThanOrEqual(most * 1024);
    }
  });

  it("reach nothing but files, paths, the socket, what proves a worker and a process to start", () => {
    const allowed = ["node:child_process", "node:crypto", "node:fs", "node:net", "node:os", "node:path"];
    for (const name of readdirSync(built)) {
      const reached = [...readFileSync(path.join(built, name), "utf8").matchAll(/require\("([^"]+)"\)/g)];
      expect(reached.map(([, module]) => module).filter((module) => !allowed.includes(module ?? ""))).toEqual(
        [],
      );
    }
  });
});
