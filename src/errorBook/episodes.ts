// Episodes of failure in a session: from the first run that failed to the one that passed, with what was changed in between.
import { type Action, actionOf, type CapturedEvent, callOfEvent } from "../activity/index.ts";
import { type Failure, failureOf } from "./failure.ts";

/** What was done between red and green. */
export interface Fix {
  readonly at: string;
  /** Files that were changed, and commands that changed something, such as an installation. */
  readonly files: readonly string[];
  readonly commands: readonly string[];
  /** The change of each file in one line. */
  readonly changes: readonly string[];
  /** The subject of the first commit after the run that passed. */
  readonly commit?: string;
  readonly promptNumber: number;
  /** The event of the run that passed. */
  readonly row: string;
}

export interface Episode extends Failure {
  readonly session: string;
  readonly project: string;
  readonly command: string;
  readonly at: string;
  readonly lastAt: string;
  /** Runs that failed. */
  readonly runs: number;
  /** The event of the first one. */
  readonly row: string;
  /** `passed`: green again with nothing changed in between. `open`: no run that covers it passed since. */
  readonly state: "fixed" | "passed" | "open";
  readonly fix?: Fix;
}

interface SessionEvent extends CapturedEvent {
  readonly at: string;
  readonly session: string;
  readonly project: string;
  readonly cwd?: string;
  readonly promptNumber?: number;
}

interface Doing {
  readonly path?: string;
  readonly command?: string;
  readonly line: string;
}

interface OpenEpisode {
  readonly failure: Failure;
  readonly first: Action;
  readonly event: SessionEvent;
  lastAt: string;
  runs: number;
  readonly doings: Doing[];
}

/** The program and what it is given, without flags, pipes and what stands before the last command of a chain. */
const commandKey = (command: string) =>
  (command.split(/&&|;|\n/).findLast((part) => part.trim() !== "") ?? "")
    .replace(/(?:\d?>|\|).*$/s, "")
    .split(/\s+/)
    .filter((word) => word !== "" && !word.startsWith("-"))
    .slice(0, 3)
    .join(" ");

const filesNamed = (command: string) =>
  command
    .split(/\s+/)
    .map((word) => word.replace(/^["']|["']$/g, "").replace(/::.*$/, ""))
    .filter((word) => /\.\w{1,5}$/.test(word) && !word.startsWith("-"))
    .map((word) => word.split(/[\\/]/).at(-1) ?? word);

/** Whether a run that passed says anything of the failure: the same command, or a check of its kind that covers it. */
function covers(passed: Action, { first, failure }: OpenEpisode) {
  const command = passed.command ?? passed.line;
  const failed = first.command ?? first.line;
  if (!first.check) return passed.tool === first.tool && commandKey(command) === commandKey(failed);
  if (!passed.check?.classes.some((one) => first.check?.classes.includes(one))) return false;
  const named = filesNamed(command);
  const told = `${failure.subject ?? ""} ${failed} ${first.output.slice(0, 4_000)}`;
  return named.length === 0 || named.some((file) => told.includes(file));
}

/** Reads the events of one session in their order; the episodes that are still open come last. */
export class EpisodeReader {
  readonly #ended: Episode[] = [];
  readonly #open = new Map<string, OpenEpisode>();
  /** Episodes that wait for the commit that follows, by their place. */
  #uncommitted: number[] = [];

  read(event: SessionEvent): void {
    for (const call of callOfEvent(event, 0)) this.#readAction(actionOf(call, event.cwd), event);
  }

  #readAction(action: Action, event: SessionEvent) {
    const failure = failureOf(action);
    if (failure) return this.#addFailure(failure, action, event);
    if (action.failed || action.outcome === "refused" || action.outcome === "open") return;
    if (action.commit) this.#addCommit(action.commit.subject);
    if (action.kind === "check" || action.kind === "run") this.#settle(action, event);
    const { kind, path, command, line, alters } = action;
    if (kind !== "change" && alters !== true) return;
    const doing =
      kind === "change" && path !== undefined ? { path, line } : { command: command ?? line, line };
    for (const open of this.#open.values()) open.doings.push(doing);
  }

  #addFailure(failure: Failure, first: Action, event: SessionEvent) {
    const known = this.#open.get(failure.signature);
    if (!known) {
      const open = { failure, first, event, lastAt: event.at, runs: 1, doings: [] };
      this.#open.set(failure.signature, open);
    } else {
      known.lastAt = event.at;
      known.runs += 1;
    }
  }

  #addCommit(subject: string) {
    for (const at of this.#uncommitted) {
      const episode = this.#ended[at];
      if (episode?.fix) this.#ended[at] = { ...episode, fix: { ...episode.fix, commit: subject } };
    }
    this.#uncommitted = [];
  }

  #settle(passed: Action, event: SessionEvent) {
    for (const [signature, open] of this.#open) {
      if (!covers(passed, open)) continue;
      this.#open.delete(signature);
      const fix = fixOf(open.doings, event);
      if (fix) this.#uncommitted.push(this.#ended.length);
      this.#ended.push(episodeOf(open, fix ? "fixed" : "passed", fix));
    }
  }

  episodes(): Episode[] {
    return [...this.#ended, ...[...this.#open.values()].map((open) => episodeOf(open, "open"))];
  }
}

function fixOf(doings: readonly Doing[], { at, id, promptNumber = 0 }: SessionEvent): Fix | undefined {
  if (doings.length === 0) return undefined;
  const once = (values: readonly (string | undefined)[]) => [
    ...new Set(values.filter((value) => value !== undefined)),
  ];
  return {
    ...{ at, promptNumber, row: id },
    files: once(doings.map(({ path }) => path)),
    commands: once(doings.map(({ command }) => command)),
    changes: once(doings.map(({ path, line }) => (path === undefined ? undefined : line))),
  };
}

function episodeOf(
  { failure, first, event, lastAt, runs }: OpenEpisode,
  state: Episode["state"],
  fix?: Fix,
): Episode {
  const { session, project, at, id } = event;
  const command = first.command ?? first.purpose ?? first.line;
  return { ...failure, session, project, command, at, lastAt, runs, row: id, state, ...(fix && { fix }) };
}
