// The same agent on the Vercel AI SDK: the context wraps the model.
import { createInterface } from "node:readline";
import { anthropic } from "@ai-sdk/anthropic";
import { generateText, jsonSchema, type ModelMessage, stepCountIs, tool, wrapLanguageModel } from "ai";
import { aiLanguageModel, aiTools, contextMiddleware, createContext, toModelMessages } from "throughline/sdk";
import { model, runTool, system, tools } from "./tools.js";

const plain = anthropic(model);
const context = createContext({
  session: process.argv[2] ?? "demo",
  folder: ".agent",
  summaries: aiLanguageModel(plain),
});
const wrapped = wrapLanguageModel({ model: plain, middleware: contextMiddleware(context, "v3") });
const own = tools.map(({ name, description, input_schema }) => [
  name,
  tool({
    description,
    inputSchema: jsonSchema<unknown>(input_schema),
    execute: (input: unknown) => runTool({ name, input }),
  }),
]);
const messages: ModelMessage[] = toModelMessages(context.history());

for await (const line of createInterface({ input: process.stdin })) {
  messages.push({ role: "user", content: line });
  const { text, response } = await generateText({
    model: wrapped,
    system,
    tools: { ...Object.fromEntries(own), ...aiTools(context, (schema) => jsonSchema<unknown>(schema)) },
    stopWhen: stepCountIs(20),
    messages,
  });
  messages.push(...response.messages);
  console.log(text);
}
await context.idle();
