// A program as people write it with the official SDK: one message, one stream, and a conversation that runs tools.
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic();
const common = { model: "claude-opus-5-5", max_tokens: 1_000 };
const asked = (content) => ({ ...common, messages: [{ role: "user", content }] });
const textOf = ({ content }) => content.map(({ text = "" }) => text).join("");

const created = textOf(await client.messages.create(asked("create one")));
const streamed = textOf(await client.messages.stream(asked("stream one")).finalMessage());
const log = {
  name: "log",
  description: "a log",
  type: "custom",
  input_schema: { type: "object", properties: { at: { type: "number" } } },
  parse: (input) => input,
  run: ({ at }) =>
    Array.from({ length: 400 }, (_, line) => `log ${at} line ${line}: nothing to see`).join("\n"),
};
const tool = ({ name, description, input_schema }) => ({ name, description, input_schema });
const ran = textOf(await client.beta.messages.toolRunner({ ...asked("go through the logs"), tools: [log] }));

// The same by hand: the whole conversation is in every request.
const messages = [{ role: "user", content: "by hand" }];
let answer;
do {
  answer = await client.messages.create({ ...common, tools: [tool(log)], messages });
  messages.push({ role: "assistant", content: answer.content });
  const calls = answer.content.filter(({ type }) => type === "tool_use");
  const results = calls.map(({ id, input }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: log.run(input),
  }));
  if (results.length > 0) messages.push({ role: "user", content: results });
} while (answer.stop_reason === "tool_use");
const looped = textOf(answer);
console.log(JSON.stringify({ created, streamed, ran, looped }));
