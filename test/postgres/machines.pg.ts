// Machines of two persons that exchange through a server which restarts and over a network that is cut: in the end all hold the same, once.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resolveHome } from "../../src/home/index.ts";
import {
  exchange,
  makeClient,
  readRemoteState,
  shareItem,
  writeRemoteState,
} from "../../src/remote/index.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { event, observation, prompt } from "../storeContract/setting.ts";
import { startTestServer, type TestServer } from "./teamServer.ts";

const EVENTS = Number(process.env.THROUGHLINE_SYNC_EVENTS ?? 600);
const PER_STEP = 20;
const HOUR_SECONDS = 3_600;

let server: TestServer;
let folder: string;
let wire: Awaited<ReturnType<typeof cutWire>>;
const stores: Store[] = [];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-sync-"));
  server = await startTestServer();
  wire = await cutWire(Number(new URL(server.url).port));
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  wire.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A network that can be cut: connections that are open end in the middle of what they carry. */
async function cutWire(port: number) {
  const open = new Set<Socket>();
  let isCut = false;
  const wireServer: Server = createServer((socket) => {
    if (isCut) return void socket.destroy();
    const further = dial(port, "127.0.0.1");
    for (const [one, other] of [
      [socket, further],
      [further, socket],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => void wireServer.listen(0, "127.0.0.1", () => resolve()));
  const address = wireServer.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    join: () => {
      isCut = false;
    },
    close: () => void wireServer.close(),
  };
}

interface Machine {
  readonly name: string;
  readonly store: Store;
  sync(): Promise<void>;
}

async function machine(name: string, secret: string): Promise<Machine> {
  const home = resolveHome({
    env: { THROUGHLINE_HOME: path.join(folder, name) },
    platform: "linux",
    homeFolder: folder,
  });
  const store = await openStore({ file: path.join(folder, `${name}.db`) });
  stores.push(store);
  const client = makeClient({ url: wire.url, key: secret });
  return {
    name,
    store,
    async sync() {
      const keep = (state: Parameters<typeof writeRemoteState>[1]) => writeRemoteState(home, state);
      const onRefused = (_: unknown, why: string) => {
        throw new Error(`refused: ${why}`);
      };
      await exchange({ store, client, now: Date.now, keep, onRefused }, readRemoteState(home, client.url));
    },
  };
}

const all = async (store: Store) => {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.events({ limit: 500, order: "oldest", ...(cursor ? { cursor } : {}) });
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === undefined) return ids.sort();
    cursor = page.next;
  }
};

const titles = async (store: Store) =>
  (await store.observations({ limit: 500 })).items.map(({ title }) => title).sort();

