// Which observations mention a file or a concept, as a condition on the table of mentions or on rows.
import type { Condition } from "../upkeep/scope.ts";

export interface Mention {
  /** True for the mentions themselves, in a table of that name. */
  condition(table: string): Condition;
  /** True for observations in a table of that name that have such a mention. */
  isOf(table: string, key?: string): Condition;
}

export const escaped = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

function matching(kind: "file" | "concept", text: string): (table: string) => Condition {
  if (kind === "concept") {
    return (table) => ({ sql: `${table}.kind = 'concept' AND ${table}.tail = lower(?)`, values: [text] });
  }
  const path = text.replace(/^\.?\//, "");
  const tail = path.slice(path.lastIndexOf("/") + 1);
  return (table) => ({
    sql: `${table}.kind = 'file' AND ${table}.tail = lower(?)
      AND (${table}.name IN (?, ?) OR ${table}.name LIKE ? ESCAPE '\\')`,
    values: [tail, text, path, `%/${escaped(path)}`],
  });
}

export function mentionOf(kind: "file" | "concept", text: string | undefined): Mention | undefined {
  if (text === undefined) return undefined;
  const condition = matching(kind, text);
  return {
    condition,
    isOf(table, key = "id") {
      const { sql, values } = condition("one");
      return {
        sql: `EXISTS (SELECT 1 FROM mentions one WHERE one.created_at_epoch = ${table}.created_at_epoch
          AND one.observation = ${table}.${key} AND ${sql})`,
        values,
      };
    },
  };
}
