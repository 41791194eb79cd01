// `throughline open` as a person types it, with a browser that writes down where it was sent.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { json, sendTo } from "../../../test/worker/httpClient.ts";
import { isObject } from "../../lib/index.ts";
import { openerFor } from "./open.ts";

const terminal = commandLine();
const port = { THROUGHLINE_WORKER_PORT: "0" };

afterEach(() => {
  terminal.run(["worker", "stop"]);
});

/** A folder for PATH with an opener that notes its argument; `code` is how it ends. */
function opener(code: number): { readonly PATH: string; readonly seen: string } {
  const folder = path.join(terminal.home.state, `bin-${code}`);
  const seen = path.join(folder, "seen");
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "xdg-open");
  writeFileSync(file, `#!/bin/sh\nprintf %s "$1" > '${seen}'\nexit ${code}\n`);
  chmodSync(file, 0o755);
  return { PATH: `${folder}:${process.env.PATH}`, seen };
}

describe("throughline open", () => {
  it("starts a worker and gives an address with which a browser signs in", async () => {
    const { out } = terminal.run(["open", "--print"], port);
    const [, at, code] = /^http:\/\/127\.0\.0\.1:(\d+)\/#code=([\w-]{43})\n$/.exec(out) ?? [];
    const body = JSON.stringify({ code });
    const signIn = { method: "POST", headers: json, body };
    expect((await sendTo(Number(at), "/api/sign-in", signIn)).status).toBe(200);
    const told = terminal.json("open", "--print");
    expect(told).toMatchObject({ port: Number(at), opened: false });
    expect(isObject(told) && told.url).not.toContain(code);
  });

  it.runIf(process.platform === "linux")("opens the browser, and says where to go when there is none", () => {
    const browser = opener(0);
    const opened = terminal.run(["open"], { ...port, PATH: browser.PATH });
    expect(opened.out).toMatch(/^opened http:\/\/127\.0\.0\.1:\d+ in the browser\n$/);
    expect(readFileSync(browser.seen, "utf8")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
    const broken = opener(3);
    const refused = terminal.run(["open"], { ...port, PATH: broken.PATH });
    expect(existsSync(broken.seen)).toBe(true);
    expect(refused).toMatchObject({
      code: 0,
      out: expect.stringContaining("open this address within two minutes:\nhttp://127."),
    });
  });

  it("hands the address to the system as one argument, whichever system it is", () => {
    const url = "http://127.0.0.1:1/#code=a&b";
    for (const platform of ["darwin", "win32", "linux"] as const)
      expect(openerFor(platform, url).args.at(-1)).toBe(url);
  });
});
