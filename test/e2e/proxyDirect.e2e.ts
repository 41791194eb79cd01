// The real CLI as if it spoke to api.anthropic.com itself: with the proxy in between and nothing to edit, the API gets the same.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, inject, it } from "vitest";
import { testIdentity } from "../proxy/wire.ts";
import { hasClaude } from "./world.ts";

const HOST = "api.anthropic.com";
const program = path.join(import.meta.dirname, "directApi.mjs");
const cliFile = path.resolve(import.meta.dirname, "../../dist/cli.js");

/** A private hosts file needs a mount namespace, which only root may have. */
const canMount = spawnSync("unshare", ["-n", "-m", "true"]).status === 0;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Leads the name of the API to a recording server on 443, and runs a command there. */
async function direct(
  command: readonly string[],
): Promise<{ readonly requests: Recorded[]; readonly out: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), "tld-"));
  folders.push(folder);
  for (const name of ["home", "work"]) mkdirSync(path.join(folder, name));
  const identity = testIdentity(HOST);
  for (const [name, content] of Object.entries(identity))
    writeFileSync(path.join(folder, `${name}.pem`), content);
  writeFileSync(path.join(folder, "hosts"), `127.0.0.1 localhost\n127.0.0.1 ${HOST}\n`);
  const script = `ip link set lo up && mount --bind "$0/hosts" /etc/hosts && exec "$@"`;
  const child = spawn(
    "unshare",
    ["-n", "-m", "--", "sh", "-c", script, folder, process.execPath, program, folder, ...command],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    out += chunk;
  });
  const [code] = await once(child, "close");
  expect(code).toBe(0);
  const lines = readFileSync(path.join(folder, "requests.jsonl"), "utf8").trim().split("\n");
  return { requests: lines.map((line) => JSON.parse(line)), out };
}

/** What differs between any two runs: ids, times, the folder, and what is derived from them. */
function comparable({ method, url, headers, body }: Recorded): unknown {
  const plain = (text: string): string =>
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
      .replace(/[0-9a-f]{64}/g, "DEVICE")
      .replace(/cch=[0-9a-f]+/g, "cch=")
      .replace(/tld-\w+/g, "FOLDER");
  return { method, url, headers: headers.map(plain), body: plain(body) };
}

const isMessage = ({ url }: Recorded): boolean => url.startsWith("/v1/messages");
/** The client writes these headers in another order, and closes the connection, through any HTTPS proxy. */
const withoutConnection = (request: Recorded): Recorded => ({
  ...request,
  headers: request.headers.filter((line) => !/^connection:/i.test(line)).toSorted(),
});

describe.skipIf(!hasClaude || !canMount)("Claude Code that believes it speaks directly", () => {
  const claude = inject("claudeBinary");

  it("sends the same through the proxy", async () => {
    const without = await direct([claude, "-p", "hi"]);
    // Without edits: the live window would give the prompt its tag.
    const off = ["/usr/bin/env", "THROUGHLINE_LIVE=off"];
    const through = await direct([...off, process.execPath, cliFile, "run", claude, "-p", "hi"]);
    expect(through.out).toBe(without.out);
    expect(through.requests.filter(isMessage).map(comparable)).toEqual(
      without.requests.filter(isMessage).map(comparable),
    );
    const others = (list: readonly Recorded[]): unknown[] =>
      list
        .filter((request) => !isMessage(request))
        .toSorted((one, other) => one.url.localeCompare(other.url))
        .map((request) => comparable(withoutConnection(request)));
    expect(others(through.requests)).toEqual(others(without.requests));
    const [message] = through.requests.filter(isMessage);
    expect(message?.body).toContain('"scope":"global"');
    expect(message?.body).toContain('"diagnostics"');
    expect(message?.headers.join("\n")).toContain("thinking-binding-controls");
  });

  it("is edited through the proxy, and in nothing but the blocks that an edit names", async () => {
    const throughline = `${process.execPath} ${cliFile}`;
    const script = `${throughline} worker start >/dev/null && THROUGHLINE_LIVE_DEADLINE_MS=10000 ${throughline} run ${claude} -p hi`;
    const without = await direct([claude, "-p", "hi"]);
    const edited = await direct(["/bin/sh", "-c", script]);
    expect(edited.out).toBe(without.out);
    const [plain] = without.requests.filter(isMessage);
    const [sent] = edited.requests.filter(isMessage);
    const tag = /\\n\[id:\w{6}\]/g;
    expect(sent?.body.match(tag)).toHaveLength(1);
    const untagged = sent && { ...sent, body: sent.body.replace(tag, "") };
    // The length of the body is the only header that an edit changes.
    const withoutLength = (request: Recorded | undefined) =>
      request &&
      comparable({
        ...request,
        headers: request.headers.filter((line) => !/^content-length:/i.test(line)),
      });
    expect(withoutLength(untagged)).toEqual(withoutLength(plain));
  });
});
