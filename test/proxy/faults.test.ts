// What goes wrong upstream or at the client: the other side sees what it would have seen without the proxy.
import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { startBaseUrlProxy } from "../../src/proxy/index.ts";
import { until } from "../until.ts";
import { closeAll, closed, engineThat, type RecordingEngine } from "./setup.ts";
import {
  type RecordedConnection,
  type WireClient,
  type WireUpstream,
  wireClient,
  wireUpstream,
} from "./wire.ts";

afterEach(closeAll);

interface Scene {
  readonly upstream: WireUpstream;
  readonly client: WireClient;
  readonly engine: RecordingEngine;
}

/** `respond` is called once for each connection, when its first bytes came. */
async function scene(
  respond: (connection: RecordedConnection) => void,
  does: Parameters<typeof engineThat>[0] = {},
): Promise<Scene> {
  const begun = new Set<Socket>();
  const upstream = closed(
    await wireUpstream((connection) => {
      if (!begun.has(connection.socket)) respond(connection);
      begun.add(connection.socket);
    }),
  );
  const engine = engineThat(does);
  const url = new URL(`http://127.0.0.1:${upstream.port}`);
  const proxy = closed(await startBaseUrlProxy(url, { engine, env: {} }));
  const client = await wireClient(proxy.port);
  closed({ close: () => void client.socket.destroy() });
  return { upstream, client, engine };
}

const request = (body = '{"messages":[]}', path = "/v1/messages"): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const responses: Readonly<Record<string, string>> = {
  "429 with its headers":
    'HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\nContent-Length: 16\r\n\r\n{"type":"error"}',
  "529 with no body": "HTTP/1.1 529 \r\nContent-Length: 0\r\n\r\n",
  "413 in HTML":
    "HTTP/1.1 413 Payload Too Large\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<h1>413</h1>\n",
  "400 of another kind": 'HTTP/1.1 400 Bad Request\r\nContent-Length: 16\r\n\r\n{"type":"error"}',
  "400 in chunks that are none":
    "HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nnot a chunk",
  "malformed events":
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: {,,\r\n0\r\n\r\n",
  "chunks that are none": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello",
  "two framings": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nhello",
  "lines without carriage returns": "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
  "no HTTP at all": "SSH-2.0-Server\r\n\r\n",
  "an early hint before the response":
    "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
};

describe("a response", () => {
  it.each(Object.entries(responses))("reaches the client as it came: %s", async (_, response) => {
    const { client } = await scene(({ socket }) => {
      socket.write(response);
      setTimeout(() => socket.end(), 50);
    });
    client.send(request());
    expect(await client.ended).toBe("end");
    expect(client.bytes().toString("latin1")).toBe(response);
  });

  it("reaches the client while the upstream has not finished", async () => {
    const start = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    const { client, upstream } = await scene(({ socket }) => socket.write(`${start}5\r\nfirst\r\n`));
    client.send(request());
    await client.received(start.length + 10);
    expect(client.bytes().toString()).toContain("first");
    upstream.connections[0]?.socket.write("4\r\nlast\r\n0\r\n\r\n");
    await client.received(start.length + 24);
    expect(client.bytes().toString().endsWith("4\r\nlast\r\n0\r\n\r\n")).toBe(true);
  });

  it("that is cut ends where it was cut", async () => {
    const start = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
    const { client } = await scene(({ socket }) => socket.end(start));
    client.send(request());
    expect(await client.ended).toBe("end");
    expect(client.bytes().toString()).toBe(start);
  });

  it("that is reset resets the client, behind the bytes that came", async () => {
    const start = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
    const { client } = await scene(({ socket }) => {
      socket.write(start, () => setTimeout(() => socket.resetAndDestroy(), 50));
    });
    client.send(request());
    expect(await client.ended).toBe("ECONNRESET");
    expect(client.bytes().toString()).toBe(start);
  });

  it("ends with its connection where it says no length", async () => {
    const { client } = await scene(({ socket }) => socket.end("HTTP/1.0 200 OK\r\n\r\nall of it"));
    client.send(request());
    expect(await client.ended).toBe("end");
    expect(client.bytes().toString()).toBe("HTTP/1.0 200 OK\r\n\r\nall of it");
  });

  it("to HEAD has no body, whatever its length says", async () => {
    const { client, upstream } = await scene(({ socket }) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
    );
    client.send("HEAD /api/hello HTTP/1.1\r\nHost: x\r\n\r\n");
    await client.received(38);
    client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => upstream.connections[0]?.bytes().includes("GET /next"), "the next request");
    expect(upstream.connections).toHaveLength(1);
  });
});

