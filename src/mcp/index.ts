// The entry point for models: search, timeline, memory and recall as tools over MCP.
export { serveMcp } from "./server.ts";
