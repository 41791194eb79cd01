import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { serialQueue } from "./serialQueue.ts";

it("runs one task after the other, and the next one after a failure", async () => {
  const queue = serialQueue();
  const seen: string[] = [];
  const task = (name: string) => async (): Promise<string> => {
    seen.push(`${name} begins`);
    await nextTurn();
    seen.push(`${name} ends`);
    if (name === "b") throw new Error("b failed");
    return name;
  };
  const results = [queue.run(task("a")), queue.run(task("b")), queue.run(task("c"))];
  await queue.idle();
  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  expect(await Promise.allSettled(results)).toMatchObject([
    { value: "a" },
    { status: "rejected" },
    { value: "c" },
  ]);
});
