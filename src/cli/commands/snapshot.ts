// `throughline snapshot`: what is saved before a compaction, and what is done with it when a session starts.
import type { Group } from "../command.ts";

const group: Group = {
  kind: "group",
  commands: [
    {
      name: "save",
      summary: "take a snapshot of this project's latest session now",
      load: () => import("./snapshot/save.ts"),
    },
    {
      name: "decide",
      summary: "load or clean up, as when a session starts here",
      load: () => import("./snapshot/decide.ts"),
    },
    { name: "show", summary: "a snapshot, or the digest of it", load: () => import("./snapshot/show.ts") },
    { name: "list", summary: "the snapshots of this project", load: () => import("./snapshot/list.ts") },
    {
      name: "clean",
      summary: "remove snapshots and the reference to them",
      load: () => import("./snapshot/clean.ts"),
    },
  ],
  examples: [
    { line: "throughline snapshot save", does: "before you compact by hand, say" },
    { line: "throughline snapshot decide --dry-run", does: "what a new session would do, and why" },
    { line: "throughline snapshot clean", does: "remove them all; the bytes stay recallable" },
  ],
};

export default group;
