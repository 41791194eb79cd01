// Two hundred kills of the spool's writers with a new seed each time, and a thousand events by real hooks.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { spoolFolder } from "../../src/home/index.ts";
import { drainSpool } from "../../src/spool/index.ts";
import { hookFile, hookHouse, payloads } from "../hookProcess.ts";
import { chosenSeed } from "../seed.ts";
import { killSpoolWriters } from "./spoolKills.ts";
import { withFolder } from "./withFolder.ts";

it("a spool gives out every confirmed event after 200 kills", async () => {
  const seed = chosenSeed();
  await withFolder(async (folder) => {
    const tally = await killSpoolWriters(folder, 200, seed);
    console.log(JSON.stringify({ seed, ...tally }));
    expect(tally.confirmed).toBeGreaterThanOrEqual(200);
  });
});

describe("real hooks", () => {
  const house = hookHouse();

  it("write 1,000 events from 8 at a time, none lost and none twice", async () => {
    const line = async (writer: number): Promise<void> => {
      for (let index = 0; index < 125; index++) {
        const child = spawn(process.execPath, [hookFile("capture")], { env: house.environment() });
        child.stdin.end(JSON.stringify(payloads.tool({ tool_use_id: `toolu_${writer}_${index}` })));
        expect(await once(child, "close")).toEqual([0, null]);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => line(writer)));
    const ids: string[] = [];
    await drainSpool(spoolFolder(house.home), {
      batch: 100,
      handle: async (events) => ids.push(...events.map(({ id }) => id)),
    });
    expect(ids).toHaveLength(1_000);
    expect(new Set(ids).size).toBe(1_000);
  });
});
