// Arbitrary valid histories and edits, for properties that must hold for any of them.
import fc from "fast-check";
import type { Edit, LedgerEntry } from "../../src/ledger/index.ts";
import { type Block, blocksOf, type HistoryItem, type Message, userTurns } from "../../src/messages/index.ts";
import { identify } from "../fixtures/history.ts";

const words = fc
  .oneof(
    fc.constantFrom(
      "fix the login bug",
      "请修复登录错误",
      "why does `npm test` fail?",
      "…",
      "a\r\nb\tc",
      "🧵 emoji",
    ),
    fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }),
  )
  .map((text) => (text.trim() === "" ? "x" : text));

const resultText = fc.oneof(
  words,
  fc.constant(""),
  fc.integer({ min: 1, max: 60 }).map((n) => "line of output\n".repeat(n)),
  // Any UTF-16 at all, halves of pairs among it: a tool may have cut its output anywhere.
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 12 }).map((units) => String.fromCharCode(...units)),
);

interface RoundShape {
  readonly thinking: boolean;
  readonly text: string | undefined;
  readonly calls: number;
  readonly server: boolean;
  readonly splitResults: boolean;
  readonly trailing: string | undefined;
  readonly system: boolean;
  readonly results: readonly string[];
}

const roundShape: fc.Arbitrary<RoundShape> = fc.record({
  thinking: fc.boolean(),
  text: fc.option(words, { nil: undefined }),
  calls: fc.integer({ min: 1, max: 3 }),
  server: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  splitResults: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  trailing: fc.option(words, { nil: undefined, freq: 5 }),
  system: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
  results: fc.array(resultText, { minLength: 3, maxLength: 3 }),
});

interface TurnShape {
  readonly input: string;
  readonly asBlocks: boolean;
  readonly system: boolean;
  readonly rounds: readonly RoundShape[];
  readonly thinking: boolean;
  readonly answer: string;
}

const turnShape: fc.Arbitrary<TurnShape> = fc.record({
  input: words,
  asBlocks: fc.boolean(),
  system: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  rounds: fc.array(roundShape, { maxLength: 4 }),
  thinking: fc.boolean(),
  answer: words,
});

function thinkingBlock(serial: number): Block {
  return serial % 5 === 0
    ? { type: "redacted_thinking", data: `sealed-${serial}` }
    : { type: "thinking", thinking: `weighing ${serial}`, signature: `sig-${serial}` };
}

function roundMessages(shape: RoundShape, serial: number): Message[] {
  const call: Block[] = [];
  if (shape.thinking) call.push(thinkingBlock(serial));
  if (shape.text !== undefined) call.push({ type: "text", text: shape.text });
  if (shape.server) {
    call.push({ type: "server_tool_use", id: `srv_${serial}`, name: "web_search", input: { query: "q" } });
    call.push({ type: "web_search_tool_result", tool_use_id: `srv_${serial}`, content: [] });
  }
  const results: Block[] = [];
  for (let n = 0; n < shape.calls; n++) {
    const id = `toolu_${serial}_${n}`;
    call.push({
      type: "tool_use",
      id,
      name: n === 0 ? "Read" : "Bash",
      input: { file_path: `src/file${serial}.ts` },
    });
    results.push({
      type: "tool_result",
      tool_use_id: id,
      content: shape.results[n] ?? "",
      ...(n === 2 ? { is_error: true } : {}),
    });
  }
  const messages: Message[] = [{ role: "assistant", content: call }];
  if (shape.splitResults && results.length > 1)
    for (const block of results) messages.push({ role: "user", content: [block] });
  else messages.push({ role: "user", content: results });
  if (shape.trailing !== undefined) messages.push({ role: "user", content: shape.trailing });
  if (shape.system) messages.push({ role: "system", content: "a note for the model" });
  return messages;
}

function turnMessages(shape: TurnShape, serial: number): Message[] {
  const messages: Message[] = [
    { role: "user", content: shape.asBlocks ? [{ type: "text", text: shape.input }] : shape.input },
  ];
  if (shape.system)
    messages.push({
      role: "system",
      content: [{ type: "text", text: "environment" }],
      output_config: { effort: "low" },
    });
  messages.push(...shape.rounds.flatMap((round, index) => roundMessages(round, serial * 10 + index)));
  const answer: Block[] = [{ type: "text", text: shape.answer }];
  messages.push({
    role: "assistant",
    content: shape.thinking ? [thinkingBlock(serial * 10 + 9), ...answer] : answer,
  });
  return messages;
}

