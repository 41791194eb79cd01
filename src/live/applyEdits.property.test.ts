// Edits on generated requests: JSON-equal to the same edits on the parsed request, and identical bytes around them.
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../lib/index.ts";
import { applyEdits } from "./applyEdits.ts";
import { type RequestBody, readBody } from "./body.ts";
import type { LiveEdit } from "./edits.ts";
import { chainedRows } from "./rows.ts";

const RUNS = 10_000;

const text = fc.constantFrom(
  "plain",
  'quo"te and \\ back\\\\slash \\"',
  '"cache_control":{"type":"ephemeral"}',
  ',"cache_control": {',
  "发布 🧵 naïve \u0000\u001f",
  "brackets ]}[{ , :",
  "",
  "line\nline\r\n\tline",
);
const control = fc.constantFrom({ type: "ephemeral" }, { ttl: "1h", type: "ephemeral" });
const withControl = (block: JsonObject, mark: JsonObject | undefined, isFirst: boolean): JsonObject =>
  mark === undefined
    ? block
    : isFirst
      ? { cache_control: mark, ...block }
      : { ...block, cache_control: mark };

const block: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.oneof(
      fc.record({ type: fc.constant("text"), text }),
      fc.record({ text, type: fc.constant("text") }),
      fc.record({
        type: fc.constant("tool_result"),
        tool_use_id: fc.constantFrom("toolu_1", "toolu_2"),
        content: fc.oneof(text, fc.array(fc.record({ type: fc.constant("text"), text }), { maxLength: 2 })),
        is_error: fc.boolean(),
      }),
      fc.record({ type: fc.constant("thinking"), thinking: text, signature: text }),
      fc.record({ type: fc.constant("tool_use"), input: fc.jsonValue({ maxDepth: 2 }), id: text }),
    ),
    fc.option(control, { nil: undefined, freq: 4 }),
    fc.boolean(),
  )
  .map(([one, mark, isFirst]) => withControl(one as JsonObject, mark, isFirst));

const message: fc.Arbitrary<JsonObject> = fc.record(
  {
    role: fc.constantFrom("user", "assistant", "system"),
    content: fc.oneof(text, fc.array(block, { maxLength: 4 })),
    output_config: fc.constant({ effort: "high" }),
  },
  { requiredKeys: ["role", "content"] },
);

const request = fc.record(
  {
    model: fc.constant("claude-opus-5-5"),
    messages: fc.array(message, { maxLength: 7 }),
    system: fc.array(block, { maxLength: 2 }),
    max_tokens: fc.integer(),
    nested: fc.jsonValue({ maxDepth: 3 }),
    metadata: fc.record({ messages: fc.array(text, { maxLength: 2 }), content: text }),
  },
  { requiredKeys: ["messages"] },
);

/** A body as some client would write it: any layout, other spellings of numbers and letters, keys in any order. */
const bodyText = fc
  .tuple(request, fc.constantFrom(undefined, 1, "\t"), fc.boolean(), fc.boolean())
  .map(([value, indent, hasEscapes, isTurned]) => {
    const entries = Object.entries(value);
    const ordered = Object.fromEntries(isTurned ? entries.toReversed() : entries);
    const written = JSON.stringify({ ...ordered, rate: 1 }, null, indent).replace(
      /"rate":\s?1/,
      '"rate":1.50e+0',
    );
    return hasEscapes ? written.replaceAll("ï", "\\u00ef").replaceAll("/", "\\/") : written;
  });

/** Picks for each row whether it is edited, and how; resolved against the rows of a body. */
const choices = fc.array(
  fc.record({
    what: fc.constantFrom("keep", "keep", "blocks", "span", "insert"),
    length: fc.integer({ min: 1, max: 3 }),
    messages: fc.array(message, { maxLength: 2 }),
    picks: fc.array(fc.option(block, { nil: undefined }), { minLength: 4, maxLength: 4 }),
    drops: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  }),
  { minLength: 8, maxLength: 8 },
);

type Choice = typeof choices extends fc.Arbitrary<(infer One)[]> ? One : never;

const bare = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (key === "cache_control" ? undefined : part)));

function blockEdits(content: unknown, { picks, drops }: Choice): Record<string, string | null> {
  const replaced = picks.map((pick) => (pick ? JSON.stringify(bare(pick)) : undefined));
  if (typeof content === "string") return { 0: replaced[0] ?? '{"type":"text","text":"other"}' };
  const found = (content as unknown[]).flatMap((_, at): [string, string | null][] => {
    if (drops[at] === true && at > 0) return [[String(at), null]];
    return replaced[at] === undefined ? [] : [[String(at), replaced[at]]];
  });
  return Object.fromEntries(found);
}

function editsFor(
  messages: readonly JsonObject[],
  chains: readonly string[],
  picked: readonly Choice[],
): LiveEdit[] {
  const edits: LiveEdit[] = [];
  const guardOf = (row: number) => ({ row, chain: chains[row] ?? "" });
  for (let at = 0; at <= messages.length; ) {
    const choice = picked[at] as Choice;
    const end = Math.min(messages.length, choice.what === "span" ? at + choice.length : at + 1);
    if (choice.what === "insert" || (choice.what === "span" && at === messages.length))
      edits.push({
        kind: "span",
        at,
        end: at,
        messages: choice.messages.map((one) => JSON.stringify(bare(one))),
      });
    else if (choice.what === "span")
      edits.push({
        ...{ kind: "span", at, end, guard: guardOf(end - 1) },
        messages: choice.messages.map((one) => JSON.stringify(bare(one))),
      });
    else if (choice.what === "blocks" && at < messages.length) {
      const blocks = blockEdits(messages[at]?.content, choice);
      if (Object.keys(blocks).length > 0) edits.push({ kind: "blocks", at, blocks, guard: guardOf(at) });
    }
    at = Math.max(end, at + 1);
  }
  return edits;
}

