// The certificates are checked by programs that did not make them: Node's TLS, OpenSSL and curl.
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, createServer, type Server } from "node:tls";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY } from "../../lib/index.ts";
import { certifyHost } from "./certificate.ts";

const run = promisify(execFile);
const HOST = "api.anthropic.com";
let folder = "";
const servers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tlc-"));
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
});

function kept(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function serving({ certificate, key }: { certificate: string; key: string }): Promise<number> {
  const server = createServer({ cert: certificate, key }, (socket) => {
    socket.on("error", () => socket.destroy());
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

describe("the certificate of a host", () => {
  it("is valid now, for that host, and signed by the authority", () => {
    const { authority, certificate } = certifyHost(HOST, Date.now());
    const [ca, leaf] = [new X509Certificate(authority), new X509Certificate(certificate)];
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(leaf.checkIssued(ca)).toBe(true);
    expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.checkHost(HOST)).toBe(HOST);
    expect(leaf.checkHost("example.com")).toBeUndefined();
    expect(Date.parse(leaf.validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(leaf.validTo)).toBeGreaterThan(Date.now() + 300 * DAY);
  });

  it("passes the strict check of OpenSSL, and fails it under another authority", async () => {
    const { authority, certificate } = certifyHost(HOST, Date.now());
    const leaf = kept("leaf.pem", certificate);
    const strict = ["verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", HOST];
    const { stdout } = await run("openssl", [...strict, "-CAfile", kept("ca.pem", authority), leaf]);
    expect(stdout).toContain("OK");
    const other = kept("other.pem", certifyHost(HOST, Date.now()).authority);
    await expect(run("openssl", [...strict, "-CAfile", other, leaf])).rejects.toThrow(/verif/);
  });

  it("is no use for another host: the authority may vouch for one alone", async () => {
    const { authority } = certifyHost(HOST, Date.now());
    const { stdout } = await run("openssl", ["x509", "-noout", "-text", "-in", kept("ca.pem", authority)]);
    expect(stdout).toMatch(/Name Constraints: critical\s+Permitted:\s+DNS:api\.anthropic\.com/);
    expect(stdout).toMatch(/CA:TRUE, pathlen:0/);
  });

  it("is accepted by Node where the authority is trusted, and refused where it is not", async () => {
    const made = certifyHost(HOST, Date.now());
    const port = await serving(made);
    const to = { host: "127.0.0.1", port, servername: HOST };
    const trusting = connect({ ...to, ca: made.authority });
    await once(trusting, "secureConnect");
    expect(trusting.authorized).toBe(true);
    trusting.destroy();
    const [refusal] = await once(connect(to), "error");
    expect(refusal.code).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/);
  });

  it("is accepted by curl where the authority is trusted, and refused where it is not", async () => {
    const made = certifyHost(HOST, Date.now());
    const port = await serving(made);
    const args = [
      "-sS",
      "--noproxy",
      "*",
      "--resolve",
      `${HOST}:${port}:127.0.0.1`,
      `https://${HOST}:${port}/`,
    ];
    const { stdout } = await run("curl", [...args, "--cacert", kept("ca.pem", made.authority)]);
    expect(stdout).toBe("ok");
    await expect(run("curl", args)).rejects.toThrow(/SSL|certificate/);
  });

  it("has keys of its own each time", () => {
    const [one, other] = [certifyHost(HOST, Date.now()), certifyHost(HOST, Date.now())];
    expect(one.key).not.toBe(other.key);
    expect(new X509Certificate(one.authority).fingerprint256).not.toBe(
      new X509Certificate(other.authority).fingerprint256,
    );
  });
});
