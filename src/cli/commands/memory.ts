// `throughline memory`: typed memories of a project, kept small, true and safe.
import type { Group } from "../command.ts";

const group: Group = {
  kind: "group",
  commands: [
    {
      name: "add",
      summary: "save a memory, and its line in the index",
      load: () => import("./memory/add.ts"),
    },
    { name: "list", summary: "the memories of this project", load: () => import("./memory/list.ts") },
    {
      name: "show",
      summary: "one memory, and what of it still holds",
      load: () => import("./memory/show.ts"),
    },
    {
      name: "edit",
      summary: "change a memory, unless somebody else has",
      load: () => import("./memory/edit.ts"),
    },
    { name: "rm", summary: "remove a memory; undo brings it back", load: () => import("./memory/rm.ts") },
    {
      name: "search",
      summary: "find words in memories, and only if there are none in past conversations",
      load: () => import("./memory/search.ts"),
    },
    {
      name: "lint",
      summary: "what is wrong with the memories, and what went stale",
      load: () => import("./memory/lint.ts"),
    },
    { name: "log", summary: "append to the daily log, or show it", load: () => import("./memory/log.ts") },
    {
      name: "consolidate",
      summary: "memories that the daily logs suggest; nothing is saved unseen",
      load: () => import("./memory/consolidate.ts"),
    },
    { name: "history", summary: "every change, newest first", load: () => import("./memory/history.ts") },
    { name: "undo", summary: "take a change back", load: () => import("./memory/undo.ts") },
  ],
  examples: [
    {
      line: 'throughline memory add --type reference --name Bugs --description "where they are" --body Linear',
      does: "save where something is found",
    },
    { line: "throughline memory lint", does: "what went stale, what contradicts what" },
    { line: "throughline memory search deploy window", does: "memories first" },
  ],
};

export default group;
