// The tables of access: who is in a team, the hashes of their keys, and what was done with them.

const ofTeam = "team_id = current_setting('throughline.team', true)";
/** Set for the commands of the operator alone; no request of a key sets it. */
const byOperator = `${ofTeam} AND current_setting('throughline.operator', true) = 'on'`;

const secured = (table: string) =>
  `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;\nALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`;

export const accessSchema = `
CREATE TABLE people (
  team_id text NOT NULL, person_id text NOT NULL, projects text NOT NULL, added_at_epoch bigint NOT NULL,
  PRIMARY KEY (team_id, person_id)
);
${secured("people")}
CREATE POLICY seen ON people FOR SELECT USING (${ofTeam});
CREATE POLICY kept ON people USING (${byOperator}) WITH CHECK (${byOperator});
-- A key is looked up by its hash, before its team is known: a transaction sees the key that it names, and no other.
CREATE TABLE access_keys (
  hash text PRIMARY KEY, team_id text NOT NULL, id text NOT NULL, person_id text NOT NULL, scopes text NOT NULL,
  note text NOT NULL, created_at_epoch bigint NOT NULL, expires_at_epoch bigint NOT NULL, revoked_at_epoch bigint,
  UNIQUE (team_id, id)
);
${secured("access_keys")}
CREATE POLICY named ON access_keys FOR SELECT USING (hash = current_setting('throughline.key', true));
CREATE POLICY kept ON access_keys USING (${byOperator}) WITH CHECK (${byOperator});
-- Rows are added and read; no policy lets one be changed or deleted.
CREATE TABLE audit (
  team_id text NOT NULL, id text NOT NULL, at_epoch bigint NOT NULL, person_id text NOT NULL, key_id text NOT NULL,
  action text NOT NULL, detail text NOT NULL, PRIMARY KEY (team_id, id)
);
CREATE INDEX ON audit (team_id, at_epoch);
${secured("audit")}
CREATE POLICY added ON audit FOR INSERT WITH CHECK (${ofTeam});
CREATE POLICY seen ON audit FOR SELECT USING (${byOperator});`;
