// `throughline worker start`: a worker in the background; an older one hands over to it.
import { defineCommand } from "../../command.ts";
import { ensureWorker } from "../../runningWorker.ts";
import { surroundings } from "../../surroundings.ts";

export default defineCommand({
  args: {},
  examples: [{ line: "throughline worker start", does: "hooks start it too, when they need it" }],
  async run() {
    const worker = await ensureWorker(surroundings());
    const { pid, version, started } = worker;
    const text = `${started ? "started" : "runs already"}: process ${pid}, version ${version}`;
    return { data: worker, text };
  },
});
