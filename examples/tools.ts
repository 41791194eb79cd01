// The tools of the example agents: what any agent has, with or without a managed context.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

export const model = process.env.AGENT_MODEL ?? "claude-opus-5-5";
export const system = "You are a careful engineer. Use the tools to look before you answer.";

const text = { type: "string" } as const;

export const tools = [
  {
    name: "read_file",
    description: "Read a text file.",
    input_schema: { type: "object" as const, properties: { path: text }, required: ["path"] },
  },
  {
    name: "list_folder",
    description: "List the files of a folder.",
    input_schema: { type: "object" as const, properties: { path: text }, required: ["path"] },
  },
];

export async function runTool({ name, input }: { name: string; input: unknown }): Promise<string> {
  const { path } = input as { path: string };
  if (name === "read_file") return readFile(path, "utf8");
  if (name !== "list_folder") throw new Error(`there is no tool ${name}`);
  const { stdout } = await promisify(execFile)("ls", ["-la", "--", path]);
  return stdout;
}
