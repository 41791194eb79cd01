// Programs of users, compiled strictly against the built package, as ES modules and as CommonJS.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../fixtures/transcript/session.ts";
import { compileIn } from "./packed.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = temporaryFolder();

/** A project in which the package and what it needs are installed, without copying either. */
function consumer(type: "module" | "commonjs", files: Readonly<Record<string, string>>): string {
  const project = path.join(folder.path, type);
  mkdirSync(path.join(project, "node_modules", "@types"), { recursive: true });
  for (const name of ["@anthropic-ai", "@ai-sdk", "ai", "@types/node"])
    symlinkSync(path.join(root, "node_modules", name), path.join(project, "node_modules", name));
  symlinkSync(root, path.join(project, "node_modules", "throughline"));
  writeFileSync(path.join(project, "package.json"), JSON.stringify({ name: "consumer", type }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(project, name), text);
  return project;
}

const pipeline = `import type Anthropic from "@anthropic-ai/sdk";
import { memorySession, observeResponse, prepare, prepareWithModel } from "throughline/pipeline";

export async function send(client: Anthropic, messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> {
  const session = memorySession("s");
  const model = "claude-opus-5-5";
  const first = prepare({ session, messages, model });
  const sent: Anthropic.MessageParam[] = first.messages;
  const again = await prepareWithModel({ session, messages: sent, model });
  const response = await client.messages.create({ model, max_tokens: 100, messages: again.messages });
  observeResponse({ session, model, usage: response.usage, reply: response });
  return response;
}
`;

const required = `import Anthropic from "@anthropic-ai/sdk";
import { prepare } from "throughline/pipeline";
import { createContext } from "throughline/sdk";

const context = createContext({ client: new Anthropic({ apiKey: "k" }), session: "s", folder: "memory" });
const history: Anthropic.MessageParam[] = context.history();
console.log(context.tools.map(({ name }) => name).join(), history.length, typeof prepare);
`;

describe("a strict TypeScript program", () => {
  it("compiles as ES modules: the examples, and MessageParam[] in and out of the pipeline", () => {
    const project = consumer("module", { "pipeline.ts": pipeline });
    cpSync(path.join(root, "examples"), project, { recursive: true });
    expect(compileIn(project, ["agent.ts", "stream.ts", "toolRunner.ts", "pipeline.ts"])).toBe("");
    // The AI SDK's own declarations need others that it does not install.
    expect(compileIn(project, ["aiSdk.ts"], { skipLibCheck: true })).toBe("");
  });

  it("compiles and runs as CommonJS, without a second copy of the package", () => {
    const project = consumer("commonjs", { "required.ts": required });
    expect(compileIn(project, ["required.ts"])).toBe("");
    const out = execFileSync(process.execPath, [path.join("out", "required.js")], {
      cwd: project,
      encoding: "utf8",
    });
    expect(out).toBe("recall,snip,unsnip 0 function\n");
  });
});
