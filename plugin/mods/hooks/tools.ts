// The tools that the worker serves, for a session that has not got them from Throughline's MCP server.
import type { Engine, Json, ToolCallEvent, ToolCallResult, ToolListResult, ToolSpec } from "./engine.ts";
import { ask, isObject, textIn } from "./worker.js";

const tools = { areOffered: false };

const isTool = (value: unknown): value is ToolSpec =>
  isObject(value) &&
  textIn(value.name) !== "" &&
  textIn(value.description) !== "" &&
  isObject(value.inputSchema);

/** Registers what the worker has; once, and again with a later event where no worker was there at the beginning. */
export async function offerTools($: Engine): Promise<void> {
  if (tools.areOffered) return;
  const told = await ask($, "hello", {});
  const offered = Array.isArray(told?.tools) ? told.tools.filter(isTool) : [];
  for (const tool of offered) await $.tool.register(tool);
  tools.areOffered = offered.length > 0;
}

const ofServer = /^mcp__(?:plugin_throughline_)?throughline__(\w+)$/;
const ofMod = /^mcp__mods-throughline__(\w+)$/;

/** No tool twice: where the MCP server has one of that name, the mod's is left out. */
export function withoutDoubles(listed: ToolListResult): ToolListResult {
  const served = new Set(listed.value.map(({ name }) => ofServer.exec(name)?.[1]));
  return { ...listed, value: listed.value.filter(({ name }) => !served.has(ofMod.exec(name)?.[1] ?? "")) };
}

const NO_ANSWER =
  "Throughline's worker does not answer. What was put away can be read in the file that the preview names; `throughline doctor` says what is wrong.";

export async function callTool($: Engine, e: ToolCallEvent): Promise<ToolCallResult> {
  const { tool, tool_use_id: _id, agentId, ...input } = e;
  const question: Json = { name: ofMod.exec(tool)?.[1] ?? "", input, inSubagent: agentId !== undefined };
  const told = await ask($, "tool", question);
  if (told === undefined) return { deny: NO_ANSWER };
  return told.isError === true ? { deny: textIn(told.text) } : { result: textIn(told.text) };
}
