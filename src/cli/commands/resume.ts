// `throughline resume`: capture goes on; what happened in the pause stays unrecorded.
import { resume } from "../../home/index.ts";
import { defineCommand } from "../command.ts";
import { surroundings } from "../surroundings.ts";
import { localMinute } from "../wording.ts";

export default defineCommand({
  args: {},
  examples: [{ line: "throughline resume", does: "what happened in between is not caught up on" }],
  run() {
    const { changed, since } = resume(surroundings().home);
    const text = changed
      ? `capture goes on; it was paused since ${localMinute(since ?? "")}`
      : "capture was not paused";
    return { data: { paused: false, changed, since: since ?? null }, text };
  },
});
