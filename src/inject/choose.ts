// Which observations a new session is told of: what is recent, of weight, and about the files and the branch at hand.
import { DAY, isSameFile, type ObservationType, singleLine, UNDONE } from "../lib/index.ts";
import type { Observation } from "../store/index.ts";

/** What the session is about, as far as it can be known before the first prompt. */
export interface Work {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly branch?: string;
  /** Files that are changed and not committed; paths, or the ends of paths. */
  readonly files?: readonly string[];
}

/** What each reason adds. What is old and about the files or the branch at hand comes before what is of today and about nothing. */
const points = {
  recency: 3,
  /** Days after which recency counts half. */
  halfLife: 7,
  /** Saved on request. */
  asked: 3,
  modified: 3.5,
  read: 1.5,
  branch: 3.5,
  undone: -2.5,
  /** A part of a turn that went on: its end says what came of it. */
  part: -1.5,
} as const;

const typePoints: Readonly<Record<ObservationType, number>> = {
  decision: 1.2,
  bugfix: 1,
  feature: 0.9,
  refactor: 0.8,
  change: 0.8,
  discovery: 0.6,
};

/** The tool by which a memory is kept on request. */
export const MEMORY_TOOL = "save_memory";

/** Words of a branch's name that say nothing of what it is about. */
const usual = new Set(
  "main master trunk develop development dev feature feat fix bugfix hotfix chore release refactor docs test wip tmp patch head".split(
    " ",
  ),
);

export function branchWords(branch: string | undefined) {
  const words = (branch ?? "").toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return [...new Set(words)].filter((word) => word.length > 2 && !/^\d+$/.test(word) && !usual.has(word));
}

const touches = (files: readonly string[] | undefined, wanted: readonly string[]) =>
  files?.some((file) => wanted.some((one) => isSameFile(file, one))) ?? false;

function branchShare({ title, subtitle, concepts = [], filesModified = [] }: Observation, words: string[]) {
  if (words.length === 0) return 0;
  const text = [title, subtitle ?? "", ...concepts, ...filesModified].join("\n").toLowerCase();
  return words.filter((word) => text.includes(word)).length / words.length;
}

function pointsOf(row: Observation, { now, branch, files = [] }: Work) {
  const days = Math.max(0, now - row.createdAtEpoch) / DAY;
  return (
    points.recency * 2 ** (-days / points.halfLife) +
    typePoints[row.type] +
    (row.toolName === MEMORY_TOOL ? points.asked : 0) +
    (touches(row.filesModified, files) ? points.modified : touches(row.filesRead, files) ? points.read : 0) +
    points.branch * branchShare(row, branchWords(branch)) +
    (row.concepts?.includes(UNDONE) ? points.undone : 0)
  );
}

const isCommitted = ({ text = "" }: Observation) => /^\$ .*\bcommit\b/m.test(text);

const MOST_WEIGHED_FILES = 10;

/** What a session came to, the weightiest first: what was committed, repaired or new, and changed many files; then the latest. */
export function outcomesOf(rows: readonly Observation[]): Observation[] {
  const parts = partsOfTurns(rows);
  const weight = (row: Observation) =>
    typePoints[row.type] +
    (parts.has(row) ? points.part : 0) +
    (isCommitted(row) ? 1 : 0) +
    Math.min(row.filesModified?.length ?? 0, MOST_WEIGHED_FILES) / MOST_WEIGHED_FILES;
  return rows.toSorted((a, b) => weight(b) - weight(a) || b.id - a.id);
}

/** Observations of turns that were told of again when they had ended; a commit is a piece of work by itself. */
function partsOfTurns(rows: readonly Observation[]): ReadonlySet<Observation> {
  const work = rows.filter(({ type }) => type !== "decision");
  const turnOf = ({ claudeSessionId, promptNumber }: Observation) => `${promptNumber} ${claudeSessionId}`;
  const last = new Map<string, number>();
  for (const row of work) last.set(turnOf(row), Math.max(row.id, last.get(turnOf(row)) ?? 0));
  return new Set(work.filter((row) => row.id !== last.get(turnOf(row)) && !isCommitted(row)));
}

/** Best first; of those that are called the same only the newest. */
export function choose(rows: readonly Observation[], work: Work): Observation[] {
  const newest = new Map<string, Observation>();
  for (const row of rows) {
    const name = singleLine(row.title.toLowerCase());
    const known = newest.get(name);
    if (!known || known.createdAtEpoch < row.createdAtEpoch) newest.set(name, row);
  }
  const parts = partsOfTurns(rows);
  return [...newest.values()]
    .map((row) => ({ row, points: pointsOf(row, work) + (parts.has(row) ? points.part : 0) }))
    .sort((a, b) => b.points - a.points || b.row.createdAtEpoch - a.row.createdAtEpoch || b.row.id - a.row.id)
    .map(({ row }) => row);
}
