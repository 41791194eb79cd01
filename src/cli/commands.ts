// The commands there are; each is loaded only when it is asked for.
import type { Group } from "./command.ts";

export const root: Group = {
  kind: "group",
  commands: [
    { name: "config", summary: "show and change settings", load: () => import("./commands/config.ts") },
  ],
  examples: [
    { line: "throughline config list --origin", does: "every setting and where it comes from" },
    { line: "throughline --version", does: "the version alone" },
  ],
};
