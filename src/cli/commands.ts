// The commands there are; each is loaded only when it is asked for.
import type { Group } from "./command.ts";

export const root: Group = {
  kind: "group",
  commands: [
    {
      name: "transcript",
      summary: "what a recorded session holds",
      load: () => import("./commands/transcript.ts"),
    },
    {
      name: "window",
      summary: "what the model would see next, and why",
      load: () => import("./commands/window.ts"),
    },
    {
      name: "recall",
      summary: "the exact bytes of what left the window",
      load: () => import("./commands/recall.ts"),
    },
    {
      name: "ledger",
      summary: "every edit of a session's window",
      load: () => import("./commands/ledger.ts"),
    },
    {
      name: "replay",
      summary: "what sessions would have cost under other rules",
      load: () => import("./commands/replay.ts"),
    },
    { name: "config", summary: "show and change settings", load: () => import("./commands/config.ts") },
  ],
  examples: [
    { line: "throughline transcript session.jsonl", does: "what a recorded session holds" },
    {
      line: "throughline replay ~/.claude/projects/my-app",
      does: "what its sessions would have cost under other rules",
    },
    { line: "throughline config list --origin", does: "every setting and where it comes from" },
    { line: "throughline --version", does: "the version alone" },
  ],
};
