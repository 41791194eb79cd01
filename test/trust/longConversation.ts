// A long conversation that is the same for the same seed: prompts, words, calls, and results of very different sizes.
import type { Message } from "../../src/messages/index.ts";
import { seededRandom } from "../kill/seededRandom.ts";

const syllables = [
  "ba",
  "co",
  "dri",
  "fen",
  "gul",
  "hap",
  "jor",
  "kim",
  "lo",
  "mur",
  "nex",
  "pol",
  "qui",
  "ras",
];

/** Adds turns until the messages take `bytes` as JSON; each turn is a prompt, two calls with results, and an answer. */
export function* longConversation(bytes: number, seed = 7): Generator<readonly Message[]> {
  const random = seededRandom(seed);
  const name = (): string =>
    Array.from({ length: 2 + random(3) }, () => syllables[random(syllables.length)]).join("");
  const line = (): string =>
    `${" ".repeat(random(4) * 2)}const ${name()} = ${name()}(${random(100_000)}, "${name()}");`;
  const text = (size: number): string => {
    const lines: string[] = [];
    for (let left = size; left > 0; left -= lines.at(-1)?.length ?? 1) lines.push(line());
    return lines.join("\n");
  };
  let calls = 0;
  const round = (): Message[] => {
    const id = `toolu_${++calls}`;
    const isEdit = random(4) === 0;
    const input = isEdit
      ? {
          file_path: `src/${name()}.ts`,
          old_string: text(200 + random(2_000)),
          new_string: text(200 + random(6_000)),
        }
      : { file_path: `src/${name()}.ts` };
    return [
      {
        role: "assistant",
        content: [
          { type: "text", text: text(50 + random(600)) },
          { type: "tool_use", id, name: isEdit ? "Edit" : "Read", input },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: id, content: text(100 + random(3) ** 3 * 4_000) }],
      },
    ];
  };
  for (let made = 0; made < bytes; ) {
    const turn: Message[] = [
      { role: "user", content: text(100 + random(500)) },
      ...round(),
      ...round(),
      { role: "assistant", content: [{ type: "text", text: text(200 + random(1_500)) }] },
    ];
    made += JSON.stringify(turn).length;
    yield turn;
  }
}
