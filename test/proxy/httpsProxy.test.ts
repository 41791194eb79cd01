// The HTTPS proxy: one host is read, all others pass unread, and the user's own proxy and authorities are kept to.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { startHttpsProxy } from "../../src/proxy/index.ts";
import { closeAll, closed, engineThat, trusting } from "./setup.ts";
import {
  clientOn,
  connectProxy,
  securedBy,
  testIdentity,
  tunnelled,
  wireClient,
  wireUpstream,
} from "./wire.ts";

afterEach(closeAll);

const run = promisify(execFile);
const HOST = "api.anthropic.com";
const OTHER = "canary.example";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/** The API, another host, and the user's own proxy that leads to both. */
async function scene(more: Record<string, string> = {}) {
  const [api, other] = [testIdentity(HOST), testIdentity(OTHER)];
  const answer = ({ socket }: { readonly socket: { end(text: string): unknown } }): void => {
    socket.end(OK);
  };
  const upstream = closed(await wireUpstream(answer, api));
  const elsewhere = closed(await wireUpstream(answer, other));
  const company = closed(
    await connectProxy({ [`${HOST}:443`]: upstream.port, [`${OTHER}:443`]: elsewhere.port }),
  );
  const env = { ...trusting(api.authority), HTTPS_PROXY: company.url, ...more };
  const engine = engineThat();
  const proxy = closed(await startHttpsProxy({ host: HOST, engine, env }));
  return { upstream, elsewhere, company, engine, proxy, other };
}

const post = 'POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"canary-1"';

describe("the HTTPS proxy", () => {
  it("reads what goes to the API, under a certificate of its own", async () => {
    const { proxy, engine, upstream } = await scene();
    const { socket, answer } = await tunnelled(proxy.url, `${HOST}:443`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    const client = clientOn(await securedBy(socket, HOST, proxy.authority));
    client.send(post);
    expect(await client.ended).toBe("end");
    expect(client.bytes().toString()).toBe(OK);
    expect(engine.requests.map(({ body }) => body.toString())).toEqual(['"canary-1"']);
    expect(upstream.connections[0]?.bytes().toString()).toBe(post);
  });

  it("cannot read what goes to another host: that host's own certificate answers", async () => {
    const { proxy, engine, elsewhere, other } = await scene();
    const { socket } = await tunnelled(proxy.url, `${OTHER}:443`);
    const carried: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => carried.push(chunk));
    const client = clientOn(await securedBy(socket, OTHER, other.authority));
    client.send(post);
    await client.ended;
    expect(elsewhere.connections[0]?.bytes().toString()).toBe(post);
    expect(engine.requests).toEqual([]);
    const again = await tunnelled(proxy.url, `${OTHER}:443`);
    await expect(securedBy(again.socket, OTHER, proxy.authority)).rejects.toThrow();
  });

  it("leads every connection through the user's own proxy, with its credentials", async () => {
    const { company } = await scene();
    const env = { HTTPS_PROXY: company.url.replace("//", "//me:p%40ss@") };
    const proxy = closed(await startHttpsProxy({ host: HOST, env }));
    const { answer } = await tunnelled(proxy.url, `${OTHER}:443`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    const credentials = Buffer.from("me:p@ss").toString("base64");
    expect(company.heads.at(-1)).toContain(`Proxy-Authorization: Basic ${credentials}`);
  });

  it("hands on what the user's own proxy refuses with", async () => {
    const { proxy } = await scene();
    const { answer } = await tunnelled(proxy.url, "refused.example:443");
    expect(answer).toContain("403 Not Here\r\nx-company: no");
  });

  it("does not go through the user's own proxy where NO_PROXY says so", async () => {
    const { proxy, elsewhere, company } = await scene({ NO_PROXY: "127.0.0.1" });
    const { answer } = await tunnelled(proxy.url, `127.0.0.1:${elsewhere.port}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(company.heads.filter((head) => head.includes("127.0.0.1:"))).toEqual([]);
  });

  it("refuses an upstream whose certificate the machine does not trust", async () => {
    const { company } = await scene();
    const proxy = closed(await startHttpsProxy({ host: HOST, env: { HTTPS_PROXY: company.url } }));
    const { answer } = await tunnelled(proxy.url, `${HOST}:443`);
    expect(answer).toContain("502 Bad Gateway");
  });

  it("answers nothing but 407 without its credentials", async () => {
    const { proxy, company } = await scene();
    const { answer } = await tunnelled(proxy.url.replace(/\/\/.*@/, "//"), `${OTHER}:443`);
    expect(answer).toContain("407");
    expect(
      (await tunnelled(proxy.url.replace(/:[0-9a-f]{32}@/, `:${"0".repeat(32)}@`), `${OTHER}:443`)).answer,
    ).toContain("407");
    expect(company.heads).toEqual([]);
  });

  it("forwards requests for plain addresses, without its own credentials", async () => {
    const plain = closed(
      await wireUpstream(({ socket }) => socket.write(OK.replace("Connection: close\r\n", ""))),
    );
    const { proxy } = await scene({ NO_PROXY: "127.0.0.1" });
    const { port, password } = new URL(proxy.url);
    const client = await wireClient(Number(port));
    const credentials = Buffer.from(`throughline:${password}`).toString("base64");
    client.send(
      `GET http://127.0.0.1:${plain.port}/a?b HTTP/1.1\r\nHost: 127.0.0.1:${plain.port}\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`,
    );
    await client.received(40);
    expect(plain.connections[0]?.bytes().toString()).toBe(
      `GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:${plain.port}\r\n\r\n`,
    );
    client.socket.destroy();
  });

  it("serves curl", async () => {
    const { proxy } = await scene();
    const file = `${trusting(proxy.authority).NODE_EXTRA_CA_CERTS}`;
    writeFileSync(file, proxy.authority);
    const { stdout } = await run("curl", [
      "-sS",
      "-x",
      proxy.url,
      "--cacert",
      file,
      "-d",
      "{}",
      `https://${HOST}/v1/messages`,
    ]);
    expect(stdout).toBe("ok");
  });
});
