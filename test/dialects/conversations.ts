// Generated conversations of every dialect, well formed and not, and generated edits of them.
import fc from "fast-check";
import type { MessageEdit, ReadItems } from "../../src/dialects/index.ts";
import type { JsonObject } from "../../src/lib/index.ts";
import { type Block, blocksOf } from "../../src/messages/index.ts";

const words = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.constantFrom("", "ok", "见 \u{1f600}", '"\\'),
);
const given = fc.string({ minLength: 1, maxLength: 40 });
const input = fc.dictionary(fc.constantFrom("command", "path", "note"), words, { maxKeys: 2 });

/** One exchange, in no dialect. */
interface Exchange {
  readonly prompt: string;
  readonly thought: string | undefined;
  readonly said: string;
  readonly calls: readonly {
    readonly name: string;
    readonly input: JsonObject;
    readonly output: string;
    readonly isError: boolean;
    /** 0 answered, 1 never answered. */
    readonly fate: 0 | 1;
  }[];
  readonly opaque: string;
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  prompt: words,
  thought: fc.option(words, { nil: undefined }),
  said: words,
  calls: fc.array(
    fc.record({
      name: fc.constantFrom("bash", "read", "other"),
      input,
      output: words,
      isError: fc.boolean(),
      fate: fc.constantFrom(0, 0, 0, 1),
    }),
    { maxLength: 3 },
  ),
  opaque: fc.base64String({ maxLength: 24 }),
});

/** How exchanges are written down; ids are unique in a conversation. */
type Writer = (exchange: Exchange, at: number) => JsonObject[];

const callId = (at: number, call: number) => `call_${at}_${call}`;

const pi: Writer = ({ prompt, thought, said, calls, opaque }, at) => [
  {
    role: "user",
    content: at % 2 === 0 ? prompt : [{ type: "text", text: prompt, textSignature: opaque }],
    timestamp: at,
  },
  ...(at % 3 === 0
    ? [{ role: "custom", customType: "x", content: opaque, display: false, timestamp: at }]
    : []),
  {
    role: "assistant",
    content: [
      ...(thought === undefined ? [] : [{ type: "thinking", thinking: thought, thinkingSignature: opaque }]),
      { type: "text", text: said, textSignature: opaque },
      ...calls.map(({ name, input }, call) => ({
        ...{ type: "toolCall", id: callId(at, call), name, arguments: input, thoughtSignature: opaque },
      })),
    ],
    ...{ api: "a", provider: "p", model: "m", stopReason: "stop", timestamp: at, responseId: opaque },
  },
  ...calls.flatMap(({ name, output, isError, fate }, call) =>
    fate === 1
      ? []
      : [
          {
            ...{ role: "toolResult", toolCallId: callId(at, call), toolName: name, isError, timestamp: at },
            ...{ content: [{ type: "text", text: output }], details: { opaque } },
          },
        ],
  ),
];

const openCode: Writer = ({ prompt, thought, said, calls, opaque }, at) => {
  const about = { id: `msg_${at}`, sessionID: "ses_1" };
  return [
    { info: { ...about, role: "user", opaque }, parts: [{ id: `prt_${at}`, type: "text", text: prompt }] },
    {
      info: { ...about, id: `msg_${at}a`, role: "assistant", opaque },
      parts: [
        { type: "step-start", snapshot: opaque },
        ...(thought === undefined
          ? []
          : [{ type: "reasoning", text: thought, metadata: { anthropic: { signature: opaque } } }]),
        { type: "text", text: said, metadata: { opaque } },
        ...calls.map(({ name, input, output, isError, fate }, call) => ({
          ...{ type: "tool", callID: callId(at, call), tool: name, metadata: { opaque } },
          state:
            fate === 1
              ? { status: "pending", input }
              : isError
                ? { status: "error", input, error: output, time: { start: 1 } }
                : { status: "completed", input, output, title: opaque, metadata: {}, time: { start: 1 } },
        })),
        { type: "step-finish", cost: 1 },
      ],
    },
  ];
};

const chat: Writer = ({ prompt, said, calls, opaque }, at) => [
  ...(at === 0 ? [{ role: "system", content: opaque }] : []),
  { role: "user", content: at % 2 === 0 ? prompt : [{ type: "text", text: prompt }] },
  {
    role: "assistant",
    content: calls.length > 0 && at % 2 === 0 ? null : said,
    reasoning_content: opaque,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, input }, call) => ({
        ...{ id: callId(at, call), type: "function" },
        function: { name, arguments: JSON.stringify(input, undefined, at % 2) },
        extra: opaque,
      })),
    }),
  },
  ...calls.flatMap(({ output, fate }, call) =>
    fate === 1 ? [] : [{ role: "tool", tool_call_id: callId(at, call), content: output }],
  ),
];

const responses: Writer = ({ prompt, thought, said, calls, opaque }, at) => [
  ...(at === 0
    ? [{ type: "message", role: "developer", content: [{ type: "input_text", text: opaque }] }]
    : []),
  { type: "message", role: "user", content: [{ type: "input_text", text: prompt, opaque }] },
  ...(thought === undefined
    ? []
    : [
        {
          type: "reasoning",
          id: `rs_${at}`,
          encrypted_content: opaque,
          summary: [{ type: "summary_text", text: thought }],
        },
      ]),
  {
    type: "message",
    role: "assistant",
    id: `msg_${at}`,
    content: [{ type: "output_text", text: said, annotations: [] }],
  },
  ...calls.map(({ name, input }, call) => ({
    ...{ type: "function_call", id: `fc_${at}_${call}`, call_id: callId(at, call), name },
    arguments: JSON.stringify(input, undefined, at % 2),
  })),
  ...calls.flatMap(({ output, fate }, call) =>
    fate === 1 ? [] : [{ type: "function_call_output", call_id: callId(at, call), output, opaque }],
  ),
];

export const writers: Readonly<Record<string, Writer>> = {
  pi,
  opencode: openCode,
  "chat-completions": chat,
  responses,
};

export const conversations = (writer: Writer): fc.Arbitrary<JsonObject[]> =>
  fc.array(exchange, { minLength: 1, maxLength: 6 }).map((all) => all.flatMap(writer));

/** Numbers by which edits are chosen from a conversation that is not known yet. */
export const choices = fc.array(fc.record({ message: fc.nat(), block: fc.nat(), text: given }), {
  maxLength: 4,
});
export type Choices = readonly { readonly message: number; readonly block: number; readonly text: string }[];

const edited = (block: Block, text: string): Block | undefined => {
  if (block.type === "text") return { type: "text", text };
  return block.type === "tool_result" ? { ...block, content: text } : undefined;
};

/** Edits of single blocks, at most one a message, in order. */
export function chosenEdits({ messages }: ReadItems, chosen: Choices): MessageEdit[] {
  const byMessage = new Map<number, MessageEdit>();
  for (const { message, block, text } of chosen) {
    const at = message % Math.max(1, messages.length);
    const found = messages[at];
    const blocks = found ? blocksOf(found) : [];
    const index = block % Math.max(1, blocks.length);
    const one = blocks[index];
    const now = one && edited(one, text);
    if (now) byMessage.set(at, { kind: "blocks", at, blocks: { [index]: JSON.stringify(now) } });
  }
  return [...byMessage.values()].sort((one, other) => one.at - other.at);
}
