// Errors people meet: a stable code, what happened, and what to do about it.

/** Every code the product can raise, with the sentence that documents it. */
export const errorCodes = {
  usage: "The command line was not understood.",
  "not-found": "A file, handle, session or entry that was named does not exist.",
  "not-a-file": "A path names a directory or device where a file was expected.",
  "not-text": "A file holds binary data where text was expected.",
  "unknown-model": "The model is not in the model table.",
  "config-invalid": "A configuration value or file cannot be used.",
  excluded: "Nothing is kept of work in this folder, by `capture.exclude`.",
  "ambiguous-handle": "A shortened handle matches more than one stored blob.",
  "vault-corrupt": "Stored bytes no longer match the hash they are named by.",
  "undo-refused": "A ledger entry cannot be undone.",
  "invalid-edit": "An edit is malformed and was not recorded.",
  "invalid-history": "A message array breaks the API's rules and cannot be repaired safely.",
  "database-busy": "Another process holds the database.",
  "database-newer": "The database was written by a newer version of Throughline.",
  "database-damaged": "The database is damaged, or the file is not a database.",
  "database-unusable": "The database is not one of Throughline's.",
  "database-failed": "The database refused a statement; the message has the code that SQLite gave.",
  "disk-full": "The disk is full; what could not be written is kept or filled in once there is room.",
  "permission-denied": "A file or folder may not be read or written, or does not exist.",
  "backup-damaged": "A backup is incomplete, was changed, or names files that it must not name.",
  "settings-invalid": "A settings file of the agent cannot be read or edited safely.",
  "window-too-small": "System prompt, tools and the newest messages do not fit into the model's window.",
  busy: "Another process is at work on the same files.",
  "memory-refused": "A memory or a path breaks a rule of the memory directory.",
  "embedder-failed": "What turns text into vectors cannot be reached or does not answer as it should.",
  "memory-changed": "A memory was changed since it was read.",
  "io-failed": "The operating system refused a read or a write.",
  "worker-absent": "A command needs the worker, and none is running.",
  "worker-failed": "The worker refused a request, or does not answer as a worker should.",
  "access-refused": "A server does not accept the key of a request, or the key does not allow it.",
  "server-absent": "The server of the team cannot be reached, or does not answer as one.",
  "not-private": "A folder or socket that must be this user's alone is another user's, or open to others.",
  internal: "An unexpected error; it is worth reporting.",
} as const;

/** The codes of `errorCodes`. */
export type ErrorCode = keyof typeof errorCodes;

/** An expected failure: `message` says what happened, `fix` what the person can do. The fix alone may be given as a string. */
export class ThroughlineError extends Error {
  readonly code: ErrorCode;
  readonly fix: string | undefined;

  constructor(code: ErrorCode, message: string, more: string | { fix?: string; cause?: unknown } = {}) {
    const { fix, cause } = typeof more === "string" ? { fix: more } : more;
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ThroughlineError";
    this.code = code;
    this.fix = fix;
  }
}

type Remedy = ConstructorParameters<typeof ThroughlineError>[2];

export const usageError = (message: string, more?: Remedy): ThroughlineError =>
  new ThroughlineError("usage", message, more);

export const notFoundError = (message: string, more?: Remedy): ThroughlineError =>
  new ThroughlineError("not-found", message, more);

/** The `code` of a Node system error (`ENOENT`, `EACCES` …), or undefined for anything else. */
export function systemErrorCode(error: unknown) {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return undefined;
}

/** What the work gives; undefined where the system refuses it with one of these codes. Throws every other error. */
export function tolerating<T>(work: () => T, ...codes: readonly string[]): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
}

export function errorText(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}
