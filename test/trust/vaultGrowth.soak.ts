// What a vault takes of a conversation of 38 MB with a compaction every 500 KB.
import { expect, it } from "vitest";
import { withFolder } from "../kill/withFolder.ts";
import { playInto } from "./vaultGrowth.ts";

it("grows with the conversation, not with its square", () =>
  withFolder(async (folder) => {
    const megabytes = Number(process.env.THROUGHLINE_GROWTH_MB ?? 38);
    const { taken, ...growth } = playInto(folder, megabytes * 1_000_000, 500_000);
    console.log({ ...growth, handles: taken.size });
    expect(growth.rawBytes).toBeLessThan(1.3 * growth.conversationBytes);
  }));
