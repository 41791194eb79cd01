// `throughline open`: the viewer in the browser, signed in by a code that is good once.

import { workerSocket } from "../../home/index.ts";
import { call } from "../../ipc/index.ts";
import { isObject, ThroughlineError } from "../../lib/index.ts";
import { openInBrowser } from "../browser.ts";
import { defineCommand } from "../command.ts";
import { ensureWorker } from "../runningWorker.ts";
import { surroundings } from "../surroundings.ts";

interface Invited {
  readonly url: string;
  readonly port: number;
  readonly expiresAt: string;
}

const noCode = (): ThroughlineError =>
  new ThroughlineError("worker-failed", "the worker gave no code to sign in with", {
    fix: "throughline worker stop, and try again",
  });

/** The code stands behind the `#`: browsers send that part to nobody. */
async function invited(socket: string): Promise<Invited> {
  const data = await call(socket, "invite");
  if (!isObject(data) || typeof data.code !== "string") throw noCode();
  const port = Number(data.port);
  // What goes to the browser is an address of this machine, whatever was answered.
  if (!Number.isInteger(port) || port < 1 || port > 65_535 || !/^[\w-]+$/.test(data.code)) throw noCode();
  const url = `http://127.0.0.1:${port}/#code=${data.code}`;
  return { url, port, expiresAt: String(data.expiresAt) };
}

export default defineCommand({
  args: {
    print: { type: "boolean", description: "print the address only; it is good once and for two minutes" },
  },
  examples: [
    { line: "throughline open", does: "see what your agent knows, and what it was shown" },
    { line: "throughline open --print", does: "the address, for a browser that is not found by itself" },
  ],
  async run({ args }) {
    const { home, env } = surroundings();
    await ensureWorker({ home, env });
    const invitation = await invited(workerSocket(home));
    const { url, port } = invitation;
    const opened = args.print === true ? false : await openInBrowser(url, env);
    const text = opened
      ? `opened http://127.0.0.1:${port} in the browser`
      : args.print === true
        ? url
        : `no browser could be opened here; within two minutes, open this yourself:\n${url}`;
    return { data: { ...invitation, opened }, text };
  },
});
