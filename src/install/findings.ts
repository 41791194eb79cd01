// The catalogue of findings about an installation; docs/troubleshooting.md is generated from it.
import type { Scope } from "./receipt.ts";

type Severity = "problem" | "warning";

interface FindingKind {
  readonly severity: Severity;
  /** For docs/troubleshooting.md. */
  readonly meaning: string;
  readonly remedy: string;
}

const kind =
  (severity: Severity) =>
  (meaning: string, remedy: string): FindingKind => ({ severity, meaning, remedy });
const problemKind = kind("problem");
const warning = kind("warning");

/** Every finding, in the order of the checks. */
export const findingKinds = {
  "check-failed": problemKind("A check failed. The others were carried out.", "fix what the line names"),
  "config-invalid": problemKind(
    "Throughline's own configuration is invalid. The worker uses the defaults.",
    "edit the named line",
  ),
  "settings-invalid": problemKind(
    "A settings file of Claude Code is not valid JSON or has the wrong shape. Claude Code ignores all of it.",
    "edit the named line",
  ),
  "settings-unread": problemKind(
    "A settings file has comments or trailing commas. Claude Code accepts plain JSON only and ignores all of it.",
    "remove the comments and trailing commas",
  ),
  "not-installed": problemKind(
    "No settings file has our hooks and the plugin is not enabled: nothing is captured.",
    "`throughline install`",
  ),
  "hooks-disabled": problemKind(
    "`disableAllHooks` is set: Claude Code runs no hook, ours included.",
    "remove `disableAllHooks` from the named file",
  ),
  "hooks-barred": problemKind(
    "The administrator of this machine allows only their own hooks.",
    "ask for our hooks to be added to the named file",
  ),
  "node-gone": problemKind(
    "Hooks refer to a Node that no longer exists, for example after an update by nvm.",
    "`throughline install --yes` with the current Node",
  ),
  "bundle-gone": problemKind(
    "The programs of the hooks do not exist: the package was moved or removed.",
    "`throughline install --yes` from where the package is now",
  ),
  "events-missing": problemKind("Some of our hook entries are missing.", "`throughline install --yes`"),
  "installed-twice": warning(
    "Hooks are installed more than once. Every event is still stored once, but each hook runs twice. (The plugin does nothing beside hooks in your own settings.)",
    "`throughline uninstall --scope SCOPE`, or `claude plugin uninstall throughline@throughline`",
  ),
  "plugin-incomplete": problemKind(
    "The plugin is enabled but its program does not exist: it was not copied whole, or comes from an older version.",
    "`claude plugin update throughline@throughline`",
  ),
  "plugin-skew": warning(
    "The plugin and this program have different versions. They work together, without the newer features.",
    "`claude plugin update throughline@throughline`",
  ),
  "home-differs": problemKind(
    "Hooks write to another home folder than the one this program uses.",
    "set THROUGHLINE_HOME to the same folder, or reinstall with the one you want",
  ),
  "receipt-unreadable": warning(
    "The receipt of the installation cannot be read. Uninstalling finds our entries by their names.",
    "move the receipt away, then `throughline install --yes`",
  ),
  "runtime-missing": problemKind(
    "The file from which hooks know how to start the worker is missing or broken.",
    "`throughline install --yes`",
  ),
  "worker-program-gone": problemKind(
    "The worker that hooks would start does not exist: the package or its Node was moved.",
    "`throughline install --yes`",
  ),
  "runtime-skew": warning(
    "Hooks start a worker of another version than this program.",
    "`throughline install --yes` with the version you want",
  ),
  "worker-skew": warning(
    "The running worker has another version. A newer one takes over at the next session.",
    "`throughline worker stop`, then `throughline worker start`",
  ),
  "worker-foreign": problemKind(
    "Another program listens on the worker's socket, or the worker does not answer.",
    "end that program, then `throughline worker start`",
  ),
  "worker-stale": warning(
    "A worker was killed and left its socket or state file. The next one cleans up.",
    "`throughline worker start`",
  ),
  "worker-absent": warning("No worker is running although events are waiting.", "`throughline worker start`"),
  "worker-dies": problemKind(
    "The last worker failed at its start. Events wait in the spool.",
    "follow the line; `throughline worker run` shows the failure",
  ),
  "port-taken": warning(
    "The viewer is on another port than configured, because that one was in use.",
    "`throughline config set worker.port PORT`, or leave it",
  ),
  paused: warning("Capture is paused: nothing is recorded until it is resumed.", "`throughline resume`"),
  "folder-excluded": warning(
    "The current folder is excluded by `capture.exclude`: nothing in it is captured.",
    "`throughline config get capture.exclude`; ignore this if it is intended",
  ),
  "project-untrusted": warning(
    "The project's settings file is not trusted. Its values are ignored, except those that only switch something off.",
    "`throughline config trust` shows the file and asks",
  ),
  "project-ignored": warning(
    "The project's settings file has keys that a project cannot set, or values that cannot be read. They are ignored.",
    "remove them from the file, or set them in your own with `throughline config set`",
  ),
  "spool-unwritable": problemKind(
    "Hooks cannot write events: the spool is not writable.",
    "make the named folder writable",
  ),
  "spool-backlog": warning(
    "Many events wait in the spool, or some have waited for long. None is lost.",
    "`throughline worker start`",
  ),
  "spool-bad": warning(
    "Files in the spool could not be read and were set aside.",
    "look into the named folder",
  ),
  "disk-full": problemKind(
    "The disk with the data is almost full. Events wait in the spool until there is space.",
    "free disk space",
  ),
  "database-damaged": problemKind(
    "The database is damaged. The next worker sets it aside and salvages what can be read.",
    "`throughline worker stop`, then `throughline worker start`",
  ),
  "database-recovered": warning(
    "The database was damaged. It was set aside and replaced by a new one, and what could be read was salvaged. The damaged file is kept.",
    "delete the named folder when you no longer need it",
  ),
  "database-refused": problemKind(
    "The database cannot be opened or read, although it does not seem damaged: see [the code](store.md).",
    "follow the line",
  ),
  "database-newer": problemKind(
    "The database was written by a newer version; this one does not touch it.",
    "install the newer version",
  ),
  "mod-missing": warning(
    "The lane `mods` is set, but Claude Code does not know the folder of the mod, or it does not exist. Hooks capture instead.",
    "`throughline install --lane mods --yes`",
  ),
  "mod-trouble": warning(
    "The worker did not answer the mod inside Claude Code in the last day, and no new worker has started since. Sessions ran as plain Claude Code, and hooks captured them.",
    "`throughline worker stop`, then `throughline worker start`",
  ),
  "files-open": warning("Our files can be read by other users of the machine.", "`throughline doctor --fix`"),
  "events-lost": warning(
    "Hooks could not write events, and the worker has not recovered them from the transcripts yet. It does so once it can.",
    "free disk space, make the state folder writable, then `throughline worker start`",
  ),
  "jobs-given-up": warning(
    "Jobs on captured turns failed at their last attempt. The captured data is kept.",
    "`throughline worker jobs` lists them with the reasons, `throughline worker jobs --retry` retries them",
  ),
  "provider-silent": warning(
    "The configured model provider does not answer. Everything works without it, with plainer texts.",
    "check `llm.baseUrl`, `llm.command` and the key that `llm.apiKeyEnv` names",
  ),
  "hook-troubles": warning(
    "Hooks logged errors in the last day.",
    "see the shown line; the hook log has the others",
  ),
} satisfies Readonly<Record<string, FindingKind>>;

export type FindingId = keyof typeof findingKinds;

/** What `--fix` may do without asking: it touches only our own files and entries. */
export type Repair =
  | {
      readonly do: "install";
      readonly scope: Scope /** The project whose settings; absent for the user's own. */;
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
