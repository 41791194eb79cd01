// A change of a text as what was taken out where and what was put in, so that it can be taken back.

export interface Splice {
  /** Where, in the text as it is when this splice's turn comes. */
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** Carries splices out one after the other; each sees what the ones before it left. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  return splices.reduce(
    (current, { offset, removed, inserted }) =>
      current.slice(0, offset) + inserted + current.slice(offset + removed.length),
    text,
  );
}

/** The splices that lead back from what these make of a text. */
export function reversed(splices: readonly Splice[]): Splice[] {
  return splices
    .map(({ offset, removed, inserted }) => ({ offset, removed: inserted, inserted: removed }))
    .reverse();
}
