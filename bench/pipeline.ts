// What `prepare` costs against one JSON.stringify of the same array, in the same run.
import type { Message } from "../src/messages/index.ts";
import { memorySession, type PolicyName, prepare, settingsFor } from "../src/pipeline/index.ts";
import type { Bench } from "./bench.ts";
import { median, rounded, timedNow } from "./measure.ts";

const MODEL = "claude-opus-4-6";
const TOKENS = 200_000;
const ROUNDS = 200;
const PARSED_ROUNDS = 40;

/** A conversation of tool rounds with that many messages and about 200,000 tokens in all. */
function conversation(count: number): Message[] {
  const characters = Math.floor((TOKENS * 2.8) / count);
  const filler = (at: number): string =>
    `line ${at} of src/module/file${at}.ts: const value = compute(input);\n`
      .repeat(40)
      .slice(0, Math.max(20, characters * 2 - 180));
  const messages: Message[] = [{ role: "user", content: "please go through the modules one by one" }];
  for (let at = 1; messages.length < count; at++) {
    if (at % 12 === 0) {
      messages.push(
        { role: "assistant", content: [{ type: "text", text: "done with this part" }] },
        { role: "user", content: `and now part ${at}` },
      );
    }
    messages.push(...round(at, filler(at)));
  }
  return messages.slice(0, count);
}

function round(at: number, text: string): Message[] {
  const id = `toolu_${at}`;
  return [
    {
      role: "assistant",
      content: [
        { type: "text", text: "next one" },
        { type: "tool_use", id, name: "Read", input: { at } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] },
  ];
}

function closed(count: number): Message[] {
  const messages = conversation(count);
  while (messages.at(-1)?.role !== "user") messages.pop();
  return messages;
}

/** Requests that each add a round, then the same messages parsed anew, as a proxy gets them. */
function measure(policy: PolicyName, count: number) {
  let messages = closed(count);
  const session = memorySession("bench", { settings: settingsFor(policy) });
  const call = (array: readonly Message[], now: number): unknown =>
    prepare({ session, messages: array, model: MODEL, now });
  let now = Date.UTC(2026, 0, 1);
  call(messages, now);
  const [stringify, appended, parsed]: [number[], number[], number[]] = [[], [], []];
  for (let at = 0; at < ROUNDS; at++) {
    messages = [...messages, ...round(100_000 + at, "ok, 12 lines changed")];
    now += 1_000;
    appended.push(timedNow(() => call(messages, now)));
    stringify.push(timedNow(() => JSON.stringify(messages)));
  }
  for (let at = 0; at < PARSED_ROUNDS; at++) {
    const fresh = JSON.parse(JSON.stringify(messages)) as Message[];
    parsed.push(timedNow(() => call(fresh, now)));
  }
  const unit = median(stringify);
  return {
    policy,
    messages: messages.length,
    "JSON.stringify ms": rounded(unit),
    "appended ×": rounded(median(appended) / unit),
    "parsed anew ×": rounded(median(parsed) / unit),
  };
}

export const bench: Bench = {
  name: "pipeline",
  measures: ["src/pipeline", "src/ledger", "src/legality", "src/messages", "src/tokens"],
  about:
    "What `prepare` costs, in multiples of one JSON.stringify of the same 200,000 tokens, in the same run.",
  async run() {
    const rows = (["thrifty", "seed"] as const).flatMap((policy) =>
      [500, 2_000, 8_000].map((count) => measure(policy, count)),
    );
    return { findings: [{ title: "One request prepared", rows }] };
  },
};
