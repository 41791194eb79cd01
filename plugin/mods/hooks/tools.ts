// The tools that the worker serves, for a session that has not got them from Throughline's MCP server.
import type {
  Engine,
  Json,
  Next,
  ToolCallEvent,
  ToolCallResult,
  ToolListResult,
  ToolSpec,
} from "./engine.ts";
import { ask, isObject, textIn } from "./worker.js";

const tools = { areOffered: false };

const isTool = (value: unknown): value is ToolSpec =>
  isObject(value) &&
  textIn(value.name) !== "" &&
  textIn(value.description) !== "" &&
  isObject(value.inputSchema);

/** Registers what the worker has; once, and again with a later list where no worker was there at the beginning. */
async function offerTools($: Engine) {
  if (tools.areOffered) return;
  const told = await ask($, "hello", {});
  const offered = Array.isArray(told?.tools) ? told.tools.filter(isTool) : [];
  for (const tool of offered) await $.tool.register(tool);
  tools.areOffered = offered.length > 0;
}

const ofServer = /^mcp__(?:plugin_throughline_)?throughline__(\w+)$/;
const ofMod = /^mcp__mods-throughline__(\w+)$/;

/**
 * The list of tools. Registering ours costs Claude Code 0.2 s, so that it is done only where the MCP server's are not among
 * them. No tool is listed twice: where the server has one of that name, the mod's is left out.
 */
export async function listed($: Engine, e: Json, next: Next<Json, ToolListResult>): Promise<ToolListResult> {
  const result = await next(e);
  const served = new Set(result.value.map(({ name }) => ofServer.exec(name)?.[1]).filter(Boolean));
  if (served.size === 0 && !tools.areOffered) {
    await offerTools($);
    return tools.areOffered ? next(e) : result;
  }
  return { ...result, value: result.value.filter(({ name }) => !served.has(ofMod.exec(name)?.[1] ?? "")) };
}

const NO_ANSWER =
  "Throughline's worker does not answer. What was put away can be read in the file that the preview names; `throughline doctor` says what is wrong.";

export async function callTool($: Engine, e: ToolCallEvent): Promise<ToolCallResult> {
  const { tool, tool_use_id: _id, agentId, ...input } = e;
  const question: Json = { name: ofMod.exec(tool)?.[1] ?? "", input, inSubagent: agentId !== undefined };
  const told = await ask($, "tool", question);
  if (!told) return { deny: NO_ANSWER };
  return told.isError === true ? { deny: textIn(told.text) } : { result: textIn(told.text) };
}
