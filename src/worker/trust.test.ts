// Nothing is sent to a worker of another user: whose socket and folder it is, is checked before the first byte.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endpointAt, readPointer, request } from "../ipc/connect.ts";
import { newProof, proofOf } from "../ipc/proof.ts";
import { bindAt, closeToOthers, pointElsewhere } from "../ipc/socketPlace.ts";

const me = process.getuid?.() ?? 0;
const own = { platform: "linux", user: me } as const;
const another = { platform: "linux", user: me + 1 } as const;
const windows = { platform: "win32", user: undefined } as const;
const SECRET = "ab".repeat(32);

let folder = "";
let servers: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tl-t-"));
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const address = (): string => path.join(folder, "worker.sock");

/** Listens and keeps everything that is sent; `answer` may write back. */
async function listen(place: string, answer: (line: string, to: Socket) => void = () => undefined) {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      heard.push(String(chunk));
      answer(String(chunk), socket);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(place, resolve));
  return heard;
}

/** A private folder with a socket in it, and the file that names it. */
async function pointed(answer?: (line: string, to: Socket) => void) {
  const place = path.join(mkdtempSync(path.join(folder, "elsewhere-")), "worker.sock");
  const heard = await listen(place, answer);
  writeFileSync(address(), JSON.stringify({ path: place, secret: SECRET }), { mode: 0o600 });
  return { place, heard };
}

const ask = () =>
  request(
    address(),
    { id: "1", op: "remember", args: "secret plans" },
    { withinMs: 2_000, mostBytes: 1_000 },
    newProof,
  );

describe("the worker's endpoint", () => {
  it("is a socket of this user in a folder of this user that is closed to others", async () => {
    await listen(address());
    expect(endpointAt(address(), own)).toEqual({ path: address() });
  });

  it("is foreign when folder or socket are another user's", async () => {
    await listen(address());
    expect(endpointAt(address(), another)).toBe("foreign");
  });

  it.each([0o750, 0o770, 0o701, 0o777])("is not used while its folder has the mode %o", async (mode) => {
    await listen(address());
    chmodSync(folder, mode);
    expect(endpointAt(address(), own)).toBe("absent");
  });

  it("is no symbolic link to a socket, no folder, and no file of another kind", async () => {
    const elsewhere = path.join(folder, "other.sock");
    await listen(elsewhere);
    symlinkSync(elsewhere, address());
    expect(endpointAt(address(), own)).toBe("foreign");
    rmSync(address());
    mkdirSync(address());
    expect(endpointAt(address(), own)).toBe("foreign");
    rmSync(address(), { recursive: true });
    writeFileSync(address(), `{"path":"${elsewhere}"}`);
    expect(endpointAt(address(), own)).toBe("absent");
  });

  it("may be named by a file, and is then held to the same", async () => {
    const { place } = await pointed();
    expect(endpointAt(address(), own)).toEqual({ path: place, secret: SECRET });
    chmodSync(path.dirname(place), 0o755);
    expect(endpointAt(address(), own)).toBe("absent");
    chmodSync(path.dirname(place), 0o700);
    rmSync(place);
    writeFileSync(place, "");
    expect(endpointAt(address(), own)).toBe("absent");
  });
});

describe("a question to the worker", () => {
  it("reaches what is this user's", async () => {
    const heard = await listen(address(), (_, to) => to.write('{"v":1,"id":"1","ok":true,"data":{}}\n'));
    expect(await ask()).toMatchObject({ ok: true });
    expect(heard.join("")).toContain("secret plans");
  });

  it("is not sent where the folder is open to others", async () => {
    const heard = await listen(address());
    chmodSync(folder, 0o777);
    expect(await ask()).toBe("absent");
    expect(heard).toEqual([]);
  });

  it("is not sent before what listens outside the state folder has proven that it knows the secret", async () => {
    const said = [
      '{"v":1,"id":"proof","ok":true,"data":{"proof":"00"}}\n',
      '{"v":1,"id":"1","ok":true,"data":{}}\n',
    ];
    const { heard } = await pointed((_, to) => to.write(said.join("")));
    expect(await ask()).toBe("foreign");
    expect(heard.join("")).toMatch(
      /^\{"v":1,"id":"proof","op":"prove","args":\{"nonce":"[0-9a-f]{32}"\}\}\n$/,
    );
  });

  it("is not sent to what repeats the proof of an earlier question", async () => {
    let first: string | undefined;
    const { heard } = await pointed((line, to) => {
      const { nonce } = JSON.parse(line).args;
      first ??= proofOf(SECRET, nonce);
      if (line.includes("prove")) to.write(`{"v":1,"id":"proof","ok":true,"data":{"proof":"${first}"}}\n`);
      else to.write('{"v":1,"id":"1","ok":true,"data":{}}\n');
    });
    expect(await ask()).toMatchObject({ ok: true });
    expect(await ask()).toBe("foreign");
    expect(heard.filter((line) => line.includes("secret plans"))).toHaveLength(1);
  });
});

