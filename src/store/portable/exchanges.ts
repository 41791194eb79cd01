// Exchanges: a message of the user and everything after it in the session, up to the next one.

/** A longer exchange is continued in another one: what stands so far apart has little to do with each other. */
const MOST_ENTRIES = 100;

export interface OpenExchange {
  readonly id: number;
  readonly entries: number;
  /** So far it has only what the user said. A prompt and its message are two entries and open one exchange. */
  readonly isAsking: boolean;
}

const isOfUser = (rowClass: unknown) => rowClass === "user" || rowClass === "pasted";

export const exchangeOf = (id: number, rowClasses: readonly unknown[]): OpenExchange => ({
  id,
  entries: rowClasses.length,
  isAsking: rowClasses.every(isOfUser),
});

/** Gives each entry, in the order of time, its exchange. `open` is the exchange before the first of them. */
export function exchangesOf(
  open: OpenExchange | undefined,
  rows: readonly { readonly entry: number; readonly rowClass: unknown }[],
): number[] {
  let current = open;
  return rows.map(({ entry, rowClass }) => {
    const isAsking = isOfUser(rowClass);
    const isNext =
      current === undefined || current.entries >= MOST_ENTRIES || (isAsking && !current.isAsking);
    const {
      id,
      entries,
      isAsking: wasAsking,
    } = isNext || current === undefined ? { id: entry, entries: 0, isAsking: true } : current;
    current = { id, entries: entries + 1, isAsking: wasAsking && isAsking };
    return id;
  });
}
