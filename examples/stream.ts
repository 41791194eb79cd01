// The same agent with streamed answers.
import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import { createContext } from "throughline/sdk";
import { model, runTool, system, tools } from "./tools.js";

const context = createContext({
  client: new Anthropic(),
  session: process.argv[2] ?? "demo",
  folder: ".agent",
});
const messages = context.history();

for await (const line of createInterface({ input: process.stdin })) {
  messages.push({ role: "user", content: line });
  for (;;) {
    const stream = context.client.messages.stream({
      model,
      max_tokens: 8_192,
      system,
      tools: [...tools, ...context.tools],
      messages,
    });
    stream.on("text", (text) => process.stdout.write(text));
    const response = await stream.finalMessage();
    messages.push({ role: "assistant", content: response.content });
    if (response.stop_reason !== "tool_use") break;
    messages.push({ role: "user", content: await context.answer(response, runTool) });
  }
  console.log();
}
await context.idle();
