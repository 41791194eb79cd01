// The table of commands: names and summaries, with the file of each family, which is loaded on demand.
import type { Command, CommandEntry, Group } from "./command.ts";

type Family = readonly [
  load: () => Promise<{ readonly default: Readonly<Record<string, Command | Group>> }>,
  summaries: Readonly<Record<string, string>>,
];

function commandEntries(headings: Readonly<Record<string, readonly Family[]>>) {
  const entries: Record<string, CommandEntry> = {};
  for (const [heading, families] of Object.entries(headings))
    for (const [load, summaries] of families)
      for (const [name, summary] of Object.entries(summaries))
        entries[name] = {
          summary,
          heading,
          async load() {
            const command = (await load()).default[name];
            if (!command) throw new Error(`the file of ${name} does not define it`);
            return command;
          },
        };
  return entries;
}

const listed = commandEntries({
  "Set up": [
    [
      () => import("./commands/install.ts"),
      {
        install: "add hooks and tools to Claude Code's settings",
        uninstall: "remove them again; data is kept unless you ask",
      },
    ],
    [
      () => import("./commands/status.ts"),
      {
        status: "what is installed, what is running and what is waiting",
        pause: "stop capturing for a while",
        resume: "capture again",
      },
    ],
    [() => import("./commands/doctor.ts"), { doctor: "find problems, each with the command that fixes it" }],
    [() => import("./commands/worker.ts"), { worker: "the process that stores what hooks capture" }],
    [() => import("./commands/config.ts"), { config: "show and change settings" }],
    [() => import("./commands/run.ts"), { run: "start Claude Code or another program with the live window" }],
  ],
  "Find what is stored": [
    [() => import("./commands/open.ts"), { open: "open the viewer in the browser" }],
    [
      () => import("./commands/search.ts"),
      {
        search: "find what was learned, said and done",
        timeline: "what happened before and after something",
        show: "items by id in full, or the newest observations or summaries",
      },
    ],
    [
      () => import("./commands/errors.ts"),
      { errors: "what failed before, how often, and what was changed before it passed" },
    ],
    [() => import("./commands/notes.ts"), { notes: "the notes of a session" }],
    [
      () => import("./commands/memory/memory.ts"),
      { remember: "keep a sentence for later sessions", memory: "the typed memories of a project" },
    ],
  ],
  "See what the model sees": [
    [
      () => import("./commands/snapshot.ts"),
      { snapshot: "what is saved before a compaction and loaded after it" },
    ],
    [() => import("./commands/recall.ts"), { recall: "the exact bytes of what left the window" }],
    [
      () => import("./commands/replay/replay.ts"),
      { replay: "what recorded sessions would have cost under other policies" },
    ],
  ],
  "Import, keep and delete": [
    [
      () => import("./commands/import/import.ts"),
      { import: "import past sessions: transcripts and claude-mem" },
    ],
    [() => import("./commands/archive.ts"), { archive: "whole conversations as files, one per session" }],
    [
      () => import("./commands/data/data.ts"),
      { data: "back up, restore, export, check and shrink the data" },
    ],
    [
      () => import("./commands/forget/forget.ts"),
      { forget: "delete the data of a session, a project or a period, or one item" },
    ],
  ],
});

/** Shown by `help --all`. */
const unlisted = commandEntries({
  "Correct what is stored": [
    [
      () => import("./commands/forget/forget.ts"),
      { edit: "correct one observation or summary, and undo it" },
    ],
  ],
  "Add up what was spent": [
    [
      () => import("./commands/usage/usage.ts"),
      { usage: "what was spent today and in seven days by lane, or in one session by turn" },
    ],
  ],
  "Work on one transcript": [
    [() => import("./commands/recall.ts"), { ledger: "every edit of a session's window" }],
    [
      () => import("./commands/transcript.ts"),
      {
        transcript: "what a recorded session contains",
        window: "what the model would see next, and why",
      },
    ],
    [() => import("./commands/compact.ts"), { compact: "compact a recorded conversation to a size" }],
    [() => import("./commands/pin.ts"), { pin: "keep a turn in the window, through cuts and compactions" }],
  ],
  "For a team": [
    [
      () => import("./commands/team/server.ts"),
      { server: "the memory of several machines and of a team, on PostgreSQL" },
    ],
    [() => import("./commands/team/remote.ts"), { remote: "this machine's connection to that server" }],
    [
      () => import("./commands/team/share.ts"),
      { share: "let others of the team see an item, or take that back" },
    ],
  ],
  "Search by meaning": [[() => import("./commands/embed.ts"), { embed: "a model for search by meaning" }]],
  "For programs": [
    [
      () => import("./commands/agents/ingest.ts"),
      { ingest: "store events of any agent: one JSON object a line on standard input" },
    ],
    [() => import("./commands/statusline/statusline.ts"), { statusline: "a status line for Claude Code" }],
    [() => import("./commands/open.ts"), { mcp: "the stored data as tools for a model" }],
    [() => import("./commands/run.ts"), { proxy: "the live window for any client, as a base URL" }],
    [
      async () => {
        const { completionCommand } = await import("./commands/completion.ts");
        return { default: { completion: completionCommand(() => root) } };
      },
      { completion: "the commands and flags, for bash, zsh or fish to complete" },
    ],
  ],
});

export const root: Group = {
  kind: "group",
  commands: { ...listed, ...unlisted },
  examples: {
    "throughline install": "capture every session from now on",
    "throughline import": "add the sessions that you had before",
    "throughline search why did we drop the retry queue": "plain words, best answers first",
    "throughline open": "everything in the browser",
    "throughline replay ~/.claude/projects/my-app": "what its sessions would have cost under other policies",
    "throughline --version": "the version only",
  },
};

/** What `--help` lists. */
export const shortRoot: Group = { ...root, commands: listed };

/** Former names, which work through 0.2. */
export const renamedCommands: Readonly<Record<string, readonly string[]>> = {
  backup: ["data", "backup"],
  restore: ["data", "restore"],
  stats: ["data", "stats"],
  observations: ["show", "observations"],
  summaries: ["show", "summaries"],
};
