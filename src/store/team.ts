// The entry point for the server of a team: the PostgreSQL engine with its people and keys.
export { type AccessKey, type AccessScope, scopes } from "./postgres/access/access.ts";
export { openTeamDatabase, type TeamDatabase, type TeamStore } from "./postgres/engine.ts";
