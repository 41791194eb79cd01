// Whether a snapshot is loaded or cleaned up when a session starts: a pure function of times, names and the source.

/** Why a session starts; anything a later version may say is taken for `startup`. */
export type StartSource = "startup" | "resume" | "clear" | "fork" | "compact";

type SnapshotAction = "LOAD" | "CLEANUP" | "NONE";

type DecisionReason =
  | "own-compaction"
  | "fresh"
  | "expired"
  | "future"
  | "unreadable-time"
  | "missing-file"
  | "damaged"
  | "cleared"
  | "other-session"
  | "foreign"
  | "nothing";

export interface KnownSnapshot {
  readonly name: string;
  /** Milliseconds since the epoch, from the snapshot itself or its name. */
  readonly at: number | undefined;
  /** The session it was taken of; undefined for one that was not made here. */
  readonly session: string | undefined;
  /** This machine wrote it. Anything else came with the project, is never loaded, and is removed only when it is not fresh and git does not track it. */
  readonly ours: boolean;
  /** The repository has it among its files: then a foreign one stays. */
  readonly tracked: boolean;
  /** False for a file that was cut short, or that is no plain file. */
  readonly whole: boolean;
}

export interface KnownReference {
  /** The file that holds the block. */
  readonly page: string;
  readonly name: string | undefined;
  readonly at: number | undefined;
}

export interface StartSituation {
  readonly source: StartSource;
  readonly session: string;
  readonly now: number;
  readonly validMs: number;
  readonly references: readonly KnownReference[];
  readonly snapshots: readonly KnownSnapshot[];
}

export interface SnapshotDecision {
  readonly action: SnapshotAction;
  readonly reason: DecisionReason;
  /** The snapshot that was decided on, and its time. */
  readonly name?: string;
  readonly at?: number;
  /** Names of the snapshots that go. */
  readonly remove: readonly string[];
  /** Pages whose block is removed because its snapshot is missing or being removed. */
  readonly unreference: readonly string[];
}

/** Clocks of two machines differ a little; a time further ahead than this is not to be trusted. */
const TOLERANCE_MS = 5 * 60_000;

type Timed = KnownSnapshot & { readonly standing: "fresh" | DecisionReason };

function standingOf(at: number | undefined, { now, validMs }: StartSituation): "fresh" | DecisionReason {
  if (at === undefined) return "unreadable-time";
  if (at - now > TOLERANCE_MS) return "future";
  return now - at < validMs ? "fresh" : "expired";
}

const newestSnapshotFirst = (a: { at: number | undefined }, b: { at: number | undefined }) =>
  (b.at ?? Number.NEGATIVE_INFINITY) - (a.at ?? Number.NEGATIVE_INFINITY);

/** The block can make a snapshot older than it says it is, never younger: CLAUDE.md comes with the project. */
function effectiveTime(snapshot: KnownSnapshot, references: readonly KnownReference[]) {
  const reference = references.find(({ name }) => name === snapshot.name);
  if (!reference) return snapshot.at;
  if (reference.at === undefined || snapshot.at === undefined) return reference.at;
  return Math.min(reference.at, snapshot.at);
}

/** Every snapshot with the time that decides: the earlier of its own and that of the block that refers to it. */
function timed(situation: StartSituation): Timed[] {
  const { references, snapshots } = situation;
  return snapshots
    .map((snapshot) => {
      const at = effectiveTime(snapshot, references);
      return { ...snapshot, at, standing: snapshot.whole ? standingOf(at, situation) : ("damaged" as const) };
    })
    .sort(newestSnapshotFirst);
}

interface Choice {
  readonly action: SnapshotAction;
  readonly reason: DecisionReason;
  readonly on?: { readonly name: string | undefined; readonly at: number | undefined };
  /** Removed besides outdated snapshots. */
  readonly also?: readonly string[];
}

function chooseSnapshot(situation: StartSituation, all: readonly Timed[]): Choice {
  const { source, session } = situation;
  const snapshots = all.filter(({ ours }) => ours);
  const isOwn = (snapshot: Timed) => snapshot.session === session;
  const own = source === "compact" ? snapshots.find((one) => one.whole && isOwn(one)) : undefined;
  if (own) return { action: "LOAD", reason: "own-compaction", on: own };
  const reference = situation.references.toSorted(newestSnapshotFirst)[0];
  const referred = all.find(({ name }) => name === reference?.name);
  if (reference && !referred) {
    const older = snapshots.filter(({ at }) => (at ?? 0) <= (reference.at ?? Number.POSITIVE_INFINITY));
    return {
      action: "CLEANUP",
      reason: "missing-file",
      on: reference,
      also: older.map(({ name }) => name),
    };
  }
  const fresh = snapshots.find(({ standing }) => standing === "fresh");
  const current = (referred?.ours ? referred : undefined) ?? fresh ?? snapshots[0];
  if (!current) return onForeign(referred ?? all[0]);
  if (source === "clear") return { action: "CLEANUP", reason: "cleared", on: current, also: [current.name] };
  if (current.standing !== "fresh") return { action: "CLEANUP", reason: current.standing, on: current };
  const goesOn = source === "resume" || source === "compact";
  if (!goesOn || isOwn(current)) return { action: "LOAD", reason: "fresh", on: current };
  const before = snapshots.find((one) => one.standing === "fresh" && isOwn(one));
  if (before) return { action: "LOAD", reason: "fresh", on: before };
  return { action: "NONE", reason: "other-session", on: current };
}

/** There is nothing of ours: whatever else lies there is left alone, or goes by its age. */
function onForeign(snapshot: Timed | undefined): Choice {
  if (!snapshot) return { action: "NONE", reason: "nothing" };
  const { standing } = snapshot;
  return { action: "NONE", reason: standing === "fresh" ? "foreign" : standing, on: snapshot };
}

/** Decides whether a snapshot is loaded, and what is removed, by the table in docs/snapshot.md. */
export function decideSnapshot(situation: StartSituation): SnapshotDecision {
  const snapshots = timed(situation);
  const { action, reason, on, also = [] } = chooseSnapshot(situation, snapshots);
  const loaded = action === "LOAD" ? on?.name : undefined;
  const outdated = snapshots
    .filter(({ standing, ours, tracked }) => standing !== "fresh" && (ours || !tracked))
    .map(({ name }) => name);
  const remove = [...new Set([...outdated, ...also])].filter((name) => name !== loaded);
  const stays = new Set(snapshots.map(({ name }) => name).filter((name) => !remove.includes(name)));
  const isForeign = (name: string) => !snapshots.some((one) => one.name === name && one.ours);
  const unreference = situation.references
    .filter(
      ({ name, at }) =>
        name === undefined || !stays.has(name) || (isForeign(name) && standingOf(at, situation) !== "fresh"),
    )
    .map(({ page }) => page);
  const cleans = remove.length + unreference.length > 0;
  return {
    action: action === "NONE" && cleans ? "CLEANUP" : action,
    reason,
    ...(on?.name !== undefined && { name: on.name }),
    ...(on?.at !== undefined && { at: on.at }),
    remove,
    unreference,
  };
}
