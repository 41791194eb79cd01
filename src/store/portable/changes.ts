// Changes as every engine makes them of its rows, and the order in which it takes them.
import { defined } from "../../lib/index.ts";
import type { Observation, ObservationText, Summary, SummaryText } from "../model.ts";
import type { Change, ChangeableKind, ChangeFrom } from "../sync.ts";
import {
  columnsFor,
  eventFrom,
  observationColumns,
  observationFrom,
  optionalNumber,
  optionalText,
  type Row,
  summaryFields,
  summaryFrom,
} from "./rows.ts";

/** Numbers of this database mean nothing in another one; `uid` does. */
function portable<T extends Observation | Summary>(item: T) {
  const { id: _id, sdkSessionId: _sdk, claudeSessionId, createdAt, createdAtEpoch: _epoch, ...rest } = item;
  return { ...rest, session: claudeSessionId, at: createdAt };
}

const observationChange = (row: Row): Change => ({
  kind: "observation",
  row: portable(observationFrom(row)),
});
const summaryChange = (row: Row): Change => ({ kind: "summary", row: portable(summaryFrom(row)) });

const forgottenChange = (row: Row): Change => ({
  kind: "forgotten",
  mark: {
    to: Number(row.to_epoch),
    ...defined({
      sessionHash: optionalText(row.session_hash),
      projectHash: optionalText(row.project_hash),
      from: optionalNumber(row.from_epoch),
    }),
  },
});

/** The columns of a text, by which two versions of a row are compared and one replaces the other. */
export const textColumns = {
  observation: (item: ObservationText) => observationColumns(item),
  summary: (item: SummaryText) => columnsFor(summaryFields, item),
};

/** Consecutive changes of one kind: they can be written together, and none passes one of another kind. */
export function runsOf(changes: readonly ChangeFrom[]) {
  const runs: ChangeFrom[][] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    if (run?.[0]?.kind === change.kind) run.push(change);
    else runs.push([change]);
  }
  return runs;
}

const withdrawnChange = (row: Row): Change => ({
  kind: "withdrawn",
  of: row.kind as ChangeableKind,
  uid: String(row.uid),
});

/** Where the row of an entry of the feed is, by the kind of the entry, and the change that it makes. */
export const changeSources: Readonly<
  Record<string, { readonly table: string; readonly key: string; readonly from: (row: Row) => Change }>
> = {
  event: { table: "events", key: "seq", from: (row) => ({ kind: "event", row: eventFrom(row) }) },
  observation: { table: "observations", key: "id", from: observationChange },
  summary: { table: "session_summaries", key: "id", from: summaryChange },
  withdrawn: { table: "withdrawn", key: "id", from: withdrawnChange },
  forgotten: { table: "forgotten", key: "id", from: forgottenChange },
};
