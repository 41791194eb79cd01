// The door for models: what is kept, as tools over MCP.
export { type McpOptions, serveMcp } from "./serve.ts";
