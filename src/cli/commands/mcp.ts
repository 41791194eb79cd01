// `throughline mcp`: the tools for a model, over stdio, for as long as the client wants them.
import { ownVersion } from "../../lib/index.ts";
import { serveMcp } from "../../mcp/index.ts";
import { defineCommand } from "../command.ts";
import { workerProgram } from "../ownPackage.ts";
import { currentConfig, surroundings } from "../surroundings.ts";

export default defineCommand({
  args: {},
  examples: [
    { line: "throughline mcp", does: "what an MCP client starts; `install` has told Claude Code how" },
    { line: "claude mcp add throughline -- throughline mcp", does: "the same by hand" },
  ],
  async run() {
    const { values } = currentConfig();
    const { model, models } = values;
    const version = ownVersion;
    await serveMcp({ ...surroundings(), version, program: workerProgram(), model, models });
    return { data: {}, text: "" };
  },
});