describe("the place of a worker that starts", () => {
  const long = (): string => {
    const state = path.join(folder, "x".repeat(120));
    mkdirSync(state, { mode: 0o700 });
    return path.join(state, "worker.sock");
  };
  const sources = () => ({ platform: process.platform, env: {}, temporary: folder });

  it("is closed to others first", async () => {
    chmodSync(folder, 0o775);
    const lock = await bindAt(address(), () => undefined, sources());
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(lock?.path).toBe(address());
    await lock?.release();
  });

  it("is refused where the folder is another user's, with what to do about it", () => {
    expect(() => closeToOthers(folder, me + 1)).toThrow(
      expect.objectContaining({ code: "not-private", fix: expect.stringContaining("THROUGHLINE_HOME") }),
    );
  });

  it("is a private folder with a name that cannot be guessed where the path is too long for a socket", async () => {
    const at = long();
    const lock = await bindAt(at, () => undefined, sources());
    const place = lock?.path ?? "";
    expect(path.dirname(place)).toMatch(/throughline-\w{6}$/);
    expect(statSync(path.dirname(place)).mode & 0o777).toBe(0o700);
    expect(statSync(at).mode & 0o777).toBe(0o600);
    expect(readPointer(at)?.path).toBe(place);
    expect(lock?.isOurs()).toBe(true);
    await lock?.release();
    expect(() => statSync(path.dirname(place))).toThrow("ENOENT");
  });

  it("is made anew where others got at the folder that is named", async () => {
    const at = long();
    const taken = path.join(folder, "throughline-taken");
    mkdirSync(taken, { mode: 0o777 });
    chmodSync(taken, 0o777);
    writeFileSync(at, JSON.stringify({ path: path.join(taken, "worker.sock"), secret: SECRET }));
    const lock = await bindAt(at, () => undefined, sources());
    expect(path.dirname(lock?.path ?? "")).not.toBe(taken);
    expect(readPointer(at)?.secret).not.toBe(SECRET);
    await lock?.release();
  });

  it("is in the runtime folder of the session where that is private, and nowhere in one that is not", async () => {
    const runtime = path.join(folder, "run");
    mkdirSync(runtime, { mode: 0o700 });
    const env = { XDG_RUNTIME_DIR: runtime };
    expect(pointElsewhere(long(), { ...sources(), env }).path).toContain(`${runtime}/throughline-`);
    chmodSync(runtime, 0o777);
    expect(pointElsewhere(address(), { ...sources(), env }).path).not.toContain(runtime);
  });

  it("is refused where every folder's path is too long", () => {
    expect(() => pointElsewhere(address(), { ...sources(), temporary: path.dirname(long()) })).toThrow(
      expect.objectContaining({ code: "not-private", fix: expect.stringContaining("shorter path") }),
    );
  });
});

describe("on Windows, the worker", () => {
  const point = () => pointElsewhere(address(), { platform: "win32", env: {}, temporary: folder });

  it("listens at a pipe whose name has 128 random bits, with a second secret beside it, new for every worker", () => {
    const [first, second] = [point(), point()];
    for (const { path: pipe, secret } of [first, second]) {
      expect(pipe).toMatch(/^\\\\\.\\pipe\\throughline-[0-9a-f]{32}$/);
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
    }
    expect([second.path, second.secret]).not.toEqual([first.path, first.secret]);
    expect(endpointAt(address(), windows)).toEqual(second);
    expect(readFileSync(address(), "utf8")).not.toContain(first.secret);
  });

  it.each([
    "\\\\.\\pipe\\evil",
    "\\\\server\\pipe\\throughline-",
    "/tmp/x.sock",
    "\\\\.\\pipe\\throughline-0123",
  ])("is nowhere else: %s", (place) => {
    writeFileSync(address(), JSON.stringify({ path: place, secret: SECRET }));
    expect(endpointAt(address(), windows)).toBe("absent");
  });

  it("is not believed without a secret", () => {
    writeFileSync(address(), JSON.stringify({ path: point().path, secret: "short" }));
    expect(endpointAt(address(), windows)).toBe("absent");
  });
});
