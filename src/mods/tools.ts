// The tools, for the mod inside Claude Code: offered where a session has no MCP server of ours, and answered here.
import { z } from "zod";
import type { Environment, Home, IsExcluded } from "../home/index.ts";
import { defined, givenText } from "../lib/index.ts";
import type { ToolBackend } from "../tools/index.ts";
import { describeFailure, tools } from "../tools/index.ts";
import type { ModsOp } from "./protocol.ts";
import type { OpenWindow } from "./windows.ts";

interface ToolParts {
  readonly home: Home;
  readonly env: Environment;
  readonly isExcluded: IsExcluded;
  readonly openWindow: OpenWindow;
  readonly backend: ToolBackend;
}

/** As Claude Code wants a tool described. */
export const offeredTools = tools.map(({ name, description, input, isAlwaysShown }) => ({
  name,
  description,
  inputSchema: z.toJSONSchema(input),
  isDeferred: !isAlwaysShown,
}));

/** Not offered to subagents: these would mark turns of the parent conversation. */
const ownTurns: readonly string[] = ["snip", "unsnip"];

/** Asked with `{ name, input, inSubagent }`; answers `{ text }`, with `isError` where the model is to be told why not. */
export function toolOp({ home, env, isExcluded, openWindow, backend }: ToolParts): ModsOp {
  return async (asker, body) => {
    const tool = tools.find(({ name }) => name === givenText(body.name));
    if (!tool) return undefined;
    if (body.inSubagent === true && ownTurns.includes(tool.name))
      return { isError: true, text: "a subagent's conversation is its own, and ends with it" };
    const { session, project, transcript } = asker;
    const { values, model } = openWindow(asker);
    const around = {
      ...{ home, env, backend, session, model, folder: project, models: values.models, isExcluded },
      ...defined({ transcript }),
    };
    try {
      const { text } = await tool.answer(around, tool.input.parse(body.input ?? {}));
      return { text };
    } catch (error) {
      return { isError: true, text: describeFailure(error) };
    }
  };
}