describe("a client", () => {
  it("that leaves ends the request upstream", async () => {
    const { client, upstream } = await scene(({ socket }) =>
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
    );
    client.send(request());
    await client.received(50);
    const connection = upstream.connections[0];
    client.socket.resetAndDestroy();
    await until(() => connection?.socket.destroyed || connection?.isEnded(), "the end upstream");
  });

  it("that leaves while the engine decides causes no request", async () => {
    let decide: () => void = () => undefined;
    const deciding = new Promise<undefined>((resolve) => {
      decide = () => resolve(undefined);
    });
    const { client, upstream, engine } = await scene(() => undefined, { edit: () => deciding });
    client.send(request());
    await until(() => engine.requests.length === 1, "the engine to be asked");
    client.socket.resetAndDestroy();
    await once(client.socket, "close");
    await new Promise((resolve) => setTimeout(resolve, 50));
    decide();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(upstream.connections.map((connection) => connection.size())).not.toContain(
      Buffer.byteLength(request()),
    );
  });

  it("that sends no more still gets its response", async () => {
    const { client, upstream } = await scene(() => undefined);
    client.send(request());
    client.socket.end();
    const connection = await until(() => upstream.connections[0], "the connection");
    await until(() => connection.isEnded(), "the end that the client sent");
    connection.socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    expect(await client.ended).toBe("end");
    expect(client.bytes().toString()).toContain("ok");
  });

  it("that reads slowly slows the upstream down", async () => {
    const size = 64 * 1024 * 1024;
    const { client, upstream } = await scene(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      const part = Buffer.alloc(1024 * 1024, 120);
      const more = (): void => {
        while (socket.bytesWritten < size && socket.write(part));
      };
      socket.on("drain", more);
      more();
    });
    client.socket.pause();
    client.send(request());
    const connection = await until(() => upstream.connections[0], "the connection");
    let before = -1;
    // Until the upstream cannot get rid of more.
    await until(
      () => {
        const now = connection.socket.bytesWritten - connection.socket.writableLength;
        const isStuck = now === before && now > 0;
        before = now;
        return isStuck;
      },
      "the upstream to stop",
      { everyMs: 300 },
    );
    expect(before).toBeLessThan(size / 2);
    client.socket.resume();
    await client.received(size);
  });

  it("that waits to be told to continue is told once", async () => {
    const { client, upstream } = await scene(({ socket }) => {
      socket.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    const head = "POST /v1/messages HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    client.send(head);
    await client.received(25);
    expect(client.bytes().toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    client.send("{}");
    await client.received(25 + 40);
    expect(
      client
        .bytes()
        .toString()
        .match(/100 Continue/g),
    ).toHaveLength(1);
    expect(upstream.connections[0]?.bytes().toString()).toContain("Expect: 100-continue");
  });

  it("that speaks to another path is told to continue by the upstream", async () => {
    const { client, upstream } = await scene(({ socket }) => socket.write("HTTP/1.1 100 Continue\r\n\r\n"));
    client.send("POST /v1/files HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    await client.received(25);
    client.send("{}");
    await until(() => upstream.connections[0]?.bytes().toString().endsWith("{}"), "the body");
  });

  it("can change to another protocol, whose bytes pass as they are", async () => {
    const { client, upstream } = await scene(({ socket }) =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x01server"),
    );
    client.send("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    await client.received(63);
    client.send("\x02client");
    await until(
      () => upstream.connections[0]?.bytes().toString().endsWith("\x02client"),
      "the client's bytes",
    );
    expect(client.bytes().toString().endsWith("\x01server")).toBe(true);
  });

  it("that speaks no HTTP is carried on unread", async () => {
    const { client, upstream } = await scene(({ socket }) => socket.write("* OK\n"));
    client.send("a1 LOGIN\n\n");
    await client.received(5);
    expect(upstream.connections[0]?.bytes().toString()).toBe("a1 LOGIN\n\n");
  });

  it("that sends chunks that are none is carried on unread from there", async () => {
    const { client, upstream } = await scene(() => undefined);
    const host = `Host: 127.0.0.1:${upstream.port}`;
    const sent = `POST /v1/messages HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\nmore`;
    client.send(sent);
    await until(() => upstream.connections[0]?.size() === sent.length, "all bytes");
    expect(upstream.connections[0]?.bytes().toString()).toBe(sent);
  });

  it("that sends the next request early gets both responses in order", async () => {
    const { client } = await scene(({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1");
      setTimeout(() => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2"), 100);
    });
    client.send(request() + request());
    await client.received(2 * 39);
    expect(
      client
        .bytes()
        .toString()
        .replace(/HTTP[\s\S]*?\r\n\r\n/g, ""),
    ).toBe("12");
  });
});

describe("an upstream that is not there", () => {
  it("fails the client's connection", async () => {
    const gone = await wireUpstream(() => undefined);
    await gone.close();
    const proxy = closed(await startBaseUrlProxy(new URL(`http://127.0.0.1:${gone.port}`), { env: {} }));
    const client = await wireClient(proxy.port);
    client.send(request());
    expect(await client.ended).toBe("ECONNRESET");
  });
});
