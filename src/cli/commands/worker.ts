// `throughline worker`: the resident process that keeps what hooks have captured.
import type { Group } from "../command.ts";

const group: Group = {
  kind: "group",
  commands: [
    {
      name: "start",
      summary: "start it in the background, or say that it runs",
      load: () => import("./worker/start.ts"),
    },
    { name: "stop", summary: "have it finish its work and leave", load: () => import("./worker/stop.ts") },
    { name: "status", summary: "what it is doing", load: () => import("./worker/status.ts") },
    { name: "logs", summary: "what it wrote into its log", load: () => import("./worker/logs.ts") },
    {
      name: "jobs",
      summary: "work that was given up, and another try",
      load: () => import("./worker/jobs.ts"),
    },
    { name: "run", summary: "be the worker, here and now", load: () => import("./worker/run.ts") },
  ],
  examples: [
    { line: "throughline worker status", does: "what it is doing" },
    { line: "throughline worker logs --follow", does: "watch it work" },
  ],
};

export default group;
