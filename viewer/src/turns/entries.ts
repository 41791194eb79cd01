// The lines of a list of turns: a turn, and where it is open what was found in it and the steps of its trace, each of known height.
import type { CallStep, EditStep, RequestStep, TimelineRow } from "../../../src/http/wire.ts";
import type { KnownTrace } from "../state/traces.ts";
import type { Turn } from "./turns.ts";

/** Edits made at one request for one reason are one line. */
export interface EditBatch {
  readonly kind: "edits";
  readonly id: string;
  readonly at: string;
  readonly edits: readonly [EditStep, ...EditStep[]];
}

export type ShownStep = RequestStep | CallStep | EditBatch;

/** The time that a turn's bars are drawn in. */
export interface TimeSpan {
  readonly start: number;
  readonly ms: number;
}

export type TurnEntry = { readonly key: string } & (
  | { readonly kind: "turn"; readonly turn: Turn; readonly isOpen: boolean }
  | { readonly kind: "step"; readonly turn: Turn; readonly step: ShownStep; readonly span: TimeSpan }
  | { readonly kind: "call"; readonly session: string; readonly id: string }
  | { readonly kind: "found"; readonly row: TimelineRow }
  | { readonly kind: "note"; readonly note: "loading" | "gone" | "end" }
);

const heights = { turn: 58, step: 28, call: 300, found: 30, note: 30 } as const;

export const turnEntryHeight = ({ kind }: Pick<TurnEntry, "kind">) => heights[kind];

const isSameEdit = (a: EditStep["event"], b: EditStep["event"]) =>
  (["kind", "level", "why", "by", "undone"] as const).every((name) => a[name] === b[name]);

function shownSteps(steps: NonNullable<ReturnType<KnownTrace["steps"]["get"]>>): ShownStep[] {
  const shown: ShownStep[] = [];
  for (const step of steps) {
    const last = shown.at(-1);
    if (step.kind !== "edit") shown.push(step);
    else if (last?.kind === "edits" && isSameEdit(last.edits[0].event, step.event))
      shown[shown.length - 1] = { ...last, edits: [...last.edits, step] };
    else shown.push({ kind: "edits", id: step.id, at: step.at, edits: [step] });
  }
  return shown;
}

interface Opened {
  /** Keys of open turns. */
  readonly turns: ReadonlySet<string>;
  /** Ids of open calls. */
  readonly calls: ReadonlySet<string>;
  readonly trace: KnownTrace | undefined;
}

function stepEntries(turn: Turn, { calls, trace }: Opened): TurnEntry[] {
  const { key, session, figures } = turn;
  const note = (name: "loading" | "gone"): TurnEntry[] => [
    { kind: "note", key: `${key} ${name}`, note: name },
  ];
  if (!figures) return note(trace === undefined || trace.state === "loading" ? "loading" : "gone");
  const steps = trace?.steps.get(figures.turn);
  if (!steps) return note("loading");
  const span = { start: Date.parse(figures.at), ms: Math.max(1, figures.ms) };
  return shownSteps(steps).flatMap((step): TurnEntry[] => {
    const line: TurnEntry = { kind: "step", key: `${key} ${step.id}`, turn, step, span };
    const isOpen = step.kind === "call" && calls.has(step.id);
    return isOpen ? [line, { kind: "call", key: `${key} ${step.id} text`, session, id: step.id }] : [line];
  });
}

/** The turn, and what is below it where it is open. */
export function turnEntries(turn: Turn, opened: Opened): TurnEntry[] {
  const isOpen = opened.turns.has(turn.key);
  const head: TurnEntry = { kind: "turn", key: turn.key, turn, isOpen };
  if (!isOpen) return [head];
  const found = turn.found.map((row): TurnEntry => ({ kind: "found", key: row.ref, row }));
  return [
    head,
    ...found,
    ...stepEntries(turn, opened),
    { kind: "note", key: `${turn.key} end`, note: "end" },
  ];
}
