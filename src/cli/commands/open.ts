// `throughline open`: the viewer in the browser, signed in by a one-time code. `throughline mcp`: tools for a model over stdio.

import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { workerSocket } from "../../home/index.ts";
import { call } from "../../ipc/index.ts";
import { isObject, ownVersion, ThroughlineError } from "../../lib/index.ts";
import { serveMcp } from "../../mcp/index.ts";
import { defineCommand, flag } from "../command.ts";
import { commandContext, currentConfig } from "../context.ts";
import { workerProgram } from "../package.ts";
import { ensureWorker } from "../runningWorker.ts";

/** Not `start` on Windows: it takes its first quoted argument for a title and `&` for another command. */
export function openerFor(platform: NodeJS.Platform, url: string) {
  if (platform === "darwin") return { command: "open", args: [url] };
  if (platform === "win32") return { command: "rundll32", args: ["url.dll,FileProtocolHandler", url] };
  return { command: "xdg-open", args: [url] };
}

/** An opener that still runs after this time is the browser. */
const OPENER_FAILS_WITHIN_MS = 3_000;

/** False where no browser can be opened, for example without a display. */
function openInBrowser(url: string, env: NodeJS.ProcessEnv) {
  const { command, args } = openerFor(process.platform, url);
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, detached: true, stdio: "ignore", windowsHide: true });
    const finish = (opened: boolean) => {
      clearTimeout(timer);
      child.unref();
      resolve(opened);
    };
    const timer = setTimeout(() => finish(true), OPENER_FAILS_WITHIN_MS);
    child.on("error", () => finish(false));
    child.on("exit", (code) => finish(code === 0));
  });
}

const noCode = () =>
  new ThroughlineError(
    "worker-failed",
    "the worker gave no sign-in code",
    "run `throughline worker stop` and try again",
  );

/** The code follows the `#`: browsers do not send that part. */
async function signIn(socket: string) {
  const data = await call(socket, "invite");
  if (!isObject(data) || typeof data.code !== "string") throw noCode();
  const port = Number(data.port);
  // The browser gets an address of this machine, whatever the answer was.
  if (!Number.isInteger(port) || port < 1 || port > 65_535 || !/^[\w-]+$/.test(data.code)) throw noCode();
  const url = `http://127.0.0.1:${port}/#code=${data.code}`;
  return { url, port, expiresAt: String(data.expiresAt) };
}

const open = defineCommand({
  args: {
    print: flag("only print the address, which works once and for two minutes"),
  },
  examples: {
    "throughline open": "what your agent knows, and what it was shown",
    "throughline open --print": "the address, for another browser",
  },
  async run({ args }) {
    const { home, env } = commandContext();
    await ensureWorker({ home, env });
    const signedIn = await signIn(workerSocket(home));
    const { url, port } = signedIn;
    const opened = args.print ? false : await openInBrowser(url, env);
    const text = opened
      ? `opened http://127.0.0.1:${port} in the browser`
      : args.print
        ? url
        : `no browser could be opened; open this address within two minutes:\n${url}`;
    return { data: { ...signedIn, opened }, text };
  },
});

/** The server behind the handshake, or from the beginning: then it reads stdin and writes stdout. */
export async function serveTools(streams: { input?: Readable; output?: Writable } = {}) {
  const { values } = currentConfig();
  const { model, models } = values;
  const program = workerProgram();
  await serveMcp({ ...commandContext(), version: ownVersion, program, model, models, ...streams });
}

const mcp = defineCommand({
  examples: {
    "throughline mcp": "started by an MCP client; `install` configures Claude Code",
    "claude mcp add throughline -- throughline mcp": "the same by hand",
  },
  async run() {
    await serveTools();
    return { data: {}, text: "" };
  },
});

export default { open, mcp };
