// A thousand requests that need no edit: what passes through the proxy are the bytes that came, both ways.
import { afterEach, describe, expect, it } from "vitest";
import { startBaseUrlProxy, startHttpsProxy } from "../../src/proxy/index.ts";
import { seededRandom } from "../kill/seededRandom.ts";
import { type GeneratedExchange, generatedExchanges } from "./generatedExchanges.ts";
import { closeAll, closed, engineThat, trusting } from "./setup.ts";
import {
  clientOn,
  connectProxy,
  securedBy,
  testIdentity,
  tunnelled,
  type WireClient,
  type WireUpstream,
  wireClient,
  wireUpstream,
} from "./wire.ts";

afterEach(closeAll);

const HOST = "api.anthropic.com";
/** All ports that the system gives have five digits. */
const ANY_PORT = 10_000;
const exchanges = generatedExchanges(1_000, 20);
const pieces = seededRandom(7);

/** Cut anywhere, as a network does. */
function* cut(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + 1 + pieces(2_000));
    at += piece.length;
    yield piece;
  }
}

/** Answers each request once all its bytes came. */
function answering(
  list: readonly GeneratedExchange[],
  identity?: ReturnType<typeof testIdentity>,
): Promise<WireUpstream> {
  let answered = 0;
  let expected = list[0]?.request.length ?? 0;
  return wireUpstream(({ socket, size }) => {
    const exchange = list[answered];
    if (exchange === undefined || size() < expected) return;
    answered += 1;
    expected += list[answered]?.request.length ?? 0;
    for (const piece of cut(exchange.response)) socket.write(piece);
  }, identity);
}

/** Sends each request when the response to the one before is whole. */
async function play(client: WireClient, list: readonly GeneratedExchange[]): Promise<void> {
  let expected = 0;
  for (const { request, response } of list) {
    for (const piece of cut(request)) client.send(piece);
    expected += response.length;
    await client.received(expected);
  }
}

const all = (side: keyof GeneratedExchange): Buffer =>
  Buffer.concat(exchanges.map((exchange) => exchange[side]));

describe("a thousand requests that need no edit", () => {
  it("are the same bytes both ways through the HTTPS proxy", async () => {
    const identity = testIdentity(HOST);
    const upstream = closed(await answering(exchanges, identity));
    const engine = engineThat();
    const company = closed(await connectProxy({ [`${HOST}:443`]: upstream.port }));
    const env = { ...trusting(identity.authority), HTTPS_PROXY: company.url };
    const proxy = closed(await startHttpsProxy({ host: HOST, engine, env }));
    const { socket } = await tunnelled(proxy.url, `${HOST}:443`);
    const client = clientOn(await securedBy(socket, HOST, proxy.authority));
    await play(client, exchanges);
    expect(client.bytes().equals(all("response"))).toBe(true);
    expect(upstream.connections[0]?.bytes().equals(all("request"))).toBe(true);
    expect(engine.requests.length).toBeGreaterThan(200);
    client.socket.destroy();
  });

  it("differ in nothing but the host through a base URL", async () => {
    const engine = engineThat();
    const named = (port: number): GeneratedExchange[] =>
      exchanges.map(({ request, response }) => ({
        request: Buffer.from(request.toString("latin1").replace(HOST, `127.0.0.1:${port}`), "latin1"),
        response,
      }));
    const upstream = closed(await answering(named(ANY_PORT)));
    const proxy = closed(
      await startBaseUrlProxy(new URL(`http://127.0.0.1:${upstream.port}`), { engine, env: {} }),
    );
    const client = await wireClient(proxy.port);
    await play(client, named(proxy.port));
    expect(client.bytes().equals(all("response"))).toBe(true);
    const wanted = Buffer.concat(named(upstream.port).map(({ request }) => request));
    expect(upstream.connections[0]?.bytes().equals(wanted)).toBe(true);
    expect(engine.requests.length).toBeGreaterThan(200);
    client.socket.destroy();
  });
});
