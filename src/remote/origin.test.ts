// A handle of another machine names that machine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../store/index.ts";
import { machineWith } from "./origin.ts";

it("is the machine of the session that names the handle, and never this one", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-origin-"));
  const store = await openStore({ file: path.join(folder, "throughline.db") });
  const event = (session: string, kind: string, payload: Record<string, unknown>) => ({
    ...({
      v: 1,
      id: `${session} ${kind}`,
      kind,
      at: "2026-03-02T09:00:00.000Z",
      session,
      project: "app-1",
    } as const),
    ...{ lane: "hooks", writer: "test", payload },
  });
  const recalled = { tool_name: "recall", tool_input: { handle: "tl:3f9a0c12b7de" } };
  await store.recordEvents([
    event("there", "session-start", { agent_machine: "laptop" }),
    event("there", "tool", recalled),
    event("own", "session-start", { agent_machine: "desktop" }),
    event("own", "tool", recalled),
  ]);
  expect(await machineWith(store, "tl:3f9a0c12b7de", "desktop")).toBe("laptop");
  expect(await machineWith(store, "there", "desktop")).toBe("laptop");
  expect(await machineWith(store, "own", "desktop")).toBeUndefined();
  expect(await machineWith(store, "tl:000000000000", "desktop")).toBeUndefined();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
