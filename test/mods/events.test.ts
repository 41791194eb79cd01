// The mod's events against a real worker: a thousand of them, lanes that change under them, and a pause.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { pause } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { workerHome } from "../worker/workers.ts";
import { chooseLane } from "./session.ts";
import { begin, callTools, end, kept, named } from "./toolEvents.ts";

const place = workerHome();

describe("tool events of the mod", () => {
  it("are kept once each, all thousand of them", async () => {
    const { host } = await begin(place);
    await callTools(host, 0, 1_000);
    await end(host);
    const { calls, lanes } = await kept(place);
    expect(calls).toEqual(named(1_000));
    // A worker that has too much to do is late for some: those are the hooks'.
    expect(lanes).toContain("mods");
  }, 120_000);

  it("are neither lost nor doubled where the lane changes in the middle of them", async () => {
    const { host } = await begin(place);
    let at = 0;
    for (const lane of ["hooks", "mods", "hooks", "mods"]) {
      chooseLane(place, lane);
      // Until the worker has noticed, and some after it.
      for (let seen = 0; seen < 3; at += 4) {
        const before = host.left.length;
        await callTools(host, at, 4);
        const isLeft = host.left.length > before;
        seen += isLeft === (lane === "hooks") ? 1 : 0;
        await sleep(100);
      }
    }
    await end(host);
    expect(await kept(place)).toEqual({ calls: named(at), lanes: ["hooks", "mods"] });
  }, 120_000);

  it("are not kept while capture is paused", async () => {
    const { host } = await begin(place);
    await callTools(host, 0, 4);
    await host.classic("Stop");
    await call(place.socket, "drain", { timeoutMs: 60_000 });
    pause(place.home);
    await callTools(host, 4, 4);
    await end(host);
    expect((await kept(place)).calls).toEqual(named(4));
  });
});
