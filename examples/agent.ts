// An agent whose conversation never outgrows its window: a plain loop on the official client. Each line of stdin is a turn.
import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import { createContext } from "throughline/sdk";
import { model, runTool, system, tools } from "./tools.js";

const context = createContext({
  client: new Anthropic(),
  session: process.argv[2] ?? "demo",
  folder: ".agent",
});
const messages = context.history(); // empty, or where an earlier process stopped

for await (const line of createInterface({ input: process.stdin })) {
  messages.push({ role: "user", content: line });
  for (;;) {
    const response = await context.client.messages.create({
      model,
      max_tokens: 8_192,
      system,
      tools: [...tools, ...context.tools],
      messages,
    });
    messages.push({ role: "assistant", content: response.content });
    for (const block of response.content) if (block.type === "text") console.log(block.text);
    if (response.stop_reason !== "tool_use") break;
    messages.push({ role: "user", content: await context.answer(response, runTool) });
  }
}
await context.idle();