describe("four machines of one person", () => {
  it("hold every event once after cuts, restarts, repeated sending and clocks an hour apart", async () => {
    const { secret } = await server.key("herons", "ada");
    const machines = await Promise.all(
      ["laptop", "desktop", "container", "server"].map((name) => machine(name, secret)),
    );
    const made: string[] = [];
    const steps = Math.ceil(EVENTS / PER_STEP / machines.length);
    for (let step = 0; step < steps; step++) {
      if (step % 4 === 1) wire.cut();
      if (step % 4 === 2) wire.join();
      for (const [at, { name, store }] of machines.entries()) {
        const events = Array.from({ length: PER_STEP }, (_, index) => {
          const id = `${name}-${step}-${index}`;
          const seconds = step * PER_STEP + index + (at % 2) * HOUR_SECONDS;
          return index === 0
            ? prompt(id, seconds, `prompt ${id}`, { session: `s-${name}` })
            : event(id, seconds, { session: `s-${name}` });
        });
        made.push(...events.map(({ id }) => id));
        await store.recordEvents(events);
        await store.addObservations([observation(`ob-${name}-${step}`, step, { session: `s-${name}` })]);
      }
      // The connection ends while requests are under way: what was received is not known to the sender.
      const running = machines.map((one) => one.sync().catch((error: Error) => error));
      if (step % 4 === 0) setTimeout(() => wire.cut(), 30);
      if (step % 5 === 3) await server.restart(20);
      await Promise.all(running);
      if (step % 4 === 0) wire.join();
    }
    wire.join();
    for (const one of [...machines, ...machines]) await one.sync();
    made.sort();
    for (const { store } of machines) {
      expect(await all(store)).toEqual(made);
      expect(await titles(store)).toHaveLength(steps * machines.length);
    }
    const kept = server.database.store({ team: "herons", person: "ada" });
    expect(await all(kept)).toEqual(made);
  }, 300_000);

  it("delete everywhere what one deletes or forgets, though another sends it again", async () => {
    const { secret } = await server.key("herons", "ada");
    const laptop = await machine("laptop", secret);
    const desktop = await machine("desktop", secret);
    await laptop.store.recordEvents([prompt("p1", 1, "a heron"), event("t1", 2)]);
    await laptop.store.addObservations([observation("ob-1", 3), observation("ob-2", 4)]);
    await laptop.sync();
    await desktop.sync();
    const [first] = (await desktop.store.observations()).items;
    await desktop.store.correct({ kind: "observation", id: first?.id ?? 0, text: null });
    await desktop.sync();
    await laptop.sync();
    expect(await titles(laptop.store)).toHaveLength(1);
    await laptop.store.forget({ session: "s1" });
    for (const one of [desktop, laptop, desktop, laptop]) await one.sync();
    for (const { store } of [laptop, desktop]) {
      expect(await all(store)).toEqual([]);
      expect(await titles(store)).toEqual([]);
    }
  });
});

describe("two persons of a team", () => {
  it("see what the other shares, redacted, with who will see it, until it is taken back", async () => {
    const ada = await machine("ada", (await server.key("herons", "ada")).secret);
    const bob = await machine("bob", (await server.key("herons", "bob")).secret);
    await ada.store.addObservations([
      observation("ob-1", 3, { title: "herons nest in March", narrative: "seen twice" }),
      observation("ob-2", 4, { title: "a private thought" }),
    ]);
    await ada.sync();
    await bob.sync();
    expect(await titles(bob.store)).toEqual([]);
    const keys = await server.key("herons", "ada");
    const client = makeClient({ url: wire.url, key: keys.secret });
    const row = (await ada.store.observations()).items.find(({ uid }) => uid === "ob-1");
    const share = (visibility: string, carryOut: boolean) =>
      shareItem(ada.store, client, ada.sync, { ref: `#${row?.id}`, visibility, carryOut });
    expect(await share("team", false)).toMatchObject({ readers: ["bob"], done: false });
    await bob.sync();
    expect(await titles(bob.store)).toEqual([]);
    expect(await share("team", true)).toMatchObject({ done: true });
    await bob.sync();
    expect(await titles(bob.store)).toEqual(["herons nest in March"]);
    await share("private", true);
    await bob.sync();
    expect(await titles(bob.store)).toEqual([]);
    expect(await titles(ada.store)).toHaveLength(2);
  });

  it("are shown no secret that was stored before it was known to be one", async () => {
    const token = `ghp_${"Ab3dE6gH9j".repeat(4).slice(0, 36)}`;
    const store = server.database.store({ team: "herons", person: "ada" });
    await store.addObservations([observation("ob-1", 3, { title: "a key", narrative: `it is ${token}` })]);
    const { secret } = await server.key("herons", "ada");
    await makeClient({ url: wire.url, key: secret }).share("observation", ["ob-1"], "team");
    const bob = await machine("bob", (await server.key("herons", "bob")).secret);
    await bob.sync();
    const [seen] = (await bob.store.observations()).items;
    expect(seen?.narrative).toContain("[redacted");
    expect(JSON.stringify(seen)).not.toContain(token);
  });
});
