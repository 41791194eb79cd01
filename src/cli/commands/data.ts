// `throughline data`: copies of what is kept, its health and its size.
import type { Group } from "../command.ts";

const group: Group = {
  kind: "group",
  commands: [
    {
      name: "export",
      summary: "write what is kept as lines of JSON",
      load: () => import("./data/export.ts"),
    },
    { name: "import", summary: "take the lines of an export in", load: () => import("./data/import.ts") },
    { name: "check", summary: "look for damage", load: () => import("./data/check.ts") },
    { name: "vacuum", summary: "give free space back to the disk", load: () => import("./data/vacuum.ts") },
    {
      name: "retention",
      summary: "show, and then let go of, what is old or too much",
      load: () => import("./data/retention.ts"),
    },
  ],
  examples: [
    { line: "throughline data check", does: "look for damage" },
    { line: "throughline data export work.jsonl --project .", does: "the project in this folder, as lines" },
    { line: "throughline data retention --raw-retention-days 90", does: "what that rule would let go of" },
  ],
};

export default group;
