// Where a session's own rows begin: a fork starts with a copy of its origin's, and those are kept there.

import { messageReader, promptOf } from "../intake/index.ts";
import type { EventStore } from "../store/index.ts";
import { scanRows } from "../transcript/index.ts";

/** Rows that are asked for at once. A transcript that is no fork is found out with the first of them. */
const AT_ONCE = 50;

interface Said {
  readonly uuid: string;
  readonly end: number;
}

/** The end of the last row that another session has too; 0 when the first rows are nobody else's. */
async function endOfCopies(
  store: Pick<EventStore, "messagesElsewhere">,
  file: string,
  session: string,
): Promise<number> {
  const reader = messageReader(session);
  let copied = 0;
  let batch: Said[] = [];
  /** False when there cannot be more of them: copies stand at the beginning, one behind the other. */
  const mayGoOn = async () => {
    const uuids = batch.map(({ uuid }) => uuid);
    const known = await store.messagesElsewhere(session, uuids);
    const last = batch.findLast(({ uuid }) => known.has(uuid));
    copied = last?.end ?? copied;
    const isAll = last === batch.at(-1);
    batch = [];
    return isAll;
  };
  for await (const { row, end } of scanRows(file)) {
    const said = reader.read(row).filter(({ role }) => role !== "tool");
    batch.push(...said.map(({ uuid }) => ({ uuid, end })));
    if (batch.length >= AT_ONCE && !(await mayGoOn())) return copied;
  }
  if (batch.length > 0) await mayGoOn();
  return copied;
}

/** The byte at which the first prompt of its own stands; 0 where nothing was copied. */
export async function ownBeginning(
  store: Pick<EventStore, "messagesElsewhere">,
  file: string,
  session: string,
): Promise<number> {
  const copied = await endOfCopies(store, file, session);
  if (copied === 0) return 0;
  let end = copied;
  for await (const scanned of scanRows(file, { from: copied })) {
    if (scanned.row.type === "user" && promptOf(scanned.row) !== undefined) return scanned.start;
    end = scanned.end;
  }
  return end;
}
