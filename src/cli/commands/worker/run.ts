// `throughline worker run`: this process becomes the worker and ends when the worker leaves.
import { workerSocket } from "../../../home/index.ts";
import { runWorkerInProcess } from "../../../worker/index.ts";
import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../output.ts";
import { workerProgram } from "../../ownPackage.ts";
import { surroundings } from "../../surroundings.ts";

const endings: Readonly<Record<string, string>> = {
  idle: "left: nobody needed it",
  replaced: "left: the socket was taken over or deleted",
  shutdown: "left: it was asked to stop",
  handover: "left: a newer worker took over",
  signal: "left: it was interrupted",
  held: "a worker of this version or a newer one is running already",
};

export default defineCommand({
  args: {},
  examples: [
    { line: "throughline worker run", does: "for a service manager, or to see why it will not start" },
  ],
  async run() {
    const ending = await runWorkerInProcess({ program: workerProgram() });
    const socket = workerSocket(surroundings().home);
    return {
      data: { ending },
      text: endings[ending] ?? `something that is no worker listens at ${socket}`,
      exitCode: ending === "foreign" ? exitCodes.failure : exitCodes.ok,
    };
  },
});
