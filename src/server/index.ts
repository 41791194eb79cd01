// The server of a team: the one process that speaks to PostgreSQL; machines send it what they captured, and get what they may see.
export { openTeamDatabase, scopes, type TeamDatabase } from "../store/team.ts";
export { startServer } from "./server.ts";
export { exportStore, importStore, type Moved } from "./transfer.ts";