/** The breakpoint of a block: the edited block keeps it. */
const controlIn = (one: unknown): unknown => (isObject(one) ? one.cache_control : undefined);

const controlsOf = ({ content }: JsonObject): unknown[] =>
  Array.isArray(content) ? content.map(controlIn).filter((mark) => mark !== undefined) : [];

/** The messages that come in with the last breakpoint of those that leave, where their last block may carry one. */
function withMark(messages: readonly JsonObject[], mark: unknown): readonly JsonObject[] {
  const content = messages.at(-1)?.content;
  const block = Array.isArray(content) ? (content.at(-1) as JsonObject | undefined) : undefined;
  if (mark === undefined || block === undefined || block.type === "thinking" || block.text === "")
    return messages;
  const marked = {
    ...messages.at(-1),
    content: [...(content as unknown[]).slice(0, -1), { ...block, cache_control: mark }],
  };
  return [...messages.slice(0, -1), marked];
}

/** The same edits on parsed values. */
function structurally(value: JsonObject, edits: readonly LiveEdit[]): JsonObject {
  const messages = value.messages as JsonObject[];
  const result: unknown[] = [];
  let at = 0;
  for (const edit of edits) {
    result.push(...messages.slice(at, edit.at));
    at = edit.at;
    if (edit.kind === "span") {
      const leaving = messages.slice(edit.at, edit.end).flatMap(controlsOf);
      result.push(
        ...withMark(
          edit.messages.map((one) => JSON.parse(one) as JsonObject),
          leaving.at(-1),
        ),
      );
      at = edit.end;
      continue;
    }
    const one = messages[at] as JsonObject;
    const list = typeof one.content === "string" ? [undefined] : (one.content as unknown[]);
    const content = list.flatMap((old, index) => {
      const to = edit.blocks[index];
      if (to === null) return [];
      if (to === undefined) return [old];
      const mark = controlIn(old);
      return [{ ...(JSON.parse(to) as object), ...(mark === undefined ? {} : { cache_control: mark }) }];
    });
    result.push({ ...one, content });
    at += 1;
  }
  return { ...value, messages: [...result, ...messages.slice(at)] };
}

const rowsUntouched = (body: RequestBody, edits: readonly LiveEdit[]) =>
  body.rows.filter((_, at) =>
    edits.every((edit) => (edit.kind === "span" ? at < edit.at || at >= edit.end : at !== edit.at)),
  );

const readRows = ({ text, rows }: RequestBody): unknown[] =>
  rows.map(({ start, end }) => JSON.parse(text.slice(start, end)) as unknown);

/** Everything around the messages, and every message that no edit names, in its order. */
function keepsRest(body: RequestBody, edits: readonly LiveEdit[], after: string): boolean {
  const { text: before, messages } = body;
  let place = messages.start;
  const areKept = rowsUntouched(body, edits).every(({ start, end }) => {
    const found = after.indexOf(before.slice(start, end), place);
    place = found + end - start;
    return found >= 0;
  });
  return (
    areKept && after.startsWith(before.slice(0, messages.start)) && after.endsWith(before.slice(messages.end))
  );
}

describe("edits on a request", () => {
  it("give what the same edits give on the parsed request, and change no other byte", () => {
    fc.assert(
      fc.property(bodyText, choices, (written, picked) => {
        const body = readBody(written) as RequestBody;
        const value = JSON.parse(written) as JsonObject;
        const messages = value.messages as JsonObject[];
        const { chains } = chainedRows(body);
        const edits = editsFor(messages, chains, picked);
        const after = applyEdits(body, chains, { version: 1, edits })?.text ?? "";
        const wanted = structurally(value, edits);
        return (
          isDeepStrictEqual(readRows(body), messages) &&
          isDeepStrictEqual(JSON.parse(after), wanted) &&
          (edits.length > 0 || after === written) &&
          keepsRest(body, edits, after)
        );
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it("pass over rows of another branch, and name the same row alike wherever breakpoints stand", () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 5 }), (messages) => {
        const withMarks = readBody(JSON.stringify({ messages })) as RequestBody;
        const without = readBody(JSON.stringify({ messages: bare(messages) })) as RequestBody;
        const { chains } = chainedRows(withMarks);
        expect(chainedRows(without).chains).toEqual(chains);
        const edit: LiveEdit = {
          ...{ kind: "span", at: 0, end: 1, messages: ['{"role":"user","content":"other"}'] },
          guard: { row: 0, chain: "of another branch" },
        };
        const applied = applyEdits(withMarks, chains, { version: 1, edits: [edit] });
        expect(applied).toEqual({ text: withMarks.text, made: 0, passed: 1 });
      }),
      { numRuns: 2_000 },
    );
  }, 60_000);
});
