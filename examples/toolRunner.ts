// The same agent on the tool runner of the official client, which runs the tools itself.
import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import { createContext } from "throughline/sdk";
import { model, runTool, system, tools } from "./tools.js";

const context = createContext({
  client: new Anthropic(),
  session: process.argv[2] ?? "demo",
  folder: ".agent",
});
const runnable = tools.map((tool) => ({
  ...tool,
  parse: (input: unknown) => input,
  run: (input: unknown) => runTool({ name: tool.name, input }),
}));

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await context.client.beta.messages.toolRunner({
    model,
    max_tokens: 8_192,
    thread: false, // the context has to see the whole conversation
    system,
    tools: [...runnable, ...context.tools],
    messages: [...context.history(), { role: "user", content: line }],
  });
  for (const block of answer.content) if (block.type === "text") console.log(block.text);
}
await context.idle();
