// `throughline config`: the settings and where they come from.
import type { Group } from "../command.ts";

const group: Group = {
  kind: "group",
  commands: [
    { name: "list", summary: "show every setting in effect", load: () => import("./config/list.ts") },
    { name: "get", summary: "show one setting", load: () => import("./config/get.ts") },
    { name: "set", summary: "change one setting in a file", load: () => import("./config/set.ts") },
    { name: "unset", summary: "take one setting out of a file", load: () => import("./config/unset.ts") },
    {
      name: "trust",
      summary: "let the project's file count, after a look",
      load: () => import("./config/trust.ts"),
    },
    {
      name: "untrust",
      summary: "let it count no more",
      load: () => import("./config/untrust.ts"),
    },
    { name: "path", summary: "show where the files are", load: () => import("./config/path.ts") },
    {
      name: "schema",
      summary: "print the JSON Schema of the files",
      load: () => import("./config/schema.ts"),
    },
  ],
  examples: [
    { line: "throughline config list --origin", does: "every setting and where it comes from" },
    { line: "throughline config set policy seed", does: "change your own file" },
  ],
};

export default group;
