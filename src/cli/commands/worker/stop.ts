// `throughline worker stop`: the worker keeps what is spooled, finishes its jobs and leaves.

import { workerSocket } from "../../../home/index.ts";
import { ask, call } from "../../../ipc/index.ts";
import { SECOND } from "../../../lib/index.ts";
import { defineCommand } from "../../command.ts";
import { surroundings } from "../../surroundings.ts";

/** A full spool may have to be drained first. */
const PATIENCE_MS = 120 * SECOND;

export default defineCommand({
  args: {},
  examples: [{ line: "throughline worker stop", does: "nothing that was captured is lost by it" }],
  async run() {
    const socket = workerSocket(surroundings().home);
    if ((await ask(socket, "ping", { timeoutMs: 2 * SECOND })) === "absent") {
      return { data: { stopped: false }, text: "no worker is running" };
    }
    await call(socket, "shutdown", { timeoutMs: PATIENCE_MS });
    return { data: { stopped: true }, text: "stopped" };
  },
});
