// Conditions on rows of PostgreSQL.

import type { Scope } from "../model.ts";
import { scopeTimes } from "../portable/scope.ts";
import type { PgValue } from "./connection.ts";

export interface Condition {
  /** SQL that is true for the rows that are meant; `true` when all are. */
  readonly sql: string;
  readonly values: readonly PgValue[];
}

export const everything: Condition = { sql: "true", values: [] };
export const nothing: Condition = { sql: "false", values: [] };

export function both(...conditions: readonly Condition[]): Condition {
  const parts = conditions.filter(({ sql }) => sql !== "true");
  if (parts.length === 0) return everything;
  return {
    sql: parts.map(({ sql }) => `(${sql})`).join(" AND "),
    values: parts.flatMap(({ values }) => values),
  };
}

export const equals = (column: string, value: PgValue | undefined): Condition =>
  value === undefined ? everything : { sql: `${column} = ?`, values: [value] };

export const oneOf = (
  column: string,
  values: readonly string[] | readonly number[] | undefined,
): Condition => (values === undefined ? everything : { sql: `${column} = ANY(?)`, values: [values] });

/** Every table of rows has the same three columns; only the time of sessions is called otherwise. */
export function within(scope: Scope, time = "created_at_epoch"): Condition {
  const { from, to } = scopeTimes(scope);
  return both(
    equals("claude_session_id", scope.session),
    equals("project", scope.project),
    from === undefined ? everything : { sql: `${time} >= ?`, values: [from] },
    to === undefined ? everything : { sql: `${time} < ?`, values: [to] },
  );
}
