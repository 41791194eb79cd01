// Tables for those who look around: how many rows there are, and which observations mention a file or a concept.
import { DAY } from "../../../lib/index.ts";

/** What is counted, and by which column it is sorted. */
const counted = [
  { what: "event", table: "events", sort: "kind" },
  { what: "prompt", table: "user_prompts", sort: undefined },
  { what: "observation", table: "observations", sort: "type" },
  { what: "summary", table: "session_summaries", sort: undefined },
  { what: "message", table: "messages", sort: undefined },
] as const;

interface Book {
  readonly table: string;
  /** What the number is for, as columns and as the values of a row. */
  readonly columns: string;
  readonly values: (row: string) => string;
}

/** Two books, and not one by everything at once: that would have as many numbers as there are days of each sort. */
function booksOf(what: string, sort: string | undefined): Book[] {
  const of = (row: string, column: string): string => (row === "" ? column : `${row}.${column}`);
  const sorted = (row: string): string => (sort === undefined ? "''" : of(row, sort));
  return [
    {
      table: "tallies",
      columns: "what, project, sort",
      values: (row) => `'${what}', ${of(row, "project")}, ${sorted(row)}`,
    },
    {
      table: "daily_tallies",
      columns: "what, day",
      values: (row) => `'${what}', ${of(row, "created_at_epoch")} / ${DAY}`,
    },
  ];
}

function tallied(what: string, table: string, sort: string | undefined): string {
  const books = booksOf(what, sort);
  const add = books
    .map(
      (book) => `INSERT INTO ${book.table} VALUES (${book.values("new")}, 1)
      ON CONFLICT DO UPDATE SET amount = amount + 1;`,
    )
    .join(" ");
  // A number that has come down to nothing goes: it would still name a project that was forgotten.
  const remove = books
    .map((book) => {
      const own = `(${book.columns}) = (${book.values("old")})`;
      return `UPDATE ${book.table} SET amount = amount - 1 WHERE ${own};
        DELETE FROM ${book.table} WHERE ${own} AND amount <= 0;`;
    })
    .join(" ");
  const changed = ["project", "created_at_epoch", ...(sort === undefined ? [] : [sort])].join(", ");
  const first = books.map(
    (book) => `INSERT INTO ${book.table} SELECT ${book.values("")}, count(*) FROM ${table}
      GROUP BY ${book.columns
        .split(", ")
        .map((_, index) => index + 1)
        .join(", ")};`,
  );
  return `
    CREATE TRIGGER ${table}_tally_ai AFTER INSERT ON ${table} BEGIN ${add} END;
    CREATE TRIGGER ${table}_tally_ad AFTER DELETE ON ${table} BEGIN ${remove} END;
    CREATE TRIGGER ${table}_tally_au AFTER UPDATE OF ${changed} ON ${table} BEGIN ${remove} ${add} END;
    ${first.join(" ")}`;
}

/** The last name of a path, as it is looked for. */
const lastName = "lower(substr(value, length(rtrim(value, replace(value, '/', ''))) + 1))";

const mentioned = [
  { kind: "file", column: "files_read", tail: lastName },
  { kind: "file", column: "files_modified", tail: lastName },
  { kind: "concept", column: "concepts", tail: "lower(value)" },
] as const;

const mention = (from: string, row: string): string =>
  mentioned
    .map(
      ({ kind, column, tail }) => `INSERT OR IGNORE INTO mentions
        SELECT '${kind}', ${tail}, ${row}.created_at_epoch, ${row}.id, value, ${row}.project
        FROM ${from}json_each(${row}.${column});`,
    )
    .join("\n");

const forgetMentions = ["file", "concept"]
  .map(
    (kind) => `DELETE FROM mentions WHERE (kind, tail, created_at_epoch, observation) IN (
      SELECT DISTINCT '${kind}', tail, old.created_at_epoch, old.id FROM (
        ${mentioned
          .filter((one) => one.kind === kind)
          .map(({ column, tail }) => `SELECT ${tail} AS tail FROM json_each(old.${column})`)
          .join(" UNION ALL ")}));`,
  )
  .join("\n");

/**
 * `tallies` has one number for every table, project and sort, `daily_tallies` one for every table and UTC day: what is
 * asked for first must not count rows.
 * `mentions` is in the order of time for each last name of a path and each concept, so that a page of them is read
 * off the table. Both follow their tables by triggers, whoever writes there.
 */
export const overviewTables = `
  CREATE TABLE tallies (
    what TEXT NOT NULL,
    project TEXT NOT NULL,
    sort TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (what, project, sort)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE daily_tallies (
    what TEXT NOT NULL,
    day INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (what, day)
  ) STRICT, WITHOUT ROWID;
  ${counted.map(({ what, table, sort }) => tallied(what, table, sort)).join("\n")}

  CREATE TABLE mentions (
    kind TEXT NOT NULL,
    tail TEXT NOT NULL,
    created_at_epoch INTEGER NOT NULL,
    observation INTEGER NOT NULL,
    name TEXT NOT NULL,
    project TEXT NOT NULL,
    PRIMARY KEY (kind, tail, created_at_epoch, observation, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER observations_mention_ai AFTER INSERT ON observations BEGIN ${mention("", "new")} END;
  CREATE TRIGGER observations_mention_ad AFTER DELETE ON observations BEGIN ${forgetMentions} END;
  CREATE TRIGGER observations_mention_au AFTER UPDATE OF files_read, files_modified, concepts ON observations
    BEGIN ${forgetMentions} ${mention("", "new")} END;
  ${mention("observations, ", "observations")}

  CREATE INDEX observations_by_project_type ON observations(project, type, created_at_epoch);`;
