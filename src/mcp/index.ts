// The door for models: what is kept, as tools over MCP.
export { serveMcp } from "./serve.ts";
