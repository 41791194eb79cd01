// The catalogue of what can be wrong with an installation: the page on troubleshooting is made from it.
import type { Scope } from "./receipt.ts";

type Severity = "problem" | "warning";

interface FindingKind {
  readonly severity: Severity;
  /** What it means, for the page on troubleshooting. */
  readonly meaning: string;
  /** The usual way out, for the same page. */
  readonly remedy: string;
}

/** Everything that can be found, in the order in which it is looked for. */
export const findingKinds = {
  "check-failed": {
    severity: "problem",
    meaning: "One of the checks could not be carried out. All others were.",
    remedy: "put right what the line names",
  },
  "config-invalid": {
    severity: "problem",
    meaning: "Throughline's own configuration cannot be used. The worker goes on with defaults.",
    remedy: "edit the line that is named",
  },
  "settings-invalid": {
    severity: "problem",
    meaning:
      "A settings file of Claude Code is not valid JSON, or not shaped as one. Claude Code ignores all of it.",
    remedy: "edit the line that is named",
  },
  "settings-unread": {
    severity: "problem",
    meaning:
      "Comments or trailing commas in a settings file: Claude Code takes plain JSON only and ignores all of it.",
    remedy: "take the comments and trailing commas out",
  },
  "not-installed": {
    severity: "problem",
    meaning: "No settings file has our hooks and no plugin is switched on: nothing is captured.",
    remedy: "`throughline install`",
  },
  "hooks-disabled": {
    severity: "problem",
    meaning: "`disableAllHooks` is set: Claude Code runs no hook, ours included.",
    remedy: "take `disableAllHooks` out of the file that is named",
  },
  "hooks-barred": {
    severity: "problem",
    meaning: "The administrator of this machine lets no hooks run but their own.",
    remedy: "ask for our hooks to be added to the file that is named",
  },
  "node-gone": {
    severity: "problem",
    meaning: "Hooks are to be run by a Node that is not there any more, as after an update of Node by nvm.",
    remedy: "`throughline install --yes` with the Node of today",
  },
  "bundle-gone": {
    severity: "problem",
    meaning: "The programs that hooks run are gone: the package was moved or removed.",
    remedy: "`throughline install --yes` from where the package is now",
  },
  "events-missing": {
    severity: "problem",
    meaning: "Some of our hook entries are there and others are not.",
    remedy: "`throughline install --yes`",
  },
  "installed-twice": {
    severity: "warning",
    meaning:
      "Several sets of hooks are in force. Every event is still stored once; each hook costs its time twice.",
    remedy: "`throughline uninstall --scope SCOPE`, or `claude plugin uninstall throughline@throughline`",
  },
  "plugin-incomplete": {
    severity: "problem",
    meaning:
      "The plugin is switched on and its programs are not there: it comes from a clone that was never built.",
    remedy: "`npm run build` in the clone, then install the plugin again",
  },
  "plugin-skew": {
    severity: "warning",
    meaning:
      "The plugin is of another version than this program. They work together; one of them misses what is new.",
    remedy: "`claude plugin update throughline@throughline`",
  },
  "home-differs": {
    severity: "problem",
    meaning: "Hooks keep their events in another home folder than the one this program looks at.",
    remedy: "set THROUGHLINE_HOME to the same folder, or install again with the one you want",
  },
  "receipt-unreadable": {
    severity: "warning",
    meaning: "The record of what installing changed cannot be read. Uninstalling then goes by names.",
    remedy: "move the receipt away, then `throughline install --yes`",
  },
  "runtime-missing": {
    severity: "problem",
    meaning: "The small file that tells hooks how to start the worker is missing or broken.",
    remedy: "`throughline install --yes`",
  },
  "worker-program-gone": {
    severity: "problem",
    meaning: "The worker that hooks would start is not there: the package or its Node was moved.",
    remedy: "`throughline install --yes`",
  },
  "runtime-skew": {
    severity: "warning",
    meaning: "Hooks start a worker of another version than this program.",
    remedy: "`throughline install --yes` with the version you want",
  },
  "worker-skew": {
    severity: "warning",
    meaning: "The worker that runs is of another version. A newer one takes over at the next session.",
    remedy: "`throughline worker stop`, then `throughline worker start`",
  },
  "worker-foreign": {
    severity: "problem",
    meaning: "Something else listens at the worker's socket, or a worker that does not answer.",
    remedy: "end that program, then `throughline worker start`",
  },
  "worker-stale": {
    severity: "warning",
    meaning:
      "A worker ended without saying goodbye and left its socket or its state. The next one clears up.",
    remedy: "`throughline worker start`",
  },
  "worker-absent": {
    severity: "warning",
    meaning: "No worker runs although events are waiting for one.",
    remedy: "`throughline worker start`",
  },
  "worker-dies": {
    severity: "problem",
    meaning: "The last worker ended before it came to its work. Events wait in the spool meanwhile.",
    remedy: "what the line says; `throughline worker run` shows it as it happens",
  },
  "port-taken": {
    severity: "warning",
    meaning:
      "The worker's web page is on another port than the one that is set: another program has that one.",
    remedy: "`throughline config set worker.port PORT`, or leave it",
  },
  paused: {
    severity: "warning",
    meaning: "Capture is paused: nothing is recorded until it is resumed.",
    remedy: "`throughline resume`",
  },
  "folder-excluded": {
    severity: "warning",
    meaning: "The current folder is excluded by `capture.exclude`: nothing that happens here is captured.",
    remedy: "`throughline config get capture.exclude`; leave it if it is meant",
  },
  "project-untrusted": {
    severity: "warning",
    meaning:
      "The project's own settings file sets something, and you have not said that it may. Its values are ignored, but for those that only switch something off.",
    remedy: "`throughline config trust` shows the file and asks",
  },
  "project-ignored": {
    severity: "warning",
    meaning:
      "The project's own settings file has keys that hold for all projects, or that cannot be read. They are ignored.",
    remedy: "take them out of the file, or set them in your own with `throughline config set`",
  },
  "spool-unwritable": {
    severity: "problem",
    meaning: "Hooks cannot write events down: the spool cannot be written to.",
    remedy: "make the folder that is named writable for you",
  },
  "spool-backlog": {
    severity: "warning",
    meaning: "Many events wait in the spool, or some wait for long. None is lost.",
    remedy: "`throughline worker start`",
  },
  "spool-bad": {
    severity: "warning",
    meaning: "Files in the spool could not be read and were put aside.",
    remedy: "look at the folder that is named",
  },
  "disk-full": {
    severity: "problem",
    meaning: "Little space is left where data is kept. Events wait in the spool until there is some.",
    remedy: "make room",
  },
  "database-damaged": {
    severity: "problem",
    meaning: "The database is damaged. The next worker sets it aside and brings back what can be read.",
    remedy: "`throughline worker stop`, then `throughline worker start`",
  },
  "database-recovered": {
    severity: "warning",
    meaning:
      "The database was damaged. It was set aside, a new one took its place, and what could be read was brought back. The damaged file is kept.",
    remedy: "delete the folder that is named, when you do not need it",
  },
  "database-refused": {
    severity: "problem",
    meaning:
      "The database cannot be opened or read although nothing says that it is damaged: [the code](store.md) tells why.",
    remedy: "what the line says",
  },
  "database-newer": {
    severity: "problem",
    meaning: "The database was written by a newer version, and this one does not touch it.",
    remedy: "install the newer version",
  },
  "mod-missing": {
    severity: "warning",
    meaning:
      "The lane `mods` is set, and Claude Code is not told where the mod is, or the folder is gone. Command hooks do the work.",
    remedy: "`throughline install --lane mods --yes`",
  },
  "mod-trouble": {
    severity: "warning",
    meaning:
      "The mod inside Claude Code had no answer from the worker in the last day, and no new worker has started since. Sessions went on as plain Claude Code, and command hooks captured them.",
    remedy: "`throughline worker stop`, then `throughline worker start`",
  },
  "files-open": {
    severity: "warning",
    meaning: "Files of ours can be read by other users of the machine.",
    remedy: "`throughline doctor --fix`",
  },
  "events-lost": {
    severity: "warning",
    meaning:
      "Hooks could not write events, and the worker has not read them from the transcripts yet. It does so by itself once it can.",
    remedy: "free disk space, make the state folder writable, then `throughline worker start`",
  },
  "jobs-given-up": {
    severity: "warning",
    meaning: "Work on captured turns failed at its last attempt. What was captured is kept.",
    remedy:
      "`throughline worker jobs` lists it with its reason, `throughline worker jobs --retry` tries again",
  },
  "provider-silent": {
    severity: "warning",
    meaning:
      "The model provider of the settings does not answer. Everything works without it, in plainer words.",
    remedy: "check `llm.baseUrl`, `llm.command` and the key that `llm.apiKeyEnv` names",
  },
  "hook-troubles": {
    severity: "warning",
    meaning: "Hooks had something to complain about in the last day.",
    remedy: "see the line that is shown; the hook log has the others",
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

export type FindingId = keyof typeof findingKinds;

/** Something that `--fix` may do without being asked again: it touches nothing but what is ours. */
export type Repair =
  | {
      readonly do: "install";
      readonly scope: Scope /** Whose settings; none are needed for the user's own. */;
      readonly project?: string;
    }
  | { readonly do: "start-worker" }
  | { readonly do: "close"; readonly paths: readonly string[] };

export interface Finding {
  readonly id: FindingId;
  readonly severity: Severity;
  readonly what: string;
  /** The exact command, or what to do by hand. */
  readonly fix: string;
  readonly repair?: Repair;
}
