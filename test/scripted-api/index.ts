// The project's own Messages API for tests: scripted replies in, recorded requests out, no network beyond loopback.
export {
  compacted,
  delegate,
  overloaded,
  promptTooLong,
  type Reply,
  rateLimited,
  refuse,
  say,
  summary,
  type ToolCall,
  tool,
  use,
} from "./reply.ts";
export type { ApiRequest } from "./request.ts";
export {
  anything,
  compaction,
  counting,
  delegated,
  on,
  type Part,
  prompted,
  type Responder,
  type Scenario,
  seeing,
} from "./scenario.ts";
export { type ScriptedApi, type ScriptedApiOptions, startScriptedApi } from "./server.ts";
