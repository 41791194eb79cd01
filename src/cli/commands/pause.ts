// `throughline pause`: from now on nothing is captured.
import { pause } from "../../home/index.ts";
import { defineCommand } from "../command.ts";
import { surroundings } from "../surroundings.ts";
import { localMinute } from "../wording.ts";

export default defineCommand({
  args: {},
  examples: [
    { line: "throughline pause", does: "what happens until `throughline resume` is never recorded" },
  ],
  run() {
    const { changed, since } = pause(surroundings().home);
    const text = changed
      ? "paused; `throughline resume` goes on"
      : `paused already, since ${localMinute(since)}`;
    return { data: { paused: true, changed, since }, text };
  },
});