/** Any valid history: whole turns, then a request that may stop at any legal place of its turn. */
export const anyHistory: fc.Arbitrary<HistoryItem[]> = fc
  .record({
    turns: fc.array(turnShape, { minLength: 1, maxLength: 6 }),
    cut: fc.nat(),
  })
  .map(({ turns, cut }) => {
    const messages = turns.flatMap((shape, index) => turnMessages(shape, index + 1));
    const legalEnds: number[] = [];
    messages.forEach((message, index) => {
      const next = messages[index + 1];
      const splitsResults =
        next?.role === "user" && blocksOf(next).some((block) => block.type === "tool_result");
      if (message.role !== "assistant" && !splitsResults) legalEnds.push(index + 1);
    });
    const end = legalEnds[cut % legalEnds.length] ?? messages.length;
    return identify(messages.slice(0, end));
  });

interface EditSeed {
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  readonly flag: boolean;
  readonly text: string;
  readonly role: "user" | "assistant" | "system";
  readonly tip: number;
}

export const anyEditSeed: fc.Arbitrary<EditSeed> = fc.record({
  kind: fc.nat({ max: 9 }),
  a: fc.nat(),
  b: fc.nat(),
  flag: fc.boolean(),
  text: words,
  role: fc.constantFrom("user", "user", "user", "assistant", "system"),
  tip: fc.nat(),
});

/** An entry that a seed describes against a history; sensible ones and senseless ones alike. */
export function entryFor(
  seed: EditSeed,
  history: readonly HistoryItem[],
  earlier: readonly LedgerEntry[],
): LedgerEntry {
  const reach = seed.flag ? history.length : 1 + (seed.tip % history.length);
  const seen = history.slice(0, reach);
  const idAt = (n: number): string => seen[n % seen.length]?.id ?? "nowhere";
  const tip = seen.at(-1)?.id ?? "nowhere";
  const id = `e${earlier.length}`;
  const base = {
    v: 1 as const,
    id,
    at: "2026-01-01T00:00:00.000Z",
    by: "here" as const,
    level: "user" as const,
    why: "property",
    tip,
  };
  return { ...base, edit: editFor(seed, seen, earlier, idAt) };
}

function editFor(
  seed: EditSeed,
  seen: readonly HistoryItem[],
  earlier: readonly LedgerEntry[],
  idAt: (n: number) => string,
): Edit {
  const message: Message = { role: seed.role, content: seed.text };
  const results = seen
    .flatMap(({ message: m }) => blocksOf(m))
    .filter((block) => block.type === "tool_result");
  switch (seed.kind) {
    case 0:
    case 1:
      return {
        kind: "replace-result",
        toolUseId: String(results[seed.a % Math.max(1, results.length)]?.tool_use_id ?? "none"),
        content: seed.text,
      };
    case 2: {
      const turns = userTurns(seen);
      const turn = turns[seed.a % Math.max(1, turns.length)];
      return turn
        ? {
            kind: "remove-turn",
            turn: turn.id,
            items: seen.slice(turn.start, turn.end).map((item) => item.id),
          }
        : { kind: "drop-thinking", through: idAt(seed.a) };
    }
    case 3:
      return { kind: "remove-turn", turn: idAt(seed.a), items: [idAt(seed.a), idAt(seed.b)] };
    case 4: {
      const [from, to] = [seed.a % seen.length, seed.b % seen.length].sort((x, y) => x - y);
      if (seed.flag)
        return {
          kind: "collapse-commit",
          collapseId: `c${earlier.length}`,
          summaryUuid: `c${earlier.length}-summary`,
          summaryContent: seed.text,
          firstArchivedUuid: idAt(from ?? 0),
          lastArchivedUuid: idAt(to ?? 0),
        };
      return { kind: "replace-span", first: idAt(from ?? 0), last: idAt(to ?? 0), messages: [message] };
    }
    case 5:
      return {
        kind: "replace-prefix",
        through: idAt(seed.a),
        messages: [{ role: "user", content: `summary: ${seed.text}` }],
        attachments: seed.flag ? [message] : [],
        dropThinking: seed.b % 2 === 0,
        keep: seed.b % 3 === 0 ? [idAt(seed.b)] : [],
      };
    case 6:
      return { kind: "drop-thinking", through: idAt(seed.a) };
    case 7:
      return { kind: "insert", after: idAt(seed.a), messages: [message] };
    case 8:
      return seed.flag ? { kind: "tag-inputs", from: idAt(seed.a) } : { kind: "pin", items: [idAt(seed.a)] };
    default: {
      const target = earlier[seed.a % Math.max(1, earlier.length)];
      return target ? { kind: "undo", entry: target.id } : { kind: "unpin", items: [idAt(seed.a)] };
    }
  }
}

/** A history with a ledger that was written while it grew. */
export const anyHistoryWithLedger = fc
  .record({ history: anyHistory, seeds: fc.array(anyEditSeed, { maxLength: 8 }) })
  .map(({ history, seeds }) => {
    const entries: LedgerEntry[] = [];
    // A ledger is written in the order in which the history grew: sort by how far each decision could see.
    for (const seed of seeds) entries.push(entryFor(seed, history, entries));
    return { history, entries };
  });
