// The tables of PostgreSQL: a team's and a person's columns first in every key, and policies that show a transaction no others.
import { observationTypes } from "../../lib/index.ts";

const owner = { team_id: "text", person_id: "text" } as const;
const times = { created_at: "text", created_at_epoch: "bigint" } as const;
const made = {
  ...owner,
  id: "bigint",
  uid: "text",
  sdk_session_id: "text",
  claude_session_id: "text",
  project: "text",
  prompt_number: "integer",
  visibility: "text",
} as const;

/** Who sees a row besides its person. */
export const visibilities = ["private", "project", "team"] as const;

export type Visibility = (typeof visibilities)[number];

/** Columns and their types. Names are those of SQLite, so that both engines read their rows alike. */
export const tables = {
  sdk_sessions: {
    ...owner,
    id: "bigint",
    sdk_session_id: "text",
    claude_session_id: "text",
    project: "text",
    prompt_counter: "integer",
    status: "text",
    ...times,
    completed_at: "text",
    completed_at_epoch: "bigint",
    last_activity_at: "text",
    last_activity_epoch: "bigint",
  },
  events: {
    ...owner,
    seq: "bigint",
    id: "text",
    kind: "text",
    claude_session_id: "text",
    project: "text",
    prompt_number: "integer",
    agent: "text",
    cwd: "text",
    transcript: "text",
    lane: "text",
    writer: "text",
    payload: "text",
    ...times,
  },
  user_prompts: { ...made, prompt_text: "text", ...times },
  observations: {
    ...made,
    session_id: "bigint",
    tool_name: "text",
    correlation_id: "text",
    title: "text",
    subtitle: "text",
    narrative: "text",
    text: "text",
    facts: "text",
    concepts: "text",
    type: "text",
    files_read: "text",
    files_modified: "text",
    ...times,
  },
  session_summaries: {
    ...made,
    request: "text",
    investigated: "text",
    learned: "text",
    completed: "text",
    next_steps: "text",
    notes: "text",
    ...times,
  },
  messages: {
    ...owner,
    id: "bigint",
    uuid: "text",
    claude_session_id: "text",
    project: "text",
    role: "text",
    agent: "text",
    text: "text",
    ...times,
  },
  queue: {
    ...owner,
    id: "bigint",
    kind: "text",
    key: "text",
    claude_session_id: "text",
    project: "text",
    payload: "text",
    state: "text",
    attempts: "integer",
    not_before: "bigint",
    leased_by: "text",
    lease_until: "bigint",
    last_error: "text",
    created_at_epoch: "bigint",
  },
  /** `machine` is the one that sent the change; NULL for one that came about in this store. */
  feed: {
    ...owner,
    id: "bigint",
    kind: "text",
    ref: "bigint",
    project: "text",
    visibility: "text",
    machine: "text",
  },
  /** Rows that were deleted one by one, or that others may not see any more. */
  withdrawn: {
    ...owner,
    id: "bigint",
    kind: "text",
    uid: "text",
    project: "text",
    is_deleted: "integer",
    visibility: "text",
  },
  project_identities: { ...owner, project: "text", identity: "text" },
  forgotten: {
    ...owner,
    id: "bigint",
    session_hash: "text",
    project_hash: "text",
    from_epoch: "bigint",
    to_epoch: "bigint",
  },
  entries: {
    ...owner,
    id: "bigint",
    kind: "text",
    ref: "bigint",
    claude_session_id: "text",
    project: "text",
    speaker: "text",
    title: "text",
    is_code: "integer",
    is_standing: "integer",
    is_question: "integer",
    parts: "integer",
    length: "integer",
    created_at_epoch: "bigint",
    row_class: "text",
    exchange: "bigint",
    visibility: "text",
  },
  passages: {
    ...owner,
    id: "bigint",
    entry: "bigint",
    project: "text",
    start: "integer",
    ending: "integer",
    sequence: "text",
    extra: "text",
    visibility: "text",
  },
  /** Which passages have a term: numbers of two bytes, of those from `block` × 4,096 on. */
  postings: {
    ...owner,
    term: "text",
    project: "text",
    kind: "text",
    block: "bigint",
    passages: "bytea",
    visibility: "text",
  },
  index_sizes: {
    ...owner,
    project: "text",
    kind: "text",
    parts: "bigint",
    length: "bigint",
    visibility: "text",
  },
  vector_model: { ...owner, name: "text", dimensions: "integer", until: "bigint" },
  vectors: { ...owner, passage: "bigint", project: "text", vector: "bytea", visibility: "text" },
  mentions: {
    ...owner,
    kind: "text",
    tail: "text",
    created_at_epoch: "bigint",
    observation: "bigint",
    name: "text",
    project: "text",
    visibility: "text",
  },
  accounts: {
    ...owner,
    claude_session_id: "text",
    requests: "bigint",
    input_tokens: "bigint",
    cache_read_tokens: "bigint",
    cache_write_tokens: "bigint",
    output_tokens: "bigint",
    saved_tokens: "bigint",
    saved_dollars: "double precision",
    compactions: "bigint",
    results: "bigint",
    dollars: "double precision",
    models: "text",
    up_to_epoch: "bigint",
    drawn_at_epoch: "bigint",
  },
  imported: { ...owner, key: "text", state: "text" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type TableName = keyof typeof tables;

/** Numbers that a team gives out itself, so that no sequence is needed and none is skipped. */
export const counterNames = [
  "sessions",
  "events",
  "prompts",
  "observations",
  "summaries",
  "messages",
  "jobs",
  "feed",
  "marks",
  "withdrawn",
  "entries",
  "persons",
] as const;

export type CounterName = (typeof counterNames)[number];

const own = "team_id, person_id";

/** What identifies a row of its owner; ids that are numbers are unique in the team. */
const keys: Readonly<Record<TableName, readonly string[]>> = {
  sdk_sessions: [`${own}, claude_session_id`, "team_id, id", `${own}, sdk_session_id`],
  events: [`${own}, id`, "team_id, seq"],
  user_prompts: [`${own}, uid`, "team_id, id"],
  observations: [`${own}, uid`, "team_id, id"],
  session_summaries: [`${own}, uid`, "team_id, id"],
  messages: [`${own}, claude_session_id, uuid`, "team_id, id"],
  queue: [`${own}, kind, key`, "team_id, id"],
  feed: ["team_id, id"],
  withdrawn: [`${own}, kind, uid`, "team_id, id"],
  project_identities: [`${own}, project`],
  forgotten: ["team_id, id"],
  entries: ["team_id, id", "team_id, kind, ref"],
  passages: ["team_id, id"],
  postings: [`${own}, term, project, kind, block, visibility`],
  index_sizes: [`${own}, project, kind, visibility`],
  vector_model: [own],
  vectors: ["team_id, passage"],
  mentions: ["team_id, kind, tail, created_at_epoch, observation, name"],
  accounts: [`${own}, claude_session_id`],
  imported: [`${own}, key`],
};

const byTime = (table: TableName, time = "created_at_epoch") => `
CREATE INDEX ON ${table} (${own}, ${time});
CREATE INDEX ON ${table} (${own}, project, ${time});`;

const indexes = `
${byTime("sdk_sessions", "last_activity_epoch")}
${(["events", "user_prompts", "observations", "session_summaries", "messages"] as const)
  .map((table) => `${byTime(table)}\nCREATE INDEX ON ${table} (${own}, claude_session_id, created_at_epoch);`)
  .join("")}
CREATE INDEX ON observations (${own}, type, created_at_epoch);
CREATE INDEX ON messages (${own}, uuid) WHERE role <> 'tool';
CREATE INDEX ON queue (${own}, kind, state, not_before);
CREATE INDEX ON queue (${own}, key);
CREATE INDEX ON entries (team_id, project, created_at_epoch);
CREATE INDEX ON entries (team_id, claude_session_id, created_at_epoch, id);
CREATE INDEX ON passages (team_id, entry);
-- What others share is found by its term alone.
CREATE INDEX ON postings (team_id, term) WHERE visibility <> 'private';`;

const columnRules: Readonly<Record<string, string>> = {
  visibility: " NOT NULL DEFAULT 'private' CHECK (visibility IN ('private', 'project', 'team'))",
  // Compared byte by byte, so that a range of beginnings is a range of the index.
  term: ' COLLATE "C"',
};

const columnsOf = (table: TableName) =>
  Object.entries(tables[table])
    .map(([name, type]) => `  ${name} ${type}${columnRules[name] ?? ""}`)
    .join(",\n");

const checks: Partial<Record<TableName, string>> = {
  observations: `,\n  CHECK (type IN (${observationTypes.map((type) => `'${type}'`).join(", ")}))`,
  sdk_sessions: ",\n  CHECK (status IN ('active', 'completed'))",
  queue: ",\n  CHECK (state IN ('ready', 'leased', 'dead'))",
};

function tableSql(table: TableName) {
  const [primary, ...others] = keys[table];
  const unique = others.map((columns) => `,\n  UNIQUE (${columns})`).join("");
  return `CREATE TABLE ${table} (\n${columnsOf(table)},\n  PRIMARY KEY (${primary})${unique}${checks[table] ?? ""}\n);`;
}

const ofTeam = "team_id = current_setting('throughline.team', true)";
const ofPerson = `${ofTeam} AND person_id = current_setting('throughline.person', true)`;

/** What its person has shared: with the team, or with the readers of its project. */
const shared = `${ofTeam} AND (visibility = 'team' OR (visibility = 'project'
  AND project = ANY (string_to_array(current_setting('throughline.projects', true), E'\\n'))))`;

/** Which projects are one repository is a matter of the team: hashes, and no names. */
const seenBy = (table: TableName) =>
  table === "project_identities"
    ? ofTeam
    : "visibility" in tables[table]
      ? `(${ofPerson}) OR (${shared})`
      : ofPerson;

/** Without a team or a person in the transaction a comparison is with NULL or the empty text: no row is seen. */
function policies(table: TableName) {
  const seen = seenBy(table);
  return `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
CREATE POLICY seen ON ${table} FOR SELECT USING (${seen});
CREATE POLICY added ON ${table} FOR INSERT WITH CHECK (${ofPerson});
CREATE POLICY changed ON ${table} FOR UPDATE USING (${ofPerson}) WITH CHECK (${ofPerson});
CREATE POLICY removed ON ${table} FOR DELETE USING (${ofPerson});`;
}

const tableNames = Object.keys(tables) as TableName[];

export const schema = `
CREATE TABLE counters (
  team_id text PRIMARY KEY,
${counterNames.map((name) => `  ${name} bigint NOT NULL DEFAULT 0`).join(",\n")}
);
ALTER TABLE counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE counters FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON counters USING (${ofTeam}) WITH CHECK (${ofTeam});
-- A person's passages are numbered from its own number on, so that the blocks of its postings are full.
CREATE TABLE persons (team_id text, person_id text, number bigint NOT NULL, passages bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, person_id));
ALTER TABLE persons ENABLE ROW LEVEL SECURITY;
ALTER TABLE persons FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON persons USING (${ofPerson}) WITH CHECK (${ofPerson});
${tableNames.map((table) => tableSql(table)).join("\n")}
${indexes}
${tableNames.map((table) => policies(table)).join("\n")}`;
