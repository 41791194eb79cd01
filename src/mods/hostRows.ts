// The rows in which a mod of Claude Code is handed a conversation, turned into messages and back.
import { isObject, type JsonObject } from "../lib/index.ts";
import { blocksOf, type HistoryItem, type Message, textOf } from "../messages/index.ts";
import type { Conversation } from "../transcript/index.ts";

/** One row as the engine gives it to a mod, and takes it back. */
export interface HostRow {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly toolUses: readonly {
    readonly tool_use_id: string;
    readonly tool: string;
    readonly input: JsonObject;
  }[];
  readonly toolResults?: readonly {
    readonly tool_use_id: string;
    readonly text: string;
    readonly isError: boolean;
  }[];
  /** The row's own id in the transcript; only on rows that come from the engine. */
  readonly handle?: string;
  /** Its characters, where it came without its content: a long conversation is not sent whole. */
  readonly size?: number;
}

const textIn = (value: unknown) => (typeof value === "string" ? value : "");
const objectList = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);

/** Whatever came over the wire; what is no row is left out. */
export function readHostRows(value: unknown): HostRow[] {
  return objectList(value).flatMap(({ role, text, toolUses, toolResults, handle, size }) => {
    if (role !== "user" && role !== "assistant") return [];
    const uses = objectList(toolUses).map(({ tool_use_id: id, tool, input }) => ({
      tool_use_id: textIn(id),
      tool: textIn(tool),
      input: isObject(input) ? input : {},
    }));
    const results = objectList(toolResults).map(({ tool_use_id: id, text: answer, isError }) => ({
      tool_use_id: textIn(id),
      text: textIn(answer),
      isError: isError === true,
    }));
    return [
      {
        ...{ role, text: textIn(text), toolUses: uses },
        ...(results.length > 0 && { toolResults: results }),
        ...(typeof handle === "string" && { handle }),
        ...(typeof size === "number" && { size }),
      },
    ];
  });
}

function blocksOfRow({ text, toolUses, toolResults = [] }: HostRow) {
  return [
    ...toolResults.map(({ tool_use_id, text: content, isError }) => ({
      type: "tool_result",
      tool_use_id,
      content,
      ...(isError && { is_error: true }),
    })),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...toolUses.map(({ tool_use_id: id, tool: name, input }) => ({ type: "tool_use", id, name, input })),
  ];
}

/** A response has a row for each of its blocks, and the results of calls made together one each. */
const belongsTogether = (before: HostRow | undefined, row: HostRow) =>
  before?.role === row.role &&
  (row.role === "assistant" || (before.toolResults !== undefined && row.toolResults !== undefined));

/** The rows as messages, named by the first row of each. Rows without content are left out. */
export function messagesOfRows(rows: readonly HostRow[]): HistoryItem[] {
  const groups: HostRow[][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group && belongsTogether(group.at(-1), row)) group.push(row);
    else groups.push([row]);
  }
  return groups.flatMap((group, at) => {
    const content = group.flatMap(blocksOfRow);
    const [first] = group;
    if (!first || content.length === 0) return [];
    return [{ id: first.handle ?? `row-${at}`, message: { role: first.role, content } }];
  });
}

/** The same; undefined where a row came without its content: nothing may be summed up that is not there. */
export function wholeMessages(rows: readonly HostRow[]): HistoryItem[] | undefined {
  return rows.some(({ size }) => size !== undefined) ? undefined : messagesOfRows(rows);
}

/** One row for a message. It carries no handle: rows with one break resuming. Thinking cannot be handed back. */
export function rowOfMessage(message: Message): HostRow | undefined {
  if (message.role === "system") return undefined;
  const blocks = blocksOf(message);
  const toolUses = blocks.flatMap(({ type, id, name, input }) =>
    type === "tool_use"
      ? [{ tool_use_id: textIn(id), tool: textIn(name), input: isObject(input) ? input : {} }]
      : [],
  );
  const toolResults = blocks.flatMap(({ type, tool_use_id: id, content, is_error }) =>
    type === "tool_result"
      ? [{ tool_use_id: textIn(id), text: textOf(content), isError: is_error === true }]
      : [],
  );
  const text = textOf(blocks);
  if (text === "" && toolUses.length === 0 && toolResults.length === 0) return undefined;
  return { role: message.role, text, toolUses, ...(toolResults.length > 0 && { toolResults }) };
}

/**
 * Every message once, across all compactions: a summary is made of what was said and never of a summary. `rows` are the
 * window as the engine has it now: the transcript is written a moment later, and its last messages may be missing.
 * Nothing is given where one of these came without its content.
 */
export function originalMessages(
  { items }: Pick<Conversation, "items">,
  rows: readonly HostRow[],
): HistoryItem[] {
  const written = new Set(items.flatMap(({ uuids }) => uuids));
  const missing = rows.slice(
    rows.findLastIndex(({ handle }) => handle !== undefined && written.has(handle)) + 1,
  );
  const newest = wholeMessages(missing);
  if (!newest) return [];
  const originals = items.filter((item) => !item.isApiError && !item.isCopy && !item.compactSummary);
  // With none of its rows in the file it is another file.
  return missing.length === rows.length ? newest : [...originals, ...newest];
}

/** What a compaction that is not the engine's own leaves out: where the agent is, and what it can call. */
const announced = [
  "environment",
  "model",
  "deferred_tools_delta",
  "agent_listing_delta",
  "skill_listing",
  "mcp_instructions_delta",
] as const;

/** Of these the last one counts; the others tell what was added. */
const replaced: readonly string[] = ["environment", "model"];

/** Everything that is announced and still holds, in the engine's own words and order. */
export function announcements({ attachments, boundaries }: Pick<Conversation, "attachments" | "boundaries">) {
  const texts = new Map<string, string[]>();
  let lastAt = -1;
  for (const { type, text, index } of attachments) {
    if (text === undefined || !announced.some((name) => name === type)) continue;
    // The engine's own compaction announces everything anew, beginning with where the agent is.
    const isAnew = boundaries.some(({ kind, index: at }) => kind === "compact" && at > lastAt && at <= index);
    if (type === "environment" && isAnew) texts.clear();
    if (type === "environment") lastAt = index;
    const before = replaced.includes(type) ? [] : (texts.get(type) ?? []);
    if (!before.includes(text)) texts.set(type, [...before, text]);
  }
  return announced.flatMap((type) => texts.get(type) ?? []);
}
