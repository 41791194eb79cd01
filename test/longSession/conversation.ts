// A long coding session, made up turn by turn from a seed: files that grow, edits, failing and passing checks, searches.
import type { Block, Message } from "../../src/messages/index.ts";
import { seededRandom } from "../kill/seededRandom.ts";

export interface ConversationShape {
  readonly turns: number;
  /** Assistant messages begin with a thinking block. */
  readonly thinking: boolean;
  readonly seed: number;
}

const verbs = ["load", "parse", "merge", "verify", "render", "collect", "resolve", "schedule", "encode"];
const nouns = ["Session", "Ledger", "Token", "Invoice", "Window", "Cache", "Route", "Policy", "Cursor"];
const areas = ["auth", "billing", "search", "storage", "worker", "editor", "report"];

/** Every message of the session in order; a turn ends with an answer of the assistant that calls nothing. */
export function* conversation({ turns, thinking, seed }: ConversationShape): Generator<Message> {
  const draw = seededRandom(seed);
  const random = () => draw(2 ** 24) / 2 ** 24;
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const name = () => `${pick(verbs)}${pick(nouns)}${pick(nouns)}${Math.floor(random() * 900)}`;
  const hex = (length: number) =>
    Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
  const files = new Map<string, string[]>();
  const line = () =>
    `  const ${name()} = await ${name()}(${pick(nouns).toLowerCase()}, "${hex(6)}"); // ${pick(verbs)}s the ${pick(nouns)}`;
  const fileFor = (turn: number) => {
    const path = `/repo/src/${pick(areas)}/${pick(verbs)}${pick(nouns)}${Math.floor(random() * (4 + turn / 40))}.ts`;
    if (!files.has(path)) files.set(path, Array.from({ length: 30 + Math.floor(random() * 60) }, line));
    return { path, lines: files.get(path) as string[] };
  };
  let calls = 0;
  const round = (turn: number): [Block, string, boolean] => {
    const id = `toolu_${seed}_${++calls}`;
    const { path, lines } = fileFor(turn);
    const kind = random();
    if (kind < 0.4)
      return [
        { type: "tool_use", id, name: "Read", input: { file_path: path } },
        lines.map((text, at) => `${String(at + 1).padStart(6)}→${text}`).join("\n"),
        false,
      ];
    if (kind < 0.65) {
      const at = Math.floor(random() * lines.length);
      const [before, after] = [lines[at] as string, line()];
      lines[at] = after;
      const input = { file_path: path, old_string: before, new_string: after };
      return [{ type: "tool_use", id, name: "Edit", input }, `The file ${path} has been updated.`, false];
    }
    if (kind < 0.85) {
      const failed = random() < 0.3;
      const rows = Array.from({ length: 8 + Math.floor(random() * 50) }, (_, at) =>
        failed && at % 9 === 4
          ? `   × ${pick(areas)} > ${name()} (${Math.floor(random() * 90)}ms)`
          : `   ✓ ${pick(areas)} > ${name()} (${Math.floor(random() * 90)}ms)`,
      );
      const end = failed ? `Error: expected ${hex(4)}, received ${hex(4)}\n 3 failed` : " Tests 48 passed";
      const command = `npx vitest run src/${pick(areas)}`;
      return [
        { type: "tool_use", id, name: "Bash", input: { command } },
        `${rows.join("\n")}\n${end}`,
        failed,
      ];
    }
    const pattern = name();
    const hits = Array.from(
      { length: 5 + Math.floor(random() * 40) },
      () => `${fileFor(turn).path}:${Math.floor(random() * 400)}:${line()}`,
    );
    return [{ type: "tool_use", id, name: "Grep", input: { pattern } }, hits.join("\n"), false];
  };
  const thought = (): Block[] =>
    thinking
      ? [
          {
            type: "thinking",
            thinking: `I look at ${name()} first.`,
            signature: hex(400 + Math.floor(random() * 600)),
          },
        ]
      : [];
  for (let turn = 0; turn < turns; turn++) {
    const asked = `Part ${turn}: ${pick(verbs)} the ${pick(nouns)} of ${pick(areas)}, as ${name()} does. ${random() < 0.2 ? `Never change ${name()} while you do it.` : ""}`;
    yield { role: "user", content: asked };
    const rounds = 1 + Math.floor(random() * 3);
    for (let at = 0; at < rounds; at++) {
      const [call, result, failed] = round(turn);
      yield {
        role: "assistant",
        content: [...thought(), { type: "text", text: `Next I check ${name()}.` }, call],
      };
      const answer = { type: "tool_result", tool_use_id: call.id, content: result };
      yield { role: "user", content: [failed ? { ...answer, is_error: true } : answer] };
    }
    const said = `Done with part ${turn}: ${name()} now calls ${name()} in src/${pick(areas)}. Should I go on with ${name()}?`;
    yield { role: "assistant", content: [...thought(), { type: "text", text: said }] };
  }
}
