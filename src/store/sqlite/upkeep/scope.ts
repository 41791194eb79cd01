// A scope as a condition on rows.

import type { Scope } from "../../model.ts";
import type { Value } from "../../portable/rows.ts";
import { scopeTimes } from "../../portable/scope.ts";

export interface Condition {
  /** SQL that is true for the rows that are meant; `1` when all are. */
  readonly sql: string;
  readonly values: readonly Value[];
}

export const everything: Condition = { sql: "1", values: [] };
export const nothing: Condition = { sql: "0", values: [] };

export function both(...conditions: readonly Condition[]) {
  const parts = conditions.filter(({ sql }) => sql !== "1");
  if (parts.length === 0) return everything;
  return {
    sql: parts.map(({ sql }) => `(${sql})`).join(" AND "),
    values: parts.flatMap(({ values }) => values),
  };
}

export function equals(column: string, value: string | undefined) {
  return value === undefined ? everything : { sql: `${column} = ?`, values: [value] };
}

export function oneOf(column: string, values: readonly (string | number)[] | undefined) {
  if (!values) return everything;
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] };
}

/** Every table of rows has the same three columns; only the time of sessions is called otherwise. */
export function within(scope: Scope, time = "created_at_epoch") {
  const { session, project } = scope;
  const { from, to } = scopeTimes(scope);
  return both(
    equals("claude_session_id", session),
    equals("project", project),
    from === undefined ? everything : { sql: `${time} >= ?`, values: [from] },
    to === undefined ? everything : { sql: `${time} < ?`, values: [to] },
  );
}
