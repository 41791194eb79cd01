// The commands there are; each is loaded only when it is asked for.
import type { CommandEntry, Group } from "./command.ts";

const under = (heading: string, entries: readonly CommandEntry[]): CommandEntry[] =>
  entries.map((entry) => ({ ...entry, heading }));

export const root: Group = {
  kind: "group",
  commands: [
    ...under("Set up", [
      {
        name: "install",
        summary: "put our hooks into the settings of Claude Code",
        load: () => import("./commands/install.ts"),
      },
      {
        name: "uninstall",
        summary: "take our hooks out again; data stays unless you say so",
        load: () => import("./commands/uninstall.ts"),
      },
      {
        name: "status",
        summary: "what is installed, what runs and what waits",
        load: () => import("./commands/status.ts"),
      },
      {
        name: "doctor",
        summary: "what is wrong, and the command that puts it right",
        load: () => import("./commands/doctor.ts"),
      },
      { name: "pause", summary: "capture nothing for a while", load: () => import("./commands/pause.ts") },
      { name: "resume", summary: "capture again", load: () => import("./commands/resume.ts") },
      {
        name: "worker",
        summary: "the process that keeps what hooks capture",
        load: () => import("./commands/worker.ts"),
      },
      { name: "config", summary: "show and change settings", load: () => import("./commands/config.ts") },
      { name: "mcp", summary: "what is kept, as tools for a model", load: () => import("./commands/mcp.ts") },
    ]),
    ...under("Find what is kept", [
      { name: "open", summary: "see all of it in the browser", load: () => import("./commands/open.ts") },
      {
        name: "search",
        summary: "find what was learned, said and done",
        load: () => import("./commands/search.ts"),
      },
      {
        name: "timeline",
        summary: "what happened before and after something",
        load: () => import("./commands/timeline.ts"),
      },
      { name: "show", summary: "what was found, whole", load: () => import("./commands/show.ts") },
      {
        name: "observations",
        summary: "what was learned, newest first",
        load: () => import("./commands/observations.ts"),
      },
      {
        name: "summaries",
        summary: "what turns came to, newest first",
        load: () => import("./commands/summaries.ts"),
      },
      { name: "notes", summary: "what a session's notes say", load: () => import("./commands/notes.ts") },
      {
        name: "memory",
        summary: "typed memories of a project, kept small, true and safe",
        load: () => import("./commands/memory.ts"),
      },
      { name: "stats", summary: "how much is kept, and of what", load: () => import("./commands/stats.ts") },
    ]),
    ...under("See what the model sees", [
      {
        name: "snapshot",
        summary: "what is saved before a compaction and loaded after it",
        load: () => import("./commands/snapshot.ts"),
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
        name: "window",
        summary: "what the model would see next, and why",
        load: () => import("./commands/window.ts"),
      },
      {
        name: "compact",
        summary: "a conversation brought down to a size",
        load: () => import("./commands/compact.ts"),
      },
      {
        name: "transcript",
        summary: "what a recorded session holds",
        load: () => import("./commands/transcript.ts"),
      },
      {
        name: "replay",
        summary: "what sessions would have cost under other rules",
        load: () => import("./commands/replay.ts"),
      },
    ]),
    ...under("Bring in, keep and let go", [
      {
        name: "import",
        summary: "bring in the sessions you had before: transcripts and claude-mem",
        load: () => import("./commands/import.ts"),
      },
      {
        name: "archive",
        summary: "whole conversations as files, one a session",
        load: () => import("./commands/archive.ts"),
      },
      {
        name: "data",
        summary: "back up, move, check and shrink what is kept",
        load: () => import("./commands/data.ts"),
      },
      {
        name: "backup",
        summary: "copy everything that is kept, while it is in use",
        load: () => import("./commands/backup.ts"),
      },
      {
        name: "restore",
        summary: "put a backup in the place of what is kept",
        load: () => import("./commands/restore.ts"),
      },
      {
        name: "forget",
        summary: "delete what is kept of a session, a project or a time",
        load: () => import("./commands/forget.ts"),
      },
    ]),
  ],
  examples: [
    { line: "throughline install", does: "from now on every session is kept" },
    { line: "throughline import", does: "the sessions that you had before" },
    { line: "throughline search why did we drop the retry queue", does: "plain words, best answers first" },
    { line: "throughline open", does: "all of it in the browser" },
    {
      line: "throughline replay ~/.claude/projects/my-app",
      does: "what its sessions would have cost under other rules",
    },
    { line: "throughline --version", does: "the version alone" },
  ],
};
