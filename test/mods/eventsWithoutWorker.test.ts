// The mod's events where the worker stops answering, is killed, or another program has its port.
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { ended, until, workerHome } from "../worker/workers.ts";
import { startWorker } from "./session.ts";
import { begin, callTools, end, kept, named } from "./toolEvents.ts";

const place = workerHome();

describe("tool events of the mod", () => {
  it("are handed to the hook's own program where the worker stops answering, and delay nothing", async () => {
    const { host, worker } = await begin(place);
    await callTools(host, 0, 4);
    await until(() => host.requests() === 0 || undefined, "the first ones to be answered");
    worker.kill("SIGSTOP");
    await callTools(host, 4, 6);
    await end(host);
    expect(host.requests()).toBe(0);
    expect(host.programs.filter(([, file]) => file?.endsWith("capture.cjs"))).toHaveLength(6);
    expect(host.left).toEqual(["SessionEnd"]);
    worker.kill("SIGCONT");
    expect((await kept(place)).calls).toEqual(named(10));
  });

  it("find the next worker where the first is killed", async () => {
    const { host, worker } = await begin(place);
    await callTools(host, 0, 4);
    worker.kill("SIGKILL");
    await ended(worker);
    await callTools(host, 4, 4);
    await startWorker(place);
    await callTools(host, 8, 4);
    await end(host);
    expect(await kept(place)).toEqual({ calls: named(12), lanes: ["hooks", "mods"] });
  });

  it("are not sent to a program that has taken the port of a killed worker", async () => {
    const { host, worker } = await begin(place);
    const { port } = await place.status();
    await callTools(host, 0, 4);
    worker.kill("SIGKILL");
    await ended(worker);
    const told: unknown[] = [];
    const thief = createServer((request) => told.push(request.headers));
    thief.listen(Number(port), "127.0.0.1");
    await once(thief, "listening");
    await callTools(host, 4, 4);
    await end(host);
    thief.close();
    expect(told).toEqual([]);
    await startWorker(place);
    expect((await kept(place)).calls).toEqual(named(8));
  });
});
